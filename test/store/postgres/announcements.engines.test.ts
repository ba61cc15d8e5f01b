import type { Pool } from 'pg';

import type { MessageChannel } from '../../../src/store';
import { Announcer, listenForAnnouncements } from '../../../src/store/postgres/notifications';
import { Servers } from '../../../src/store/postgres/servers';
import { administer, query } from '../../harness/postgres-databases';
import { describeOnPostgres, useDatabase } from '../../harness/test-databases';

describeOnPostgres('a new message on PostgreSQL', () => {
  const database = useDatabase('postgres');

  it('is announced to other processes, even after a lost connection', async () => {
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
      await administer(
        `select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = '${name}'`,
      );
      await announced('mark');
    } finally {
      await end();
    }
    expect(new Set(heard)).toEqual(new Set(['sms', 'mark']));
  });

  it('is listened for on a new connection when the old ones are outdated', async () => {
    const listeners = async (): Promise<readonly unknown[]> => {
      const all = `select pid from pg_stat_activity where datname = current_database() and query like 'listen %'`;
      return (await query(database.url, all)).rows.map(({ pid }) => pid);
    };
    const servers = new Servers(database.url);
    const end = listenForAnnouncements(servers, () => undefined);
    try {
      let former: readonly unknown[] = [];
      while (former.length === 0) former = await listeners();
      servers.lost();
      let now = former;
      while (now.length === 0 || now.some((pid) => former.includes(pid))) now = await listeners();
      expect(now).toHaveLength(1);
    } finally {
      await end();
    }
  });
});

describe('announcements to PostgreSQL', () => {
  let reported: string[];
  /** Ends the statements that were begun. */
  let answers: (() => void)[];
  let announcer: Announcer;
  beforeEach(() => {
    reported = [];
    answers = [];
    const query = (_text: string, [, topic]: readonly [string, string]): Promise<void> => {
      reported.push(topic);
      return new Promise((resolve, reject) => {
        answers.push(topic === 'refused' ? reject : resolve);
      });
    };
    // What the announcer calls of a pool.
    announcer = new Announcer({ query } as unknown as Pool);
  });
  const answer = async (): Promise<void> => {
    answers.shift()?.();
    await new Promise(setImmediate);
  };

  it('that arrive while one is under way follow it, each topic once', async () => {
    announcer.announce('sms');
    for (const topic of ['mark', 'sms', 'mark', 'sms']) announcer.announce(topic);
    expect(reported).toEqual(['sms']);
    await answer();
    expect(reported).toEqual(['sms', 'mark']);
    await answer();
    expect(reported).toEqual(['sms', 'mark', 'sms']);
    await answer();
    expect(reported).toHaveLength(3);
  });

  it('are sent one by one, even after PostgreSQL refused one', async () => {
    for (const topic of ['sms', 'refused', 'sms', 'sms']) {
      announcer.announce(topic);
      await answer();
    }
    expect(reported).toEqual(['sms', 'refused', 'sms', 'sms']);
  });
});
