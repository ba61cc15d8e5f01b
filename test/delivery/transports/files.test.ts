import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { pushFileChannel } from '../../../src/delivery/transports/push-file';
import { smsFileChannel } from '../../../src/delivery/transports/sms-file';
import { AWKWARD_PUSH, AWKWARD_SMS, describeChannel, PUSH, SMS } from './transport-kit';

const signal = new AbortController().signal;
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'channel-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});
const path = (): string => join(folder, 'outbox', 'messages.jsonl');
const lines = (): unknown[] =>
  readFileSync(path(), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

describe('the file of SMS', () => {
  describeChannel(() => smsFileChannel(path()), [SMS, AWKWARD_SMS]);

  it('has a line of JSON for each', async () => {
    await smsFileChannel(path()).send(AWKWARD_SMS, signal);
    await smsFileChannel(path()).send(SMS, signal);
    expect(lines()).toMatchObject([AWKWARD_SMS, SMS]);
  });

  it('begins a line of its own after one that was cut off', async () => {
    await smsFileChannel(path()).send(SMS, signal);
    appendFileSync(path(), '{"id":"cu');
    await smsFileChannel(path()).send(AWKWARD_SMS, signal);
    expect(readFileSync(path(), 'utf8').split('\n')).toHaveLength(4);
  });

  it('counts as failing where it cannot be written', async () => {
    mkdirSync(path(), { recursive: true });
    expect(await smsFileChannel(path()).send(SMS, signal)).toEqual({
      kind: 'failing',
      reason: 'The file cannot be written (EISDIR).',
    });
  });
});

describe('the file of push messages', () => {
  describeChannel(() => pushFileChannel(path()), [PUSH, AWKWARD_PUSH]);

  it('has a line of JSON for each', async () => {
    await pushFileChannel(path()).send(PUSH, signal);
    expect(lines()).toMatchObject([PUSH]);
  });
});
