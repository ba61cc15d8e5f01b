import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

import { PACKAGE_ROOT } from '../../scripts/harness';
import { useFolder } from '../harness/use-folder';

const CRUISER = join(PACKAGE_ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
const RULES = '.dependency-cruiser.mjs';
const ROOMS = 'scripts/rooms.json';
const FOLDERS = ['src', 'scripts', 'test'];

type Files = Readonly<Record<string, string>>;

interface Violation {
  readonly rule: string;
  readonly from: string;
  readonly to: string;
}

const projects = useFolder();

/** Makes a project with the rules and the list of rooms of this one. */
function project(files: Files): string {
  const folder = mkdtempSync(join(projects, 'project-'));
  for (const name of FOLDERS) mkdirSync(join(folder, name));
  for (const path of [RULES, ROOMS]) cpSync(join(PACKAGE_ROOT, path), join(folder, path));
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

/** Returns what it says, as it says it: the rule, who imports, and what; of a circle, the first two. */
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

/** Lists refused imports: what is wrong, the importing file, the imported one, and the rule. */
const REFUSED: readonly (readonly [what: string, from: string, to: string, rule: string])[] = [
  ['past the index of a room', 'src/cli/a.ts', 'src/store/store.ts', 'only-through-the-index'],
  ['past it from a script', 'scripts/a.ts', 'src/store/store.ts', 'only-through-the-index'],
  ['past the entry files of a room', 'src/cli/b.ts', 'src/service/app.ts', 'only-through-the-index'],
  ['into a folder of a room', 'src/service/a.ts', 'src/asmx/soap/soap-fault.ts', 'only-through-the-index'],
  ['upwards', 'src/store/b.ts', 'src/delivery/index.ts', 'only-rooms-below'],
  ['of a room not listed for it', 'src/operations/a.ts', 'src/config/index.ts', 'only-rooms-below'],
  ['of another room by the protocol', 'src/asmx/http/a.ts', 'src/config/index.ts', 'only-rooms-below'],
  ['of something that is not a room', 'src/config/a.ts', 'src/stray.ts', 'only-rooms-below'],
  ['by something that is not a room', 'src/attic/a.ts', 'src/config/index.ts', 'only-rooms-of-the-list'],
  [
    'of the features by a room that does not ask them',
    'src/operations/b.ts',
    'src/features/feature.ts',
    'only-rooms-below',
  ],
  ['of a feature by the core', 'src/store/c.ts', 'src/features/one/index.ts', 'only-rooms-below'],
  [
    'of a feature that another does not need',
    'src/features/one/a.ts',
    'src/features/two/b.ts',
    'only-features-it-needs',
  ],
  ['of a script by the program', 'src/telemetry/a.ts', 'scripts/b.ts', 'src-stands-alone'],
  ['of a test by the program', 'src/telemetry/b.ts', 'test/a.ts', 'src-stands-alone'],
  ['of a test by a script', 'scripts/c.ts', 'test/b.ts', 'scripts-without-test'],
];

/** Two files that import each other, and how. */
const CIRCLES: readonly (readonly [what: string, one: string, two: string, imported: string])[] = [
  ['of values', 'src/config/c.ts', 'src/config/d.ts', 'export *'],
  ['of types', 'src/config/e.ts', 'src/config/f.ts', 'import type { T }'],
  ['of types imported one by one', 'src/config/g.ts', 'src/config/h.ts', 'import { type T }'],
];

/** A feature whose values the core imports, and which imports the core's. */
const LOADED_CIRCLE = [
  ['src/config/i.ts', 'src/features/feature.ts'],
  ['src/features/feature.ts', 'src/features/one/index.ts'],
  ['src/features/one/index.ts', 'src/config/i.ts'],
] as const;

describe('the linter rejects', () => {
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
    const files = [
      empty([...imports.map(([, to]) => to), 'src/features/two/index.ts']),
      importers(imports),
      importers(LOADED_CIRCLE),
      ...circles,
    ];
    const { status, stdout } = lint(Object.fromEntries(files.flatMap((some) => Object.entries(some))));
    found = violationsIn(stdout);
    exitCode = status;
  });

  it.each(REFUSED)('an import %s: %s → %s', (_what, from, to, rule) => {
    expect(found).toContainEqual({ rule, from, to });
  });

  it('with a failing exit code', () => {
    expect(exitCode).toBeGreaterThan(0);
  });

  it.each(CIRCLES)('a circle %s', (_what, from, to) => {
    expect(found).toContainEqual({ rule: 'no-circle', from, to });
  });

  it('a circle through a feature, as it loads', () => {
    const [[from, to]] = LOADED_CIRCLE;
    expect(found).toContainEqual({ rule: 'no-circle-as-it-loads', from, to });
  });
});

describe('the linter', () => {
  it('allows imports through the entry files of the rooms below', () => {
    const imports = [
      ['src/main.ts', 'src/cli/index.ts'],
      ['src/cli/a.ts', 'src/service/endpoints.ts'],
      ['src/service/app.ts', 'src/asmx/index.ts'],
      ['src/service/b.ts', 'src/admin/console/console.ts'],
      ['src/asmx/soap/soap-fault.ts', 'src/asmx/xml/xml-reader.ts'],
      ['scripts/a.ts', 'src/store/index.ts'],
      ['test/a.ts', 'src/store/sqlite/a.ts'],
      ['test/b.ts', 'scripts/b.ts'],
      ['src/config/a.ts', 'src/features/feature.ts'],
      ['src/features/one/a.ts', 'src/features/two/a.ts'],
      ['src/features/one/b.ts', 'src/store/statements.ts'],
    ] as const;
    const { status, stdout } = lint({
      ...empty([...imports.map(([, to]) => to), 'src/features/two/index.ts']),
      ...importers(imports),
      'src/features/one/index.ts': "export const needs = ['two'];\n",
    });
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringContaining('no dependency violations') as string,
    });
  });

  it('fails if a room may import one that is not below it', () => {
    const { status, stderr } = lint({
      [ROOMS]: JSON.stringify({ store: { imports: [] }, delivery: { imports: ['delivery'] } }),
    });
    expect(status).not.toBe(0);
    expect(stderr).toContain('delivery may import delivery, which is no room below it');
  });
});

describe('the list of rooms', () => {
  it('contains each file and folder of src', () => {
    const rooms = JSON.parse(readFileSync(join(PACKAGE_ROOT, ROOMS), 'utf8')) as object;
    // A folder that git left behind when its files moved holds nothing, and git does not know of it.
    const entries = readdirSync(join(PACKAGE_ROOT, 'src'), { withFileTypes: true }).filter(
      (entry) => entry.isFile() || readdirSync(join(PACKAGE_ROOT, 'src', entry.name)).length > 0,
    );
    expect(Object.keys(rooms).toSorted()).toEqual(entries.map(({ name }) => name).toSorted());
  });
});
