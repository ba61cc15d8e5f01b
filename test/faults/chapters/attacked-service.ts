import { join } from 'node:path';

import { leakIn } from '../../asmx/fuzz/judge-answer';
import { storedMessages } from '../../service/stored-messages';
import { useServices } from '../../service/use-services';
import { type ServiceHere, useServicesHere } from '../../service/use-services-here';
import { seen, token11Is, type WireAnswer } from '../../harness/asmx-answers';
import { type EngineName, useDatabase } from '../../harness/test-databases';
import {
  type LogLine,
  type RawRequest,
  type RawResponse,
  token11,
  withHeaders,
  writeSchool,
} from '../../../scripts/harness';

/** The shipped service under attack. Around each act it checks the rules that hold for all of them. */
export interface AttackedService {
  readonly process: ServiceHere;
  readonly databaseUrl: string;
  readonly folder: string;
  /** Sends one request, and returns the answer. */
  ask(request: RawRequest): Promise<RawResponse>;
  /** Sends requests one after the other; each must be answered exactly so. */
  answers(...cases: readonly Case[]): Promise<void>;
  /** Sends a request, which must be answered with a page that says so, and repeats nothing. */
  showsPage(request: RawRequest, status: number, text: string): Promise<void>;
  /**
   * Lets something be done to the service, and expects that it lives, that it shows nothing and answers others.
   *
   * @param act - resolves to what it received
   * @param requests - how many it made: so many log lines
   */
  survives<T extends Received>(act: () => Promise<T>, requests?: number): Promise<T>;
}

export type Case = readonly [request: RawRequest, answer: WireAnswer];
type Received = readonly (RawResponse | string)[];

interface Options {
  readonly engine?: EngineName;
  /** True if the service is a process of its own. */
  readonly isProgram?: boolean;
  readonly settings?: (folder: string, databaseUrl: string) => Readonly<Record<string, string>>;
  /**
   * Devices beside those of the sample school, and their tokens, which tell the id that has arrived; the log shows six
   * characters.
   */
  readonly devices?: Readonly<Record<string, string>>;
}

/** Is part of every value that an attack sends, and of what the store holds beside the sample school. */
export const MARK = 'MARK';
/** Parts of personal data: phone numbers, tokens and names. */
const PERSONAL = [MARK, '555765', 'sample-token', 'Yılmaz', 'Ayşe', 'Matematik', 'velimiz'];

/** Holds what another caller gets: a token that no attack asks for. */
const OTHERS_TOKEN = 'sample-token-02';
const OTHERS_AGENT = 'dotnet';
const OTHER = withHeaders(token11('DEV-2'), ['User-Agent', 'MS Web Services Client Protocol']);

const isRequest = (line: LogLine): boolean => line['msg'] === 'request' || line['msg'] === 'request failed';

/** Starts one service for the tests of the surrounding block; what all of them left behind is judged at the end. */
export function useAttackedService({
  engine = 'sqlite',
  isProgram = false,
  settings = () => ({}),
  devices = {},
}: Options = {}): AttackedService {
  let service: ServiceHere | undefined;
  const acts: { readonly test: string | undefined; readonly lines: number }[] = [];

  // Before those that take away what is judged here.
  afterAll(async () => {
    if (service === undefined) return;
    const metrics = (await service.askAdmin({ path: '/metrics' })).text;
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    const lines = await service.lines((all) => all, 'without its log');
    expect(linesByAct(lines, acts.length)).toEqual(acts);
    const shown = [service.output, service.errors, metrics].join('\n').split('\n');
    expect(shown.filter((line) => PERSONAL.some((text) => line.includes(text)))).toEqual([]);
    expect(await lost(lines)).toEqual([]);
  });
  const database = useDatabase(engine, { per: 'block', holds: 'sample school' });
  const services = isProgram ? useServices() : useServicesHere();
  beforeAll(async () => {
    await loadDevices();
    service = await services.start({
      settings: {
        DATABASE_URL: database.url,
        LOG_LEVEL: 'trace',
        ...settings(database.folder, database.url),
      },
    });
  });

  const running = (): ServiceHere => {
    if (service === undefined) throw new Error('The service runs only inside the tests of its block');
    return service;
  };

  async function loadDevices(): Promise<void> {
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    const rows = Object.entries(devices).map(
      ([id, token], at) =>
        `${quoted(id)},http://school.example,S4,${quoted(token)},android,2020-01-0${String(1 + (at % 9))}T00:00:00Z`,
    );
    if (rows.length === 0) return;
    const store = await database.open();
    const csv = writeSchool(join(database.folder, 'devices'), {
      devices: rows,
    });
    const { problems } = await store.importFolder(csv);
    expect(problems).toEqual([]);
  }

  /** Messages that were acknowledged and are not in the store. */
  async function lost(lines: readonly LogLine[]): Promise<readonly unknown[]> {
    const acknowledged = lines
      .filter((line) => isRequest(line) && line['outcome'] === 'ok' && line['messageId'] !== undefined)
      .map((line) => line['messageId']);
    const stored = new Set<unknown>((await storedMessages(database.url)).map(({ id }) => id));
    return acknowledged.filter((id) => !stored.has(id));
  }

  const survives: AttackedService['survives'] = async (act, requests = 1) => {
    const received = await act();
    for (const answer of received) {
      const text = typeof answer === 'string' ? answer : `${answer.head}\r\n\r\n${answer.text}`;
      expect(leakIn(text)).toBeUndefined();
      expect(text).not.toContain(database.folder);
      expect(text).not.toContain(OTHERS_TOKEN);
    }
    expect(seen(await running().ask(OTHER))).toEqual(token11Is(OTHERS_TOKEN));
    acts.push({ test: expect.getState().currentTestName, lines: requests });
    return received;
  };

  const ask = async (request: RawRequest): Promise<RawResponse> => {
    const [response] = await survives(async () => [await running().ask(request)]);
    return response;
  };

  return {
    get process() {
      return running();
    },
    get databaseUrl() {
      return database.url;
    },
    get folder() {
      return database.folder;
    },
    ask,
    survives,
    showsPage: async (request, status, text) => {
      const page = await ask(request);
      expect(page.status).toBe(status);
      expect(page.header('Content-Type')).toBe('text/html; charset=utf-8');
      expect(page.header('Cache-Control')).toBe('private');
      expect(page.header('Content-Security-Policy')).toMatch(/^default-src 'none'; /);
      expect(page.header('X-Content-Type-Options')).toBe('nosniff');
      expect(page.text).toContain(text);
      expect(page.text).not.toContain(MARK);
    },
    answers: async (...cases) => {
      await survives(async () => {
        const received: RawResponse[] = [];
        for (const [request, answer] of cases) {
          const response = await running().ask(request);
          expect(seen(response)).toEqual(answer);
          received.push(response);
        }
        return received;
      }, cases.length);
    },
  };

  /** How many lines each act left: those before the line of the other caller, who came after it. */
  function linesByAct(lines: readonly LogLine[], count: number): typeof acts {
    const found = Array.from({ length: count }, (_, at) => ({ test: acts[at]?.test, lines: 0 }));
    let at = 0;
    for (const line of lines.filter(isRequest)) {
      const act = found[at];
      if (line['agent'] === OTHERS_AGENT) at += 1;
      else if (act !== undefined) act.lines += 1;
      else found.push({ test: 'after all', lines: 1 });
    }
    return found;
  }
}
