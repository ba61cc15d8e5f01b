import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { PACKAGE_ROOT } from '../../scripts/harness';
import { ENGINES, useDatabase } from '../harness/test-databases';
import { listMessages } from '../harness/list-messages';

const COMPILE = join(PACKAGE_ROOT, 'test', 'harness', 'run-typescript.cjs');
const STORE = join(PACKAGE_ROOT, 'src', 'store', 'index.ts');

/** Writes without end, sixteen at a time, and says each message's id once it was acknowledged. */
const WRITER = `
const { writeSync } = require('node:fs');
const { openStore } = require(process.argv[1]);
(async () => {
  const store = await openStore({ url: process.argv[2] });
  const message = { channel: 'sms', recipient: '+905550000000', school: '', payload: { code: '1' } };
  const write = async () => {
    for (;;) {
      const createdAt = Date.now();
      const id = await store.messages.enqueue({ ...message, createdAt, expiresAt: createdAt, dedupeKey: null });
      writeSync(1, id + '\\n');
    }
  };
  for (let writers = 0; writers < 16; writers += 1) void write();
})();
`;

describe.each(ENGINES)('a store on %s', (engine) => {
  const database = useDatabase(engine);

  it('has every message that it acknowledged before its process was killed', async () => {
    const child = spawn(process.execPath, ['--require', COMPILE, '-e', WRITER, STORE, database.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const acknowledged: string[] = [];
    for await (const id of createInterface(child.stdout)) {
      acknowledged.push(id);
      if (acknowledged.length === 200) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    expect(acknowledged.length).toBeGreaterThanOrEqual(200);

    const store = await database.open();
    const stored = await listMessages(store, 100_000);
    const ids = new Set(stored.map(({ id }) => id));
    expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
  });
});
