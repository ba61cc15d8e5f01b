import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { markRequest } from '../../scripts/harness/delivery';
import {
  call,
  envelope11,
  type LogLine,
  type RawRequest,
  type ServiceProcess,
  soap11,
} from '../../scripts/harness';
import { createPostgresDatabase, dropPostgresDatabase } from '../harness/postgres-databases';
import { ENGINES } from '../harness/test-databases';
import { useServices } from './use-services';
import { databaseIn, storedMessages } from './stored-messages';
import type { Message } from '../harness/list-messages';

/** Enough for each of two processes to break every rule by itself. */
const CALLS = 16;
const TEN_MINUTES_LIMIT = 5;

const code = (code: string, phone: string): RawRequest =>
  soap11('AuthCodeSending', 'AuthCode', envelope11(call('AuthCode', { code, phone })));
const note = markRequest(1);

describe.each(ENGINES)('on %s, two processes that answer calls', (engine) => {
  const services = useServices();
  let url: string;
  let service: ServiceProcess;
  beforeAll(async () => {
    url = engine === 'postgres' ? await createPostgresDatabase() : databaseIn(join(services.folder, 'data'));
    service = await services.start({ settings: { PROCESSES: '2', DATABASE_URL: url } });
  });
  afterAll(() => (engine === 'postgres' ? dropPostgresDatabase(url) : undefined));

  /** Sends all at once, each over a connection of its own; fails unless both processes answered some. */
  async function askBoth(requests: readonly RawRequest[], operation: string) {
    const before = await answeredBy(operation, 0);
    const answers = await Promise.all(requests.map((request) => service.ask(request)));
    const pids = (await answeredBy(operation, before.length + requests.length)).slice(before.length);
    expect(new Set(pids).size).toBe(2);
    return answers;
  }

  /** Returns the processes that answered calls of an operation, once there were this many. */
  function answeredBy(operation: string, atLeast: number): Promise<readonly unknown[]> {
    return service.lines(
      (lines) => {
        const pids = lines.filter((line) => line['operation'] === operation).map(({ pid }) => pid);
        return pids.length < atLeast ? undefined : pids;
      },
      `before ${String(atLeast)} calls of ${operation} were logged`,
    );
  }

  async function stored(wanted: Partial<Message>): Promise<readonly Message[]> {
    const fields = Object.entries(wanted) as [keyof Message, unknown][]; // Its own keys.
    return (await storedMessages(url)).filter((message) =>
      fields.every(([name, value]) => message[name] === value),
    );
  }

  /** Waits until each has a final state, and returns the states. */
  function endStates(messages: readonly Message[]): Promise<readonly unknown[]> {
    const isEnd = (line: LogLine, { id }: Message): boolean =>
      line['msg'] === 'message' && line['messageId'] === id && line['state'] !== 'queued';
    return service.lines((lines) => {
      const states = messages.map((message) => lines.find((line) => isEnd(line, message))?.['state']);
      return states.includes(undefined) ? undefined : states;
    }, 'before the messages came to their end');
  }

  /** Returns what was sent, from the file that replaces the provider. */
  function outbox(channel: 'sms' | 'push'): readonly LogLine[] {
    const file = join(services.folder, 'data', 'outbox', `${channel}.jsonl`);
    return readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as LogLine);
  }

  it('send a code once if it is requested on many connections, and give all the same answer', async () => {
    const phone = '+905551110001';
    const answers = await askBoth(
      Array.from({ length: CALLS }, () => code('4711', phone)),
      'AuthCode',
    );
    expect(new Set(answers.map(({ status, text }) => `${String(status)} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(answers[0]?.text).toContain('<AuthCodeResponse xmlns="http://tempuri.org/" />');

    expect(await endStates(await stored({ recipient: phone }))).toEqual(['written']);
    expect(outbox('sms').filter((sms) => sms['phone'] === phone)).toHaveLength(1);
  });

  it('together accept no more codes for a phone than one process would', async () => {
    const phone = '+905551110002';
    const requests = Array.from({ length: CALLS }, (_, at) => code(String(1000 + at), phone));
    const answers = await askBoth(requests, 'AuthCode');
    const refused = answers.filter(({ text }) => text.includes('Too many codes for this phone.'));
    expect(refused).toHaveLength(CALLS - TEN_MINUTES_LIMIT);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(TEN_MINUTES_LIMIT);

    await endStates(await stored({ recipient: phone }));
    expect(outbox('sms').filter((sms) => sms['phone'] === phone)).toHaveLength(TEN_MINUTES_LIMIT);
  });

  it('send a note once to each device if it is requested in both', async () => {
    const answers = await askBoth(
      Array.from({ length: CALLS }, () => note),
      'SendMarkNotes',
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));

    const requests = await endStates(await stored({ channel: 'mark' }));
    expect(requests.toSorted()).toEqual(['open', ...Array.from({ length: CALLS - 1 }, () => 'suppressed')]);
    const pushes = await stored({ channel: 'push' });
    await endStates(pushes);
    const sent = outbox('push').map(({ token }) => token);
    expect(sent.length).toBeGreaterThan(1);
    expect(new Set(sent).size).toBe(sent.length);
    expect(pushes).toHaveLength(sent.length);
  });
});
