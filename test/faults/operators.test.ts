// What operators get wrong or take away, and heads that name two hosts.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { readServiceAccount } from '../../src/delivery/transports/push-fcm';
import { readDeliveryFile } from '../../src/delivery/wording';
import { openStore, StoreError } from '../../src/store';
import { useDatabase } from '../harness/test-databases';
import { useFolder } from '../harness/use-folder';
import { useReference } from '../harness/use-server';

const folder = useFolder();

/** The message of what it throws. */
function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error('It was not refused.');
}

function fileWith(content: string): string {
  const path = join(folder, 'file.json');
  writeFileSync(path, content);
  return path;
}

describe('a request', () => {
  const reference = useReference();
  const PATH = '/PushNotificationMobile.asmx/GetTokenDevice?id=7';

  it('that names two hosts gets 400', async () => {
    const host: [string, string] = ['Host', 'a.example'];
    expect((await reference.send({ path: PATH, headers: [host] })).status).toBe(200);
    for (const second of ['Host', 'host', 'HOST']) {
      const answer = await reference.send({ path: PATH, headers: [host, [second, 'b.example']] });
      expect([answer.status, answer.header('Connection')]).toEqual([400, 'close']);
    }
  });

  it('with another method gets the allowed ones', async () => {
    for (const method of ['PUT', 'DELETE', 'get']) {
      const answer = await reference.send({ method, path: '/PushNotificationMobile.asmx' });
      expect([answer.status, answer.header('Allow')]).toEqual([405, 'GET, POST']);
    }
  });
});

describe('a removed database file', () => {
  const database = useDatabase('sqlite');

  it('is detected', async () => {
    const store = await database.open();
    await store.ping();
    rmSync(database.url.replace('sqlite:', ''));
    await expect(store.ping()).rejects.toThrow('deleted or replaced');
  });

  it('is detected even if another file has replaced it', async () => {
    const store = await database.open();
    const path = database.url.replace('sqlite:', '');
    rmSync(path);
    writeFileSync(path, '');
    await expect(store.ping()).rejects.toThrow(StoreError);
  });
});

describe('the start error in one line', () => {
  it('for a missing certificate', async () => {
    const url = 'postgres://u:secret@127.0.0.1:1/d?sslmode=verify-full&sslrootcert=/nowhere/ca.pem';
    const opening = openStore({ url });
    await expect(opening).rejects.toThrow(StoreError);
    const message = await opening.catch((error: unknown) => String(error));
    expect(message).toContain('(sslrootcert, sslcert, sslkey): /nowhere/ca.pem.');
    expect(message).not.toMatch(/secret|\n/);
  });

  it('for an invalid Firebase key', () => {
    const account = { type: 'service_account', project_id: 'p', client_email: 'e@p' };
    const pem = '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n';
    const message = refusal(() =>
      readServiceAccount(fileWith(JSON.stringify({ ...account, private_key: pem }))),
    );
    expect(message).toContain('is not a service account key: check private_key.');
    expect(message).not.toContain('c2VjcmV0');
  });

  it.each([
    ['invalid JSON', 'secret {'],
    ['an unknown name', '{"schools":{"http://secret.example":{"secret":1}}}'],
    ['a wrong value', '{"schools":{"http://secret.example":{"timeZone":"secret"}}}'],
    ['a wrong key', '{"countries":{"secret":"tr"}}'],
    ['an unknown group', '{"secret":{}}'],
    ['a missing language', '{"countries":{"TR":"secret"}}'],
  ])('for a DELIVERY_FILE with %s shows none of its content', (_what, content) => {
    const message = refusal(() => readDeliveryFile(fileWith(content)));
    expect(message).toContain('(DELIVERY_FILE)');
    expect(message).not.toMatch(/secret|\n/);
  });
});
