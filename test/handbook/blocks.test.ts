import { shellBlocks } from './blocks';

const FENCE = '```';

describe('the commands of a page', () => {
  it('are those of its shell blocks, with their positions', () => {
    const page = [
      '# Page',
      `${FENCE}sh`,
      'one',
      'two',
      FENCE,
      `${FENCE}json`,
      '{}',
      FENCE,
      `${FENCE}sh`,
      'three',
      FENCE,
    ];
    expect(shellBlocks('docs/page.md', page.join('\n'))).toEqual([
      { place: 'docs/page.md:3', script: 'one\ntwo' },
      { place: 'docs/page.md:10', script: 'three' },
    ]);
  });

  it('lose only the indentation of the list around them', () => {
    const page = ['1. First', '', `   ${FENCE}sh`, '   cat <<END', '     text', '   END', `   ${FENCE}`];
    expect(shellBlocks('p', page.join('\n'))).toEqual([{ place: 'p:4', script: 'cat <<END\n  text\nEND' }]);
  });
});
