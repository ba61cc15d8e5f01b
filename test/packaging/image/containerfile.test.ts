import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../../scripts/harness';
import { stagesOf } from './containerfile';

describe('the stages of a Containerfile', () => {
  it('have instructions with flags and arguments', () => {
    const text = [
      '# comment',
      'ARG BASE=one',
      'FROM ${BASE} AS made',
      'ARG FILE',
      'COPY ${FILE} /x',
      'RUN a "$FILE" && \\',
      '    b',
      '',
      'FROM two',
      'COPY --from=made --chown=1:2 /x /y',
    ];
    expect(stagesOf(text.join('\n'), { FILE: 'f.tgz' })).toEqual([
      {
        base: 'one',
        name: 'made',
        args: { FILE: 'f.tgz' },
        instructions: [
          { name: 'COPY', flags: {}, rest: 'f.tgz /x' },
          { name: 'RUN', flags: {}, rest: 'a "$FILE" && b' },
        ],
      },
      {
        base: 'two',
        name: '',
        args: {},
        instructions: [{ name: 'COPY', flags: { from: 'made', chown: '1:2' }, rest: '/x /y' }],
      },
    ]);
  });

  it('use the given base images', () => {
    const text = readFileSync(join(PACKAGE_ROOT, 'packaging', 'Containerfile'), 'utf8');
    const stages = stagesOf(text, { BUILD: 'here/build', RUNTIME: 'here/runtime', FILE: 'f.tgz' });
    expect(stages.map(({ base, name }) => [base, name])).toEqual([
      ['here/build', 'installed'],
      ['here/runtime', ''],
    ]);
  });

  it('must begin with FROM', () => {
    expect(() => stagesOf('RUN a', {})).toThrow('before the first FROM');
  });
});
