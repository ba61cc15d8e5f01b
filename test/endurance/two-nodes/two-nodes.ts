import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { openStore } from '../../../src/store';
import { callAtOnce, exchange, get, ServiceProcess } from '../../../scripts/harness';
import { TcpProxy } from '../../harness/tcp-proxy';
import { codeRequest, phoneOf } from '../../../scripts/harness/delivery';
import { listMessages } from '../../harness/list-messages';

export interface TwoNodeReport {
  /** The token of a device that one of the nodes loaded, as each of them answers. */
  readonly tokens: readonly string[];
  /** Messages for a code that was asked for through the one node and again through the other. */
  readonly messagesForOneCode: number;
  /** Codes that were asked for through the proxy and answered, before and after one node was killed. */
  readonly acknowledged: number;
  /** Requests that the kill broke off; their callers know that they have no answer. */
  readonly brokenOff: number;
  /** Acknowledged codes without a message in the database. */
  readonly lost: number;
}

const CLIENTS = 8;

/**
 * Runs two nodes on one PostgreSQL behind a round-robin proxy: what is written through one is read through
 * the other, and while clients write through the proxy one node is killed.
 *
 * @param databaseUrl - an empty PostgreSQL database
 * @param folder - an empty folder
 * @param codes - how many codes to have acknowledged; half of them after the kill
 */
export async function runTwoNodes(
  databaseUrl: string,
  folder: string,
  codes: number,
): Promise<TwoNodeReport> {
  const nodes = ['a', 'b'].map((name) => {
    mkdirSync(join(folder, name));
    return new ServiceProcess(join(folder, name), { settings: { DATABASE_URL: databaseUrl } });
  });
  try {
    // At the same time: one of them makes the schema and loads the sample school.
    await Promise.all(nodes.map((node) => node.listening()));
    return await killFirst(nodes, databaseUrl, codes);
  } finally {
    for (const node of nodes) node.signal('SIGKILL');
    await Promise.all(nodes.map((node) => node.ended()));
  }
}

/** Writes and reads through running nodes with the sample school, and kills the first of them while clients write. */
export async function killFirst(
  nodes: readonly ServiceProcess[],
  databaseUrl: string,
  codes: number,
): Promise<TwoNodeReport> {
  const tokens = await Promise.all(nodes.map((node) => tokenThrough(node)));
  for (const node of nodes) await node.ask(codeRequest(phoneOf(0)));

  const proxy = new TcpProxy(nodes.map(({ port }) => ({ host: '127.0.0.1', port })));
  await proxy.open();
  try {
    const { acknowledged, brokenOff } = await askForCodes(proxy.port, codes, () =>
      nodes[0]?.signal('SIGKILL'),
    );
    const stored = await storedRecipients(databaseUrl);
    return {
      tokens,
      messagesForOneCode: stored.filter((recipient) => recipient === phoneOf(0)).length,
      acknowledged: acknowledged.length,
      brokenOff,
      lost: acknowledged.filter((recipient) => !stored.includes(recipient)).length,
    };
  } finally {
    await proxy.cut();
  }
}

/** Each client asks for one code after the other, each for a phone of its own. */
async function askForCodes(port: number, codes: number, kill: () => void) {
  const acknowledged: string[] = [];
  let brokenOff = 0;
  function* recipients(): Generator<string> {
    for (let number = 1; acknowledged.length < codes; number += 1) yield phoneOf(number);
  }
  await callAtOnce(Array<number>(CLIENTS).fill(port), recipients(), async (proxy, recipient) => {
    const answer = await exchange(proxy, codeRequest(recipient)).catch(() => undefined);
    if (answer === undefined) {
      brokenOff += 1;
      return;
    }
    if (answer.status !== 200) throw new Error(`A code was answered with ${String(answer.status)}.`);
    acknowledged.push(recipient);
    if (acknowledged.length === Math.floor(codes / 2)) kill();
  });
  return { acknowledged, brokenOff };
}

async function tokenThrough(node: ServiceProcess): Promise<string> {
  const { text } = await node.ask(get('PushNotificationMobile', 'GetTokenDevice', 'id=DEV-1'));
  return />([^<>]*)<\/string>/.exec(text)?.[1] ?? '';
}

async function storedRecipients(url: string): Promise<readonly string[]> {
  const store = await openStore({ url, mustExist: true });
  try {
    return (await listMessages(store, 1_000_000)).map(({ recipient }) => recipient);
  } finally {
    await store.close();
  }
}
