import { readRepositoryFile, repositoryFiles } from './repository-files';

const CONTRACT = readRepositoryFile('docs/internals/wire-contract.md');

function headings(pattern: RegExp): ReadonlySet<string> {
  return new Set([...CONTRACT.matchAll(pattern)].map(([, number = '']) => number));
}

const SECTIONS = headings(/^##+ (\d+(?:\.\d+)?)\.? /gm);
const STEPS = headings(/^### Step (\d+): /gm);

const NUMBERS = String.raw`\d+(?:\.\d+)*(?:(?:, | and | to )\d+(?:\.\d+)*)*`;
const CITATION = new RegExp(
  String.raw`\bsections? (?<sections>${NUMBERS})(?:, steps? (?<steps>${NUMBERS}))?`,
  'g',
);
/** Standards are cited by section as well; nobody here can look those up. */
const STANDARD = /(?:RFC \d+|XML 1\.0), $/;
/** How far before a section its source may stand, in characters. */
const REACH = 80;

interface Citation {
  readonly path: string;
  /** The citation and what stands before it. */
  readonly text: string;
  readonly sections: readonly string[];
  readonly steps: readonly string[];
}

function citationsIn(path: string): readonly Citation[] {
  // A comment of several lines becomes one.
  const text = readRepositoryFile(path).replace(/\s*\n\s*(?:\*|\/\/)?\s+/g, ' ');
  return [...text.matchAll(CITATION)]
    .map((match) => ({
      path,
      before: text.slice(Math.max(0, match.index - REACH), match.index),
      text: text.slice(Math.max(0, match.index - REACH), match.index + match[0].length),
      sections: numbersIn(match.groups?.['sections']),
      steps: numbersIn(match.groups?.['steps']),
    }))
    .filter(({ before }) => !STANDARD.test(before));
}

function numbersIn(text = ''): readonly string[] {
  return text.match(/\d+(?:\.\d+)*/g) ?? [];
}

const CITATIONS = repositoryFiles('.ts', '.cjs', '.mjs').flatMap(citationsIn);

describe('a cited section of the wire contract', () => {
  it.each(['src/', 'test/'])('is found in %s', (folder) => {
    expect(CITATIONS.some(({ path }) => path.startsWith(folder))).toBe(true);
  });

  it.each(CITATIONS)(
    'exists in docs/internals/wire-contract.md: $path: $text',
    ({ text, sections, steps }) => {
      expect(text).toMatch(/wire contract/i);
      expect(sections.filter((section) => !SECTIONS.has(section))).toEqual([]);
      expect(steps.filter((step) => !STEPS.has(step))).toEqual([]);
    },
  );
});

describe('a protocol test', () => {
  const tests = repositoryFiles('.test.ts').filter((path) => path.startsWith('test/asmx/'));

  it.each(tests)('begins with its section of the wire contract: %s', (path) => {
    expect(readRepositoryFile(path)).toMatch(/^\/\/ .*\bwire contract\b/);
  });
});
