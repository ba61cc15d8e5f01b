import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { buildArgv } from 'jest';

import { listCommands } from '../../src/cli/program';
import { PACKAGE_ROOT } from '../../scripts/harness';
import { anchorsOf, codeIn, relativeLinks } from './markdown';
import { readRepositoryFile, repositoryFiles } from '../harness/repository-files';

const DOCUMENTS = repositoryFiles('.md');
const TESTS = repositoryFiles('.test.ts');

// The package's own file.
const { scripts } = JSON.parse(readRepositoryFile('package.json')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

const exists = (path: string): boolean => existsSync(join(PACKAGE_ROOT, path));

describe.each(DOCUMENTS)('%s', (document) => {
  it('links to existing files and headings', () => {
    const broken = relativeLinks(document).filter(
      ({ path, anchor }) => !exists(path) || (anchor !== '' && !anchorsOf(path).includes(anchor)),
    );
    expect(broken.map(({ target }) => target)).toEqual([]);
  });

  it('names existing npm scripts', () => {
    const named = codeIn(document).flatMap((code) => [
      ...code.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g),
    ]);
    expect(named.map(([, name = '']) => name).filter((name) => !(name in scripts))).toEqual([]);
  });

  it('names existing commands', async () => {
    const named = codeIn(document).flatMap((code) => [
      ...code.matchAll(/(?<![\w./-])school-notifications ([a-z][\w-]*)/g),
    ]);
    const commands = ['start', ...Object.keys(await listCommands())];
    expect(named.map(([, name = '']) => name).filter((name) => !commands.includes(name))).toEqual([]);
  });

  it('names existing tests', () => {
    const patterns = codeIn(document)
      .flatMap((code) => [...code.matchAll(/\b(?:npx jest|npm test --)((?: test\/[\w./-]+)+)/g)])
      .flatMap(([, paths = '']) => paths.trim().split(' '));
    expect(patterns.filter((pattern) => !TESTS.some((path) => path.startsWith(pattern)))).toEqual([]);
  });

  it('names existing files and folders', () => {
    const paths = codeIn(document)
      .filter((code) => /^(?:src|test|scripts|docs|wsdl|\.ci)\/[\w./-]*$/.test(code))
      .map((code) => code.replace(/\/$/, ''));
    expect(paths.filter((path) => !exists(path))).toEqual([]);
  });
});

// An option before them that takes several values would take them too: the whole ring would run.
it.each(['test', 'test:all', 'test:windows'])('npm run %s takes paths of tests', async (name) => {
  const [, options = ''] = scripts[name]?.split('jest.js') ?? [];
  const { _: patterns } = await buildArgv([...options.trim().split(' ').filter(Boolean), 'test/operations']);
  expect(patterns).toEqual(['test/operations']);
});

it('docs/internals/architecture.md names existing files of src/', () => {
  const paths = codeIn('docs/internals/architecture.md').filter((code) => /^[a-z]+\/[\w/-]+\.ts$/.test(code));
  expect(paths.length).toBeGreaterThan(15);
  expect(paths.filter((path) => !exists(`src/${path}`) && !exists(path))).toEqual([]);
});

describe('the documents', () => {
  it('can all be reached from README.md', () => {
    const reached = new Set(['README.md']);
    // A set's loop also meets what is added while it runs.
    for (const document of reached) {
      for (const { path } of relativeLinks(document)) if (path.endsWith('.md')) reached.add(path);
    }
    expect(DOCUMENTS.filter((document) => !reached.has(document))).toEqual([]);
  });

  it('show the simplest call before any other', () => {
    const [first = ''] = readRepositoryFile('README.md').match(/^curl .*/gm) ?? [];
    expect(first).toMatch(/^curl -i "http:\/\/localhost:8080\/\w+\.asmx\/\w+\?\w+=[\w-]+"$/);
  });
});
