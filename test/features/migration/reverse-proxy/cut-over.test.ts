import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Cutover } from '../../../../src/features/migration/reverse-proxy/cutover';
import { useFolder } from '../../../harness/use-folder';
import { OPERATIONS } from './use-reverse-proxy';

const folder = useFolder();
const path = join(folder, 'cut-over.json');

function open(
  content: unknown,
  operations: typeof OPERATIONS | readonly (typeof OPERATIONS)[number][] = OPERATIONS,
): Cutover {
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return new Cutover(path, operations);
}

describe('the cutover file', () => {
  it('may be missing; then the old server answers everything, and reads are compared', () => {
    const cutOver = new Cutover(undefined, OPERATIONS);
    expect(['GetTokenDevice', 'AuthCode'].map((name) => cutOver.findMode(name, 'get'))).toEqual([
      'shadow',
      'old',
    ]);
    expect(cutOver.counts).toEqual({ old: 8, shadow: 16, new: 0, fallback: 0 });
  });

  it('sets one mode for an operation, or one per binding, and keeps the defaults of the others', () => {
    const cutOver = open({
      GetTokenDevice: 'new',
      GetStudentSchool: { get: 'fallback', soap11: 'old' },
      AuthCode: { post: 'new' },
    });
    const modes = (name: string) =>
      (['soap11', 'soap12', 'get', 'post'] as const).map((each) => cutOver.findMode(name, each));
    expect(modes('GetTokenDevice')).toEqual(['new', 'new', 'new', 'new']);
    expect(modes('GetStudentSchool')).toEqual(['old', 'shadow', 'fallback', 'shadow']);
    expect(modes('AuthCode')).toEqual(['old', 'old', 'old', 'new']);
    expect(modes('SendMarkNotes')).toEqual(['old', 'old', 'old', 'old']);
    expect(modes('Elsewhere')).toEqual(['old', 'old', 'old', 'old']);
  });

  it('is all new only if every operation is, over every binding that offers it', () => {
    const all = Object.fromEntries(OPERATIONS.map(({ name, sends }) => [name, sends ? 'new' : 'fallback']));
    expect(open(all).isAllNew).toBe(true);
    expect(open({ ...all, AuthCode: { soap11: 'new', soap12: 'new', get: 'new' } }).isAllNew).toBe(false);
    expect(open({ ...all, SendMarkNotes: {} }).isAllNew).toBe(false);
    expect(open({ ...all, GetTokenDevice: 'shadow' }).isAllNew).toBe(false);
  });

  it.each([
    ['{', `${path} (CUTOVER_FILE) is not valid JSON`],
    [
      [],
      ', top level: expected a mode (old, shadow, new, fallback) for an operation, or one for each binding.',
    ],
    [{ AuthCode: 1 }, ', AuthCode: '],
    [{ getTokenDevices: 'new' }, 'unknown operation getTokenDevices. Did you mean GetTokenDevice?'],
    [
      { GetTokenDevice: 'News' },
      'unknown mode News for GetTokenDevice. Expected one of: old, shadow, new, fallback.',
    ],
    [
      { GetTokenDevice: { soap: 'new' } },
      'GetTokenDevice is not offered over the binding soap. Did you mean soap11?',
    ],
    [
      { AuthCode: 'shadow' },
      'AuthCode cannot have the mode shadow, because its messages might be sent twice. Expected old or new.',
    ],
    [{ SendMarkNotes: { get: 'fallback' } }, 'SendMarkNotes cannot have the mode fallback'],
  ])('with %j is rejected', (content, message) => {
    expect(() => open(content)).toThrow(message);
  });

  it('may not name a binding that does not offer the operation', () => {
    const closed = OPERATIONS.map((each) => ({ ...each, bindings: ['soap11', 'soap12'] as never }));
    expect(() => open({ GetTokenDevice: { get: 'new' } }, closed)).toThrow(
      'GetTokenDevice is not offered over the binding get',
    );
  });

  it('can be reloaded; an invalid file changes nothing', () => {
    const cutOver = open({ GetTokenDevice: 'new' });
    writeFileSync(path, '{"GetTokenDevice": "neu"}');
    expect(() => {
      cutOver.reload();
    }).toThrow('unknown mode neu for GetTokenDevice. Expected one of: old, shadow, new, fallback.');
    expect(cutOver.findMode('GetTokenDevice', 'get')).toBe('new');
    writeFileSync(path, '{"GetTokenDevice": "old"}');
    cutOver.reload();
    expect(cutOver.findMode('GetTokenDevice', 'get')).toBe('old');
  });
});
