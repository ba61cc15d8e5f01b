import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { COMMANDS } from '../../src/cli/commands';
import { packageRoot } from '../../scripts/harness';
import { anchorsOf, codeIn, relativeLinks } from './markdown';
import { readRepositoryFile, repositoryFiles } from './repository-files';

const DOCUMENTS = repositoryFiles('.md');
const TESTS = repositoryFiles('.test.ts');

// The package's own file.
const { scripts } = JSON.parse(readRepositoryFile('package.json')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

const exists = (path: string): boolean => existsSync(join(packageRoot(), path));

describe.each(DOCUMENTS)('%s', (document) => {
  it('links to files and headings that are there', () => {
    const broken = relativeLinks(document).filter(
      ({ path, anchor }) => !exists(path) || (anchor !== '' && !anchorsOf(path).includes(anchor)),
    );
    expect(broken.map(({ target }) => target)).toEqual([]);
  });

  it('names npm scripts that are there', () => {
    const named = codeIn(document).flatMap((code) => [
      ...code.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g),
    ]);
    expect(named.map(([, name = '']) => name).filter((name) => !(name in scripts))).toEqual([]);
  });

  it('names commands that are there', () => {
    const named = codeIn(document).flatMap((code) => [
      ...code.matchAll(/(?<![\w./-])school-notifications ([a-z][\w-]*)/g),
    ]);
    const commands = ['start', ...Object.keys(COMMANDS)];
    expect(named.map(([, name = '']) => name).filter((name) => !commands.includes(name))).toEqual([]);
  });

  it('names tests that are there', () => {
    const patterns = codeIn(document)
      .flatMap((code) => [...code.matchAll(/\bnpx jest((?: test\/[\w./-]+)+)/g)])
      .flatMap(([, paths = '']) => paths.trim().split(' '));
    expect(patterns.filter((pattern) => !TESTS.some((path) => path.startsWith(pattern)))).toEqual([]);
  });

  it('names files and folders that are there', () => {
    const paths = codeIn(document)
      .filter((code) => /^(?:src|test|scripts|docs|wsdl|\.ci)\/[\w./-]*$/.test(code))
      .map((code) => code.replace(/\/$/, ''));
    expect(paths.filter((path) => !exists(path))).toEqual([]);
  });
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

  it('begin with a README.md of one sitting: at most 150 lines', () => {
    expect(readRepositoryFile('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });

  it('show the simplest call before any other', () => {
    const [first = ''] = readRepositoryFile('README.md').match(/^curl .*/gm) ?? [];
    expect(first).toMatch(/^curl -i "http:\/\/localhost:8080\/\w+\.asmx\/\w+\?\w+=[\w-]+"$/);
  });
});
