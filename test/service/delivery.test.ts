import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { markRequest, writeGatewaysFile } from '../../scripts/harness/delivery';
import { runCommand } from '../harness/run-command';
import { call, envelope11, form, get, soap11 } from '../../scripts/harness';
import { useProvider } from '../delivery/use-provider';
import { useServicesHere } from './use-services-here';

const CODE = get('AuthCodeSending', 'AuthCode', 'code=84021&phone=%2B905551112233');

describe('the service with default settings', () => {
  const services = useServicesHere();

  it('warns that it sends nothing, and writes each message to a file', async () => {
    const service = await services.start();
    await service.line('SMS are not sent (SMS_CHANNEL=file)', { level: 'warn' });
    await service.line('Push messages are not sent (PUSH_CHANNEL=file)', { level: 'warn' });
    await service.ask(CODE);
    await service.ask(markRequest(1));
    await service.line('message', { channel: 'sms', state: 'written' });
    await service.line('message', { channel: 'push', state: 'written' });

    const outbox = join(services.folder, 'data', 'outbox');
    expect(JSON.parse(readFileSync(join(outbox, 'sms.jsonl'), 'utf8'))).toMatchObject({
      phone: '+905551112233',
      text: 'Your code is 84021',
    });
    expect(readFileSync(join(outbox, 'push.jsonl'), 'utf8')).toContain('"note":"N1"');
    expect(service.output).not.toMatch(/84021|5551112233|sample-token/);
    const { text } = await service.askAdmin({ path: '/metrics' });
    expect(text).toContain('delivery_messages_total{channel="sms",state="written"} 1');
    expect(text).toContain('delivery_oldest_queued_seconds{channel="sms"} 0');
    await service.stop();
  });

  it('shows the operator sent messages, with numbers masked', async () => {
    const place = { folder: services.folder, settings: { DATA_DIR: join(services.folder, 'data') } };
    const deliveries = async (...command: readonly string[]): Promise<string> => {
      const { code, out } = await runCommand('deliveries', command, place);
      expect(code).toBe(0);
      return out;
    };
    const sent = await deliveries('list', '--channel', 'sms', '--state', 'written', '--newer-than', '1h');
    expect(sent).toMatch(/^id .*\n\S{36} +sms +written +\+90\.\.\.33 /);
    expect(await deliveries('list', '--older-than', '1d')).toBe('No messages match.\n');
    expect(await deliveries('list', '--school', 'HTTP://school.example/', '--limit', '3')).toMatch(/push/);
    const id = /\S{36}/.exec(sent)?.[0] ?? '';
    expect(await deliveries('show', id)).toMatch(/^id +\S{36}\n.*\nstate +written\nto +\+90\.\.\.33\n/);
    expect(await deliveries('retry', id)).toBe('Requeued 0 messages.\n');
    expect(await runCommand('deliveries', ['cancel'], place)).toEqual({
      ...{ code: 1, out: '' },
      err: expect.stringContaining('Give message ids') as string,
    });
  });
});

describe('a code over a limit', () => {
  const services = useServicesHere();

  it('gets a client fault over every binding, with the time to wait', async () => {
    const service = await services.start({ settings: { CODE_LIMITS: '1/10m' } });
    expect((await service.ask(CODE)).status).toBe(200);
    const values = { code: '84022', phone: '0090 555 111 22 33' };
    const said = 'Too many codes for this phone. Try again in (59\\d|600) s.';
    const soap = await service.ask(
      soap11('AuthCodeSending', 'AuthCode', envelope11(call('AuthCode', values))),
    );
    expect(soap.text).toMatch(
      new RegExp(`<faultcode>soap:Client</faultcode><faultstring>${said}</faultstring>`),
    );
    const query = new URLSearchParams(values).toString();
    for (const request of [get, form].map((ask) => ask('AuthCodeSending', 'AuthCode', query))) {
      expect((await service.ask(request)).text).toMatch(new RegExp(`^${said}\r\n$`));
    }
    // The code that goes out has the id that its call had.
    const { messageId } = await service.line('request', { operation: 'AuthCode', outcome: 'ok' });
    await service.line('message', { messageId, state: 'written' });
    await service.stop();
  });
});

describe('one phone number in several spellings', () => {
  const services = useServicesHere();
  const SPELLINGS = [
    ['get', '+4915123456789'],
    ['form', '+49 151 23456789'],
    ['soap', '\u202A+49\u00A0151\u00A023456789\u202C'],
    ['soap', 'tel:+49-151-23456789'],
    ['form', '%2B\u0664\u0669\u0661\u0665\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669'],
  ] as const;

  it('is limited, stored, found and forgotten as one number, even if a plus was not encoded', async () => {
    const settings = { CODE_LIMITS: '5/10m', DEFAULT_COUNTRY: 'TR' };
    const service = await services.start({ settings });
    const ask = (binding: 'get' | 'form' | 'soap', phone: string, code: string) =>
      service.ask(
        binding === 'soap'
          ? soap11('AuthCodeSending', 'AuthCode', envelope11(call('AuthCode', { code, phone })))
          : { get, form }[binding]('AuthCodeSending', 'AuthCode', `code=${code}&phone=${encoded(phone)}`),
      );
    // As a caller sends it who encodes everything but the plus.
    const encoded = (text: string) => encodeURI(text).replaceAll('%25', '%');

    for (const [at, [binding, phone]] of SPELLINGS.entries()) {
      expect((await ask(binding, phone, `1000${String(at)}`)).status).toBe(200);
    }
    expect((await ask('get', '0049 151 23456789', '20000')).text).toMatch(/^Too many codes/);
    await service.lines(
      (lines) =>
        lines.filter(({ state }) => state === 'written').length < SPELLINGS.length ? undefined : true,
      'before the codes were sent',
    );
    const outbox = readFileSync(join(services.folder, 'data', 'outbox', 'sms.jsonl'), 'utf8');
    expect(outbox.match(/"phone":"[^"]*"/g)).toEqual(SPELLINGS.map(() => '"phone":"+4915123456789"'));
    await service.stop();

    const place = {
      folder: services.folder,
      settings: { ...settings, DATA_DIR: join(services.folder, 'data') },
    };
    for (const phone of ['\u200E+49\u202F151 23456789;', '0049/15123456789']) {
      const { out } = await runCommand('deliveries', ['list', '--phone', phone], place);
      expect(out.match(/\+49\.\.\.89/g)).toHaveLength(SPELLINGS.length);
    }
    const { out } = await runCommand('forget', ['--phone', 'tel:+49\u2011151\u201123456789'], place);
    expect(out).toMatch(/messages +5\n/);
  });
});

describe('a stop', () => {
  const services = useServicesHere();
  const provider = useProvider();

  it('waits for the message being sent, and records its result', async () => {
    provider().usual = 'never answers';
    const GATEWAYS_FILE = writeGatewaysFile(services.folder, { url: provider().url });
    const settings = { SMS_CHANNEL: 'http', GATEWAYS_FILE, PROVIDER_TIMEOUT_SECONDS: '1' };
    const service = await services.start({ settings });
    await service.ask(CODE);
    await provider().receives(1);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    const reason = 'provider_timeout';
    await service.line('message', { channel: 'sms', state: 'failed', outcome: 'unknown', reason });

    // The next one does not send again what may have been sent.
    provider().usual = { status: 200 };
    const next = await services.start({ settings });
    await next.ask(get('AuthCodeSending', 'AuthCode', 'code=84022&phone=%2B905551112233'));
    await provider().receives(2);
    await next.stop();
    expect(provider().received.map(({ body }) => body.includes('84022'))).toEqual([false, true]);
  });
});
