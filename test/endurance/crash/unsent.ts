import { openEngine } from '../../../src/store/open-engine';

/** What the store says of the messages that it has not sent: how many of a channel, in which state, and why. */
export async function unsentMessages(databaseUrl: string): Promise<readonly string[]> {
  const engine = openEngine({ url: databaseUrl, mustExist: true });
  try {
    const rows = await engine.direct.kysely
      .selectFrom('messages')
      .select(({ fn }) => ['channel', 'state', 'last_error', fn.countAll<number>().as('messages')])
      .where('state', '<>', 'sent')
      .groupBy(['channel', 'state', 'last_error'])
      .execute();
    return rows.map(
      ({ channel, state, last_error, messages }) =>
        `${String(messages)} of ${channel} ${state}: ${last_error ?? 'no reason'}`,
    );
  } finally {
    await engine.close();
  }
}
