import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { sql } from 'kysely';

import { BINDING_TITLES } from '../../scripts/harness';
import { hashPassword } from '../../src/access';
import { removeMark } from '../../src/store/keeping/marks';
import { openEngine } from '../../src/store/open-engine';
import { databaseIn } from '../service/stored-messages';
import { OPERATIONS } from '../harness/contract-operations';
import { type Arguments, BrokenCall, type Caller, type Client, placeOf } from './client';
import type { Fault, Outcome } from './outcome';
import { type Report, table } from './report';
import { type StartedService, withService, type Workplace } from './school';
import { within } from './within';

/** Column of the table that these checks stand in. */
export const FAULTS = 'faults';

const CALL_TIMEOUT_MS = 30_000;
/** A limit of one call is over at the second, or at the third where a minute ends between them. */
const CALLS = 3;

type Settings = Readonly<Record<string, string>>;

/** A way to make the service refuse GetTokenDevice. */
interface Kind {
  readonly title: string;
  readonly args: Arguments;
  /** Settings of the service. */
  readonly settings: (folder: string) => Settings | Promise<Settings>;
  /** Harms the service once it runs. */
  readonly harm?: (service: StartedService) => Promise<void>;
  /** True if the form protocols know it. */
  readonly isOfForms: boolean;
}

const KINDS: readonly Kind[] = [
  { title: 'An argument that is refused', args: [''], settings: () => ({}), isOfForms: true },
  {
    title: 'A failure inside the service',
    args: ['DEV-1'],
    settings: () => ({}),
    harm: async ({ dataFolder }) => {
      const engine = openEngine({ url: databaseIn(dataFolder) });
      await engine.session(async ({ kysely }) => {
        await removeMark(kysely, 'students'); // Without it, tokens are not remembered.
        await sql`drop table devices`.execute(kysely);
      });
      await engine.close();
    },
    isOfForms: true,
  },
  {
    title: 'A caller without credentials (401)',
    args: ['DEV-1'],
    settings: async (folder) => {
      const basic = { user: 'portal', secret: await hashPassword('correct horse') };
      return accessSettings(folder, { callers: { portal: { basic } } });
    },
    isOfForms: true,
  },
  {
    title: 'A caller that may not call (403)',
    args: ['DEV-1'],
    settings: (folder) => accessSettings(folder, { callers: { portal: { networks: ['192.0.2.1'] } } }),
    isOfForms: true,
  },
  {
    title: 'Too many calls (429)',
    args: ['DEV-1'],
    settings: (folder) =>
      accessSettings(folder, {
        callers: {},
        anonymous: { operations: ['GetTokenDevice'], rate: { requestsPerMinute: 1 } },
      }),
    isOfForms: true,
  },
  {
    title: 'A proxy of another `SERVICE_NAMESPACE`',
    args: ['DEV-1'],
    settings: () => ({ SERVICE_NAMESPACE: 'urn:okul:bildirim' }),
    isOfForms: false,
  },
];

/** A client that is ready to be used, and the folder where its preparation left what it made. */
export interface PreparedClient {
  readonly client: Client;
  readonly made: string;
}

/**
 * Has every stack call a service that refuses, for each reason there is.
 *
 * @returns for each reason a title and a table of what the stacks make of it
 */
export async function tryFaults(
  clients: readonly PreparedClient[],
  { folder, schools }: Workplace,
  report: Report,
): Promise<string> {
  const plain = clients.filter(({ client }) => client.stack !== undefined && client.manner === undefined);
  const sections: string[] = [];
  for (const kind of KINDS) {
    const settings = await kind.settings(mkdtempSync(join(folder, 'faults-')));
    const asked = async (service: StartedService, descriptions: string): Promise<void> => {
      await kind.harm?.(service);
      const rows = await Promise.all(
        plain.map((prepared) => rowsOf(kind, prepared, service, descriptions, report)),
      );
      sections.push(`### ${kind.title}\n\n${table([HEAD, ...rows.flat()])}`);
    };
    try {
      await withService(folder, schools, {}, ({ address }) =>
        withService(folder, schools, settings, (service) => asked(service, address)),
      );
    } catch (error) {
      const place = { client: 'the services', column: FAULTS, what: kind.title };
      report.add({ ...place, verdict: 'failed', reason: String(error) });
    }
  }
  return sections.join('\n');
}

const HEAD = ['Stack', 'Binding', 'Exception', 'Code', 'Message', 'Detail'];

/** One row, or several where the bindings of a stack differ in more than the code. */
async function rowsOf(
  kind: Kind,
  { client, made }: PreparedClient,
  { address }: StartedService,
  descriptions: string,
  report: Report,
): Promise<readonly (readonly string[])[]> {
  const found = new Map<
    string,
    { readonly bindings: string[]; readonly codes: Set<string>; readonly fault: Fault }
  >();
  for (const binding of client.bindings) {
    if (!kind.isOfForms && (binding.name === 'get' || binding.name === 'post')) continue;
    const place = { ...placeOf(client, binding.name), column: FAULTS };
    const what = `${BINDING_TITLES[binding.name]}, ${kind.title}`;
    const caller = await binding.open(address, made, {}, descriptions);
    try {
      const fault = await faultOf(caller, kind.args);
      const { type, text, detail, code } = fault;
      const key = JSON.stringify([type, shown(text), shownDetail(detail), code === '']);
      const same = found.get(key) ?? { bindings: [], codes: new Set<string>(), fault };
      found.set(key, same);
      same.bindings.push(BINDING_TITLES[binding.name]);
      same.codes.add(code.replace(/^\{[^}]*\}/, ''));
      report.add({ ...place, what, verdict: 'passed' });
    } catch (error) {
      report.add({ ...place, what, verdict: 'failed', reason: String(error) });
    } finally {
      await caller.close();
    }
  }
  return [...found.values()].map(({ bindings, codes, fault }) => [
    client.stack?.name ?? client.name,
    bindings.join(', '),
    `\`${fault.type}\``,
    [...codes].map(shown).join(', '),
    shown(fault.text),
    shownDetail(fault.detail),
  ]);
}

/** Returns what a stack makes of the refusal: its fault, or another exception. */
async function faultOf(caller: Caller, args: Arguments): Promise<Fault> {
  const operation = OPERATIONS.find(({ name }) => name === 'GetTokenDevice');
  if (operation === undefined) throw new Error('There is no GetTokenDevice');
  const outcomes: Outcome[] = [];
  for (let count = 0; count < CALLS; count += 1) {
    try {
      const outcome = await within(CALL_TIMEOUT_MS, 'answer', caller.call(operation, args));
      if (outcome.kind === 'fault') return outcome;
      outcomes.push(outcome);
    } catch (error) {
      if (!(error instanceof BrokenCall)) throw error;
      return { kind: 'fault', type: error.type, code: '', text: error.text, detail: null };
    }
  }
  throw new Error(`No fault, but ${JSON.stringify(outcomes)}`);
}

function shownDetail(detail: Fault['detail']): string {
  if (detail === null) return 'none';
  if (detail === '') return 'empty';
  return detail.startsWith('<!doctype html>') ? 'an HTML page that says why' : shown(detail);
}

/** A text in one cell of a table; ports and waiting times are others each time. */
function shown(text: string): string {
  const line = text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/localhost:\d+/g, 'localhost')
    .replace(/in \d+ s\./, 'in N s.')
    .replaceAll('|', '\\|');
  return line === '' ? '' : `\`${line.replaceAll('`', "'")}\``;
}

function accessSettings(folder: string, access: object): Settings {
  const path = join(folder, 'access.json');
  writeFileSync(path, JSON.stringify(access));
  return { ACCESS_FILE: path };
}
