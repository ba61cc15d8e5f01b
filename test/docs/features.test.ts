import { FEATURES } from '../../src/features';
import { readRepositoryFile } from '../harness/repository-files';

it.each(Object.keys(FEATURES))('the architecture has a row for the feature %s', (name) => {
  expect(readRepositoryFile('docs/internals/architecture.md')).toMatch(
    new RegExp(`^\\| \`${name}\` \\| \\S`, 'm'),
  );
});
