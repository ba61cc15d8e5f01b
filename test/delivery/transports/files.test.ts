import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { pushFileTransport, smsFileTransport } from '../../../src/delivery/transports/transports';
import { AWKWARD_PUSH, AWKWARD_SMS, describeTransport, PUSH, SMS } from './transport-kit';
import { useFolderPerTest } from '../../harness/use-folder';
import { makeNamedPipe } from '../../harness/named-pipe';

const signal = new AbortController().signal;
const folder = useFolderPerTest();
const path = (): string => join(folder(), 'outbox', 'messages.jsonl');
const lines = (): unknown[] =>
  readFileSync(path(), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

describe('the SMS file', () => {
  describeTransport(() => smsFileTransport(path()), [SMS, AWKWARD_SMS], 'written');

  it('has a JSON line for each message', async () => {
    await smsFileTransport(path()).send(AWKWARD_SMS, signal);
    await smsFileTransport(path()).send(SMS, signal);
    expect(lines()).toMatchObject([AWKWARD_SMS, SMS].map(({ id, phone, text }) => ({ id, phone, text })));
  });

  it('starts a new line after one that was cut off', async () => {
    await smsFileTransport(path()).send(SMS, signal);
    appendFileSync(path(), '{"id":"cu');
    await smsFileTransport(path()).send(AWKWARD_SMS, signal);
    expect(readFileSync(path(), 'utf8').split('\n')).toHaveLength(4);
  });

  it('reports a failure if it cannot be written', async () => {
    mkdirSync(path(), { recursive: true });
    expect(await smsFileTransport(path()).send(SMS, signal)).toEqual({
      kind: 'failing',
      reason: { code: 'file_not_written', error: 'EISDIR' },
    });
  });
});

it.each([
  ['a link', (file: string): void => symlinkSync('foreign', file), 'is a link'],
  ['a pipe', (file: string): void => makeNamedPipe(file), 'is not a regular file'],
])('writes to no file through %s, and does not wait', async (_what, make, error) => {
  mkdirSync(join(folder(), 'outbox'));
  make(path());
  expect(await smsFileTransport(path()).send(SMS, signal)).toEqual({
    kind: 'failing',
    reason: { code: 'file_not_written', error },
  });
  expect(existsSync(join(folder(), 'outbox', 'foreign'))).toBe(false);
});

describe('the file of push messages', () => {
  describeTransport(() => pushFileTransport(path()), [PUSH, AWKWARD_PUSH], 'written');

  it('has a JSON line for each message', async () => {
    await pushFileTransport(path()).send(PUSH, signal);
    const { id, token, platform, title, body, data } = PUSH;
    expect(lines()).toMatchObject([{ id, token, platform, title, body, data }]);
  });
});
