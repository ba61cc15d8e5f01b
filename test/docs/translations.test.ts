import { readRepositoryFile, repositoryFiles } from '../harness/repository-files';

const TRANSLATED = repositoryFiles('.md').filter((path) => path.startsWith('docs/tr/'));

/** Returns what a translation has in common with its original, part by part. */
function skeletonOf(path: string) {
  const text = readRepositoryFile(path).replaceAll(/<!--.*?-->/gs, '');
  const blocks = [...text.matchAll(/^```.*?^```$/gms)].map(([block]) => block);
  const prose = text.replaceAll(/^```.*?^```$/gms, '');
  const lines = prose.split('\n');
  const found = (pattern: RegExp) => [...prose.matchAll(pattern)].map(([, value = '']) => value);
  return {
    blocks,
    headings: found(/^(#+) /gm),
    rows: lines.filter((line) => line.startsWith('|')).length,
    items: lines.filter((line) => /^(?:-|\d+\.) /.test(line)).length,
    code: [...new Set(found(/`([^`\n]+)`/g))].sort(),
  };
}

it('finds the translated documents', () => {
  expect(TRANSLATED).toHaveLength(3);
});

it.each(TRANSLATED)('%s says what its original says', (path) => {
  expect(skeletonOf(path)).toEqual(skeletonOf(path.replace('docs/tr/', 'docs/')));
});
