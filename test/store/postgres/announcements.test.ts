import type { MessageChannel } from '../../../src/store';
import { administer, ENGINES, useDatabase } from '../../support/test-databases';

const onPostgres = ENGINES.includes('postgres') ? describe : describe.skip;

onPostgres('a new message on PostgreSQL', () => {
  const database = useDatabase('postgres');

  it('is heard of by other processes, also after the connection was lost', async () => {
    const [web, worker] = [await database.open(), await database.open()];
    const heard: MessageChannel[] = [];
    let onHeard = (): void => undefined;
    const end = worker.listen((channel) => {
      heard.push(channel);
      onHeard();
    });
    /** Announces until it is heard: a notification has no receiver until the listener is connected. */
    const announced = async (channel: MessageChannel): Promise<void> => {
      const again = setInterval(() => {
        web.announce(channel);
      }, 20).unref();
      while (!heard.includes(channel)) await new Promise<void>((done) => (onHeard = done));
      clearInterval(again);
    };
    try {
      await announced('sms');
      const name = new URL(database.url).pathname.slice(1);
      await administer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
      await announced('mark');
    } finally {
      await end();
    }
    expect(new Set(heard)).toEqual(new Set(['sms', 'mark']));
  });
});
