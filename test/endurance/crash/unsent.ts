import { openEngine } from '../../../src/store/open-engine';

/** Returns what the store says of the messages that it has not sent: how many of a channel, in which state, and why. */
export async function unsentMessages(databaseUrl: string): Promise<readonly string[]> {
  const engine = openEngine({ url: databaseUrl, mustExist: true });
  try {
    const rows = await engine.direct.kysely
      .selectFrom('messages')
      .select(({ fn }) => ['channel', 'state', 'reason', fn.countAll<number>().as('messages')])
      .where('state', 'not in', ['sent', 'written'])
      .groupBy(['channel', 'state', 'reason'])
      .execute();
    return rows.map(
      ({ channel, state, reason, messages }) =>
        `${String(messages)} of ${channel} ${state}: ${reason ?? 'no reason'}`,
    );
  } finally {
    await engine.close();
  }
}
