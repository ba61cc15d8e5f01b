import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { get } from '../../../scripts/harness';
import { DatabaseSync } from '../../../src/store/sqlite/library';
import { useProvider } from '../../delivery/use-provider';
import { type ServiceHere, useServicesHere } from '../../service/use-services-here';

const SECRET = 'S3cret-of-this-gateway';
const PATH = `/receipts/gateway/${SECRET}`;

describe('receipts of a gateway', () => {
  const services = useServicesHere();
  const provider = useProvider();
  let service: ServiceHere;

  const verimor = (receiptUrl: string) => ({
    ...{ preset: 'verimor', user: 'u', password: 'p', sender: 'OKUL', base: provider().url, receiptUrl },
  });

  function writeGateway(gateway: object): { readonly GATEWAYS_FILE: string } {
    const GATEWAYS_FILE = join(services.folder, 'gateways.json');
    writeFileSync(GATEWAYS_FILE, JSON.stringify({ gateways: { gateway } }), { mode: 0o600 });
    return { GATEWAYS_FILE };
  }

  async function start(
    receiptUrl: string,
    gateway: object = verimor(receiptUrl),
    settings: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    service = await services.start({
      settings: { SMS_CHANNEL: 'http', ...writeGateway(gateway), ...settings },
    });
  }

  const report = (path: string, receipts: unknown, method = 'POST') =>
    service.ask({
      ...{ method, path, headers: [['Content-Type', 'application/json']] },
      body: typeof receipts === 'string' ? receipts : JSON.stringify(receipts),
    });
  const delivered = (id: string, status = 'DELIVERED') => [{ campaign_id: id, status, gsm_error: '0' }];
  const counted = async (result: string): Promise<number> => {
    const { text } = await service.askAdmin({ path: '/metrics' });
    const line = new RegExp(
      `^delivery_receipts_total\\{gateway="gateway",result="${result}"\\} (\\d+)$`,
      'm',
    );
    return Number(line.exec(text)?.[1] ?? 0);
  };

  it('get the same answer whatever their ids, and are rejected without the secret', async () => {
    provider().usual = { status: 200, body: '4711' };
    await start(`https://sms.school.example${PATH}`);
    const early = await report(PATH, delivered('4711', 'EXPIRED'));
    await service.ask(get('AuthCodeSending', 'AuthCode', 'code=84021&phone=%2B905551112233'));
    await service.line('message', { channel: 'sms', state: 'sent' });
    await service.line('recorded early receipts', { receipts: 1 });
    expect(await counted('undelivered')).toBe(1);
    const late = await report(PATH, delivered('4711'));
    const unknown = await report(PATH, delivered('815'));
    for (const answer of [early, late, unknown]) expect(answer).toMatchObject({ status: 200, text: '' });
    expect(await counted('early')).toBe(2);
    expect(await counted('repeated')).toBe(1);

    const wrong = PATH.replace('S3', 'S4');
    for (const path of [
      wrong,
      `${PATH}/`,
      '/receipts/other/x',
      '/receipts/',
      wrong.replace('gateway', '%zz'),
    ]) {
      expect(await report(path, delivered('4711'))).toMatchObject({ status: 404, text: '' });
    }
    expect((await report(PATH, [], 'PUT')).status).toBe(405);
    expect((await report(PATH, 'x'.repeat(64 * 1024 + 1))).status).toBe(413);
    await service.stop();
    expect(service.output).not.toMatch(/S[34]cret|5551112233/);
  });

  it('are answered with the text that the gateway waits for', async () => {
    const receiptUrl = `https://sms.school.example${PATH}`;
    const receipts = {
      ...{ providerId: { json: '/id' }, status: { json: '/s' }, reply: 'ACK/Jasmin' },
      states: [{ status: 'DELIVRD', state: 'delivered' }],
    };
    const url = `${provider().url}/send?to={phone}&text={text}&dlr={receiptUrl}`;
    const answers = [{ status: 200, class: 'accepted' }];
    await start(receiptUrl, { method: 'GET', url, values: { receiptUrl }, answers, receipts });
    const answer = await service.ask({ method: 'GET', path: `${PATH}?id=1&s=DELIVRD` });
    expect(answer).toMatchObject({ status: 200, text: 'ACK/Jasmin' });
    expect(await service.ask({ method: 'GET', path: `${PATH.replace('S3', 'S4')}?id=1` })).toMatchObject({
      ...{ status: 404, text: '' },
    });
  });

  it.each([
    ['application/x-www-form-urlencoded', '4721'],
    ['application/x-www-form-urlencoded; charset=UTF-8', '4722'],
    ['application/x-www-form-urlencoded;charset=utf-8', '4723'],
    ['Application/X-WWW-Form-URLEncoded ; charset=UTF-8', '4724'],
  ])('are read from a form of the media type %s', async (mediaType, id) => {
    await start(`https://sms.school.example${PATH}`);
    const answer = await service.ask({
      ...{ method: 'POST', path: PATH, body: `campaign_id=${id}&status=DELIVERED&gsm_error=0` },
      headers: [['Content-Type', mediaType]],
    });
    expect(answer.status).toBe(200);
    expect([await counted('early'), await counted('unreadable')]).toEqual([1, 0]);
    await service.stop();
  });

  it('are requested again while they cannot be stored', async () => {
    await start(`https://sms.school.example${PATH}`);
    const database = new DatabaseSync(join(services.folder, 'data', 'service.db'), { timeout: 5000 });
    try {
      database.exec('ALTER TABLE early_receipts RENAME TO lost');
      expect(await report(PATH, delivered('4711'))).toMatchObject({ status: 503, text: '' });
      database.exec('ALTER TABLE lost RENAME TO early_receipts');
      expect(await report(PATH, delivered('4711'))).toMatchObject({ status: 200, text: '' });
    } finally {
      database.close();
    }
    await service.stop();
  });

  it('of two gateways with equal ids reach the SMS of each, early or late, and across a new secret', async () => {
    provider().usual = { status: 200, body: '4711' };
    const path = (name: string, secret: string): string => `/receipts/${name}/${secret}`;
    const GATEWAYS_FILE = join(services.folder, 'gateways.json');
    const write = (secretOfOne: string): void => {
      const gateways = {
        one: verimor(`https://sms.school.example${path('one', secretOfOne)}`),
        two: verimor(`https://sms.school.example${path('two', SECRET)}`),
      };
      const routes = [{ countries: ['TR'], gateways: ['one'] }, { gateways: ['two'] }];
      writeFileSync(GATEWAYS_FILE, JSON.stringify({ gateways, routes }), { mode: 0o600 });
    };
    write(`${SECRET}-old`);
    const DATA_DIR = join(services.folder, 'two gateways');
    service = await services.start({ settings: { SMS_CHANNEL: 'http', GATEWAYS_FILE, DATA_DIR } });
    const code = (digits: string, phone: string) =>
      service.ask(get('AuthCodeSending', 'AuthCode', `code=${digits}&phone=%2B${phone}`));
    const database = new DatabaseSync(join(DATA_DIR, 'service.db'), { timeout: 5000 });
    const select = database.prepare(
      "select gateway || ' ' || receipt as text from messages where channel = 'sms' order by gateway",
    );
    // As it selects.
    const stored = (): readonly string[] =>
      (select.all() as { readonly text: string }[]).map(({ text }) => text);
    try {
      await code('11111', '905551112233');
      await service.line('message', { channel: 'sms', state: 'sent' });
      expect((await report(path('two', SECRET), delivered('4711', 'EXPIRED'))).status).toBe(200);
      expect(stored()).toEqual(['one waiting']);

      write(`${SECRET}-new`);
      await service.reload();
      const paths = [path('one', `${SECRET}-old`), path('two', `${SECRET}-new`), path('one', SECRET)];
      for (const each of paths) expect((await report(each, delivered('4711'))).status).toBe(404);
      expect((await report(path('one', `${SECRET}-new`), delivered('4711'))).status).toBe(200);
      expect(stored()).toEqual(['one delivered']);

      await code('22222', '4915112345678');
      await service.line('recorded early receipts', { receipts: 1 });
      expect(stored()).toEqual(['one delivered', 'two undelivered']);
    } finally {
      database.close();
    }
    await service.stop();
  });

  it('are admitted with a new secret after a reload, also by a node that only answers requests', async () => {
    const url = (secret: string): string => `https://sms.school.example/receipts/gateway/${secret}`;
    await start(url(`${SECRET}-old`), undefined, { ROLE: 'web' });
    writeGateway(verimor(url(`${SECRET}-new`)));
    expect(await service.reload()).toMatchObject({ changed: ['GATEWAYS_FILE'], needRestart: [] });
    expect((await report(`${PATH}-old`, delivered('4731'))).status).toBe(404);
    expect((await report(`${PATH}-new`, delivered('4731'))).status).toBe(200);
    await service.stop();
  });

  it('have no address if none are expected', async () => {
    await start('');
    expect((await report(PATH, delivered('4711'))).text).toContain('html');
    await service.stop();
  });
});
