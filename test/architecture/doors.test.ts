import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';

import { packageRoot } from '../../scripts/harness';

const CRUISER = join(packageRoot(), 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
const RULES = '.dependency-cruiser.mjs';
const TABLE = 'docs/architecture.md';
const FOLDERS = ['src', 'scripts', 'test'];

type Files = Readonly<Record<string, string>>;

interface Violation {
  readonly rule: string;
  readonly from: string;
  readonly to: string;
}

const projects: string[] = [];
afterAll(() => {
  for (const folder of projects) rmSync(folder, { recursive: true });
});

/** Makes a project with the rules and the table of rooms of this one. */
function project(files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'doors-'));
  projects.push(folder);
  for (const name of FOLDERS) mkdirSync(join(folder, name));
  for (const path of [RULES, TABLE]) cpSync(join(packageRoot(), path), join(folder, path));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

function lint(files: Files) {
  const options = { cwd: project(files), encoding: 'utf8' } as const;
  return spawnSync(process.execPath, [CRUISER, ...FOLDERS], options);
}

/** What it says, as it says it: the rule, who imports, and what; of a circle, the first two. */
function violationsIn(text: string): readonly Violation[] {
  return [...text.matchAll(/^ *error ([\w-]+): (\S+) → \s*(\S+)/gm)].map(
    ([, rule = '', from = '', to = '']) => ({
      rule,
      from,
      to,
    }),
  );
}

/** A line of one file that imports another. */
function importing(from: string, to: string, what = 'export *'): string {
  const specifier = posix.relative(posix.dirname(from), to.replace(/(?:\/index)?\.ts$/, ''));
  return `${what} from '${specifier.startsWith('.') ? specifier : `./${specifier}`}';\n`;
}

function importers(imports: readonly (readonly [from: string, to: string])[], what?: string): Files {
  return Object.fromEntries(imports.map(([from, to]) => [from, importing(from, to, what)]));
}

function empty(paths: readonly string[]): Files {
  return Object.fromEntries(paths.map((path) => [path, 'export const a = 1;\n']));
}

/** What is wrong with an import, by which file and of which, and the rule that refuses it. */
const REFUSED: readonly (readonly [what: string, from: string, to: string, rule: string])[] = [
  ['past the index of a room', 'src/commands/a.ts', 'src/store/store.ts', 'only-through-the-index'],
  ['past it from a script', 'scripts/a.ts', 'src/store/store.ts', 'only-through-the-index'],
  ['into a room inside another', 'src/app.ts', 'src/asmx/soap/index.ts', 'only-through-the-index'],
  ['past the index of a room beside', 'src/asmx/soap/a.ts', 'src/asmx/xml/a.ts', 'only-through-the-index'],
  ['past the index of a room inside', 'src/asmx/routes.ts', 'src/asmx/xml/a.ts', 'only-through-the-index'],
  ['upwards', 'src/store/b.ts', 'src/delivery/index.ts', 'only-doors-of-the-table'],
  ['upwards inside a room', 'src/asmx/xml/b.ts', 'src/asmx/soap/index.ts', 'only-doors-of-the-table'],
  ['of the files around a room', 'src/asmx/http/a.ts', 'src/asmx/limits.ts', 'only-doors-of-the-table'],
  ['of a room that the row lacks', 'src/operations/a.ts', 'src/config/index.ts', 'only-doors-of-the-table'],
  ['of what has no row', 'src/config/a.ts', 'src/stray.ts', 'only-doors-of-the-table'],
  ['by what has no row', 'src/attic/a.ts', 'src/errors/index.ts', 'only-rooms-of-the-table'],
  ['of a script by the program', 'src/telemetry/a.ts', 'scripts/b.ts', 'src-stands-alone'],
  ['of a test by the program', 'src/telemetry/b.ts', 'test/a.ts', 'src-stands-alone'],
  ['of a test by a script', 'scripts/c.ts', 'test/b.ts', 'scripts-without-test'],
];

/** Two files that import each other, and how. */
const CIRCLES: readonly (readonly [what: string, one: string, two: string, imported: string])[] = [
  ['of values', 'src/config/c.ts', 'src/config/d.ts', 'export *'],
  ['of types', 'src/config/e.ts', 'src/config/f.ts', 'import type { T }'],
  ['of types that are imported one by one', 'src/config/g.ts', 'src/config/h.ts', 'import { type T }'],
];

describe('the linter refuses', () => {
  let found: readonly Violation[];
  let exitCode: number | null;
  beforeAll(() => {
    const imports = REFUSED.map(([, from, to]) => [from, to] as const);
    const circles = CIRCLES.map(([, one, two, imported]) =>
      importers(
        [
          [one, two],
          [two, one],
        ],
        imported,
      ),
    );
    const files = [empty(imports.map(([, to]) => to)), importers(imports), ...circles];
    const { status, stdout } = lint(Object.fromEntries(files.flatMap((some) => Object.entries(some))));
    found = violationsIn(stdout);
    exitCode = status;
  });

  it.each(REFUSED)('an import %s: %s → %s', (_what, from, to, rule) => {
    expect(found).toContainEqual({ rule, from, to });
  });

  it('with an exit code other than that of success', () => {
    expect(exitCode).toBeGreaterThan(0);
  });

  it.each(CIRCLES)('a circle %s', (_what, from, to) => {
    expect(found).toContainEqual({ rule: 'no-circle', from, to });
  });
});

describe('the linter', () => {
  it('allows what goes through the doors of the table', () => {
    const imports = [
      ['src/main.ts', 'src/runtime/index.ts'],
      ['src/app.ts', 'src/endpoints.ts'],
      ['src/asmx/routes.ts', 'src/asmx/soap/index.ts'],
      ['src/asmx/soap/index.ts', 'src/asmx/soap/soap-fault.ts'],
      ['src/asmx/soap/soap-fault.ts', 'src/asmx/xml/index.ts'],
      ['scripts/a.ts', 'src/store/index.ts'],
      ['test/a.ts', 'src/store/sqlite/a.ts'],
      ['test/b.ts', 'scripts/b.ts'],
    ] as const;
    const { status, stdout } = lint({ ...empty(imports.map(([, to]) => to)), ...importers(imports) });
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringContaining('no dependency violations') as string,
    });
  });

  it('fails where a row names a room that is not below it', () => {
    const table = ['src/store', 'src/delivery'].map((room) => `| \`${room}\` | Business | \`delivery\` |\n`);
    const { status, stderr } = lint({
      [TABLE]: `<!-- doors: begin -->\n${table.join('')}<!-- doors: end -->\n`,
    });
    expect(status).not.toBe(0);
    expect(stderr).toContain('src/delivery may import src/delivery, which is no row below it');
  });
});

describe('the table of rooms', () => {
  const rooms = [...readFileSync(join(packageRoot(), TABLE), 'utf8').matchAll(/^\| `(src\/[^`]+)`/gm)].map(
    ([, path = '']) => path,
  );
  const inside = (path: string) => rooms.filter((room) => posix.dirname(room) === path);
  // A folder that git left behind when its files moved holds nothing, and git does not know of it.
  const entries = (path: string) =>
    readdirSync(join(packageRoot(), path), { withFileTypes: true }).filter(
      (entry) => entry.isFile() || readdirSync(join(packageRoot(), path, entry.name)).length > 0,
    );

  it('has a row for each file and folder of src', () => {
    expect(inside('src').toSorted()).toEqual(
      entries('src')
        .map(({ name }) => `src/${name}`)
        .toSorted(),
    );
  });

  it.each(rooms.filter((room) => inside(room).length > 0))('has a row for each room inside %s', (room) => {
    const folders = entries(room).filter((entry) => entry.isDirectory());
    expect(inside(room).toSorted()).toEqual(folders.map(({ name }) => `${room}/${name}`).toSorted());
  });
});
