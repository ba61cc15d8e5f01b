import { matchesGlob } from 'node:path';

import { ROOMS } from '../../scripts/mutate/rooms';
import { repositoryFiles } from '../harness/repository-files';

it('each pattern of the rooms that are mutated matches a file', () => {
  const files = repositoryFiles('.ts');
  const patterns = Object.values(ROOMS).flatMap(({ mutate, tests }) => [...mutate, ...tests]);
  const isDead = (pattern: string) => {
    // matchesGlob takes a tenth of a millisecond.
    const [folder = ''] = pattern.split(/[*!{@]/);
    return !files.some((path) => path.startsWith(folder) && matchesGlob(path, pattern));
  };
  expect(patterns.filter((pattern) => !pattern.startsWith('!')).filter(isDead)).toEqual([]);
});
