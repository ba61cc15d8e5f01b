import { PLAIN_TYPES } from '../../src/asmx/internal';
import { readRepositoryFile } from '../harness/repository-files';

const TABLE = /<!-- types: start -->([^]*)<!-- types: end -->/.exec(
  readRepositoryFile('docs/internals/types.md'),
)?.[1];

it('the ASMX types in the document match the table in the code', () => {
  const rows = [...(TABLE ?? '').matchAll(/^\| `(\w+)` +\| `(\w+)` +\| (?:`([^`]*)`|(null)) +\|/gm)];
  const written = rows.map(([, name, typeScript, absent]) => [name, typeScript, absent ?? 'null']);
  expect(written).toEqual(
    Object.entries(PLAIN_TYPES).map(([name, { typeScript, absent }]) => [
      name,
      typeScript,
      // A DateTime, the only object among them, has a text.
      absent === '\0' ? '\\0' : String(absent as number),
    ]),
  );
});
