import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { markRequest } from '../../scripts/harness/delivery';
import {
  get,
  type LogLine,
  type RawRequest,
  type RawResponse,
  type ServiceProcess,
} from '../../scripts/harness';
import { killFirst } from '../endurance/two-nodes/two-nodes';
import { createPostgresDatabase, dropPostgresDatabase } from '../harness/postgres-databases';
import { describeOnPostgres } from '../harness/test-databases';
import { storedMessages } from './stored-messages';
import { useServices } from './use-services';

const NAMES = ['one', 'other'] as const;
/** Enough for each of two services to break every rule by itself. */
const CALLS = 16;
const TEN_MINUTES_LIMIT = 5;
const MAX_BATCHES = 10;

const code = (text: string, phone: string): RawRequest =>
  get('AuthCodeSending', 'AuthCode', new URLSearchParams({ code: text, phone }).toString());
const note = markRequest(1);

/** Each of them takes messages on, resolves requests and sends: nothing is one process's alone. */
describeOnPostgres('63 Two services on one PostgreSQL', () => {
  const services = useServices();
  let url: string;
  let both: readonly ServiceProcess[];
  beforeAll(async () => {
    url = await createPostgresDatabase();
    both = await Promise.all(
      NAMES.map((name) =>
        services.start({ settings: { DATABASE_URL: url, DATA_DIR: join(services.folder, name) } }),
      ),
    );
  });
  afterAll(async () => {
    for (const service of both) await service.stop();
    await dropPostgresDatabase(url);
  });

  /** All at once, half of them to each. */
  function askBoth(requests: readonly RawRequest[]): Promise<readonly RawResponse[]> {
    const ask = async (request: RawRequest, at: number): Promise<RawResponse> => {
      const service = both[at % both.length];
      if (service === undefined) throw new Error('There is no such service');
      return service.ask(request);
    };
    return Promise.all(requests.map(ask));
  }

  /** Returns what was sent, from the files that replace the provider. */
  function outboxes(channel: 'sms' | 'push'): readonly (readonly LogLine[])[] {
    return NAMES.map((name) => join(services.folder, name, 'outbox', `${channel}.jsonl`)).map((file) =>
      existsSync(file)
        ? readFileSync(file, 'utf8')
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line) as LogLine)
        : [],
    );
  }

  /** Returns all log lines so far about finished messages of a channel. */
  function settled(service: ServiceProcess, channel: string): Promise<readonly LogLine[]> {
    return service.lines(
      (lines) => lines.filter((line) => line['msg'] === 'message' && line['channel'] === channel),
      '',
    );
  }

  /** Resolves when both together have settled this number of messages. */
  async function settledTogether(channel: string, count: number): Promise<readonly number[]> {
    for (;;) {
      const counts = (await Promise.all(both.map((service) => settled(service, channel)))).map(
        ({ length }) => length,
      );
      if (counts.reduce((sum, each) => sum + each, 0) >= count) return counts;
      await Promise.race(
        both.map((service, at) =>
          service.lines(
            (lines) =>
              lines.filter((line) => line['msg'] === 'message' && line['channel'] === channel).length >
              (counts[at] ?? 0)
                ? true
                : undefined,
            'before all messages were settled',
          ),
        ),
      );
    }
  }

  it('together accept no more codes for a phone than one would', async () => {
    const phone = '+905551110003';
    const answers = await askBoth(Array.from({ length: CALLS }, (_, at) => code(String(1000 + at), phone)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(TEN_MINUTES_LIMIT);
    const refused = answers.filter(({ text }) => text.includes('Too many codes for this phone.'));
    expect(refused).toHaveLength(CALLS - TEN_MINUTES_LIMIT);
    await settledTogether('sms', TEN_MINUTES_LIMIT);
    expect(outboxes('sms').flat()).toHaveLength(TEN_MINUTES_LIMIT);
  });

  it('send a code once if it is requested in both', async () => {
    const phone = '+905551110004';
    const answers = await askBoth(Array.from({ length: CALLS }, () => code('4711', phone)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    await settledTogether('sms', TEN_MINUTES_LIMIT + 1);
    const sent = outboxes('sms').flat();
    expect(sent.filter((sms) => sms['phone'] === phone)).toHaveLength(1);
    expect(sent).toHaveLength(TEN_MINUTES_LIMIT + 1);
  });

  it('send a note once to each device while both resolve requests', async () => {
    let asked = 0;
    let counts: readonly number[] = [];
    for (let batch = 0; batch < MAX_BATCHES && !(counts.length > 0 && counts.every(Boolean)); batch += 1) {
      await askBoth(Array.from({ length: CALLS }, () => note));
      asked += CALLS;
      counts = await settledTogether('mark', asked);
    }
    expect(counts.every((count) => count > 0)).toBe(true);

    const messages = await storedMessages(url);
    const requests = messages.filter(({ channel }) => channel === 'mark').map(({ state }) => state);
    const marks = requests.map((state) => (state === 'open' ? 'written' : state)); // It ends a moment later.
    expect(marks.toSorted()).toEqual([...Array.from({ length: asked - 1 }, () => 'suppressed'), 'written']);
    const pushes = messages.filter(({ channel }) => channel === 'push');
    await settledTogether('push', pushes.length);
    const tokens = outboxes('push')
      .flat()
      .map(({ token }) => token);
    expect(tokens.length).toBeGreaterThan(1);
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(tokens).toHaveLength(pushes.length);
  });

  it('appear in each other’s console while they run', async () => {
    const [one, other] = both;
    if (one === undefined || other === undefined) throw new Error('There are two');
    const shown = async (service: ServiceProcess): Promise<string> =>
      (await service.askAdmin({ path: '/' })).text;
    // They have answered and delivered: each said long ago that it is there.
    expect(await shown(one)).toMatch(nodeRow(other));
    expect(await shown(other)).toMatch(nodeRow(one));
  });

  it("read each other's writes, and lose nothing acknowledged when one is killed", async () => {
    const report = await killFirst(both, url, 200);
    expect(report).toMatchObject({
      tokens: ['sample-token-01', 'sample-token-01'],
      messagesForOneCode: 1,
      lost: 0,
    });
    expect(report.acknowledged).toBeGreaterThanOrEqual(200);
  });
});

/** A port chosen by the system is not informative: the process id replaces it. */
function nodeRow({ pid }: ServiceProcess): RegExp {
  return new RegExp(`<th scope="row"[^>]*>[^<]+:${String(pid)}</th>`);
}
