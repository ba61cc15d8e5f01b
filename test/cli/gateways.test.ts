import { CLOSED_PORT } from '../../scripts/harness';
import { writeGatewaysFile } from '../../scripts/harness/delivery';
import { useProvider } from '../delivery/use-provider';
import { runCommand } from '../harness/run-command';
import { useFolderPerTest } from '../harness/use-folder';

/** A gateway that is no preset. */
const OWN = {
  ...{ preset: undefined, user: undefined, password: undefined, sender: undefined, base: undefined },
  ...{ url: 'http://x.example', type: 'json', body: { to: '{phone}', text: '{text}' } },
  answers: [{ status: 200, class: 'accepted' }],
};

describe('the command gateways', () => {
  const provider = useProvider();
  const folder = useFolderPerTest();
  const run = (
    args: readonly string[],
    description: Readonly<Record<string, unknown>> = {},
    more: Readonly<Record<string, string>> = {},
  ) => {
    const gateway = {
      preset: 'netgsm-rest',
      user: 'us&er',
      password: 'hunter2',
      sender: 'OKUL',
      base: provider().url,
    };
    const GATEWAYS_FILE = writeGatewaysFile(folder(), { ...gateway, ...description });
    const settings = { GATEWAYS_FILE, DEFAULT_COUNTRY: 'TR', SMS_TEXT: 'Kod {code}', ...more };
    return runCommand('gateways', args, { folder: folder(), settings });
  };

  it('lists the gateways and routes', async () => {
    const { code, out } = await run([]);
    expect(code).toBe(0);
    expect(out).toMatch(/^gateway +request +rate limit +connections\n/);
    expect(out).toMatch(/\ngateway +POST \{base\}\/sms\/rest\/v2\/send +none +16\n/);
    expect(out).toContain('Routes:\n  all numbers: gateway\n');
  });

  it('refuses what the service would refuse, such as an unknown placeholder of a seldom request', async () => {
    for (const more of [
      { headers: { 'X-A': '{telephone}' } },
      { balance: { url: 'http://x.example/{telephone}', value: { json: '/a' } } },
      { authorization: { type: 'bearer', token: '{telephone}' } },
    ]) {
      const { code, err } = await run([], { ...OWN, ...more });
      expect([code, err]).toEqual([1, expect.stringContaining('unknown placeholder {telephone}')]);
    }
  });

  it('warns of rules that an earlier one shadows', async () => {
    const { code, out } = await run([], {
      ...OWN,
      code: { json: '/code' },
      answers: [
        { status: '2xx', class: 'accepted' },
        { code: ['4', '5'], class: 'rejected' },
        { status: [200, 400], class: 'rejected' },
        { status: 400, code: ['5', '6'], class: 'busy' },
      ],
    });
    expect(code).toBe(0);
    expect(out.match(/^Warning: .*$/gm)).toEqual([
      'Warning: gateways > gateway > answers > 2 (200) is never used: gateways > gateway > answers > 0 matches first.',
      'Warning: gateways > gateway > answers > 3 (400, 5) is never used: gateways > gateway > answers > 1 matches first.',
      'Warning: gateways > gateway > answers > 3 (400, 6) is never used: gateways > gateway > answers > 2 matches first.',
    ]);
  });

  it('lists the presets with their required values', async () => {
    const { out } = await run(['presets']);
    expect(out).toMatch(/^netgsm-otp: .*\n {2}Ask for: a package for OTP SMS[^]*\n {2}"user": usercode/m);
    expect(out).toMatch(/^ {2}"base": .* \(default: https:\/\/api\.netgsm\.com\.tr\)$/m);
    expect(out).toMatch(/^ {2}"user": .* \(default: the same as account\)$/m);
  });

  describe('with a login', () => {
    const login = () => ({
      ...{ ...OWN, url: provider().url, values: { password: 'hunter2' } },
      authorization: {
        type: 'login',
        request: { url: provider().url, type: 'json', body: { password: '{password}' } },
        ...{ token: { json: '/token' }, name: 'X-Token', value: '{accessToken}' },
      },
    });

    it('hides the access token in whichever header it is', async () => {
      provider().next.push({ status: 200, body: '{"token":"tok-4711"}' });
      const { code, out } = await run(['test', 'gateway', '0555 111 22 33'], login());
      expect(code).toBe(0);
      expect(provider().received.map(({ headers }) => headers['x-token'])).toEqual([undefined, 'tok-4711']);
      expect(out).toContain('> X-Token: ***\n');
      expect(out).not.toMatch(/tok-4711|hunter2/);
    });

    it('shows no answer if the SMS got none: that to the login contains the token', async () => {
      provider().next.push({ status: 200, body: '{"token":"tok-4711"}' }, 'resets after reading');
      const { code, out } = await run(['test', 'gateway', '0555 111 22 33'], login());
      expect(code).toBe(2);
      expect(provider().received).toHaveLength(2);
      expect(out).toContain('> X-Token: ***\n');
      expect(out).not.toMatch(/^<|tok-4711/m);
    });
  });

  it('masks credentials by their place, whatever their names and however short they are', async () => {
    provider().usual = { status: 200, body: '{"a":"1","echo":"h4sh-value"}' };
    const { out } = await run(['test', 'gateway', '+905551112233'], {
      ...OWN,
      ...{
        url: `${provider().url}/1/send?k={short}&h={hash}`,
        headers: { 'X-Plain': '1', 'X-H': 'v {hash}' },
      },
      body: { to: '{phone}', text: '{text}', h: '{hash}', k: '{short}', n: 11 },
      values: { hash: 'h4sh-value', short: '1', api: 'in-header' },
      authorization: { type: 'header', name: 'X-Api', value: 'Key {api}' },
    });
    expect(out).toContain(
      [
        `> POST ${provider().url}/1/send?k=***&h=***`,
        '> Content-Type: application/json',
        '> X-Plain: 1',
        '> X-H: v ***',
        '> X-Api: ***',
        '> {"to":"+905551112233","text":"Kod 000000","h":"***","k":"***","n":11}',
        '< HTTP 200',
        '< {"a":"1","echo":"***"}',
      ].join('\n'),
    );
    expect(provider().received[0]).toMatchObject({ path: '/1/send?k=1&h=h4sh-value' });
  });

  it('masks the password of a proxy that quotes it when it refuses the request', async () => {
    const basic = Buffer.from('pupil:s:ecret').toString('base64');
    provider().usual = { status: 502, body: `Not allowed: Basic ${basic}, s:ecret, s%3Aecret` };
    const HTTP_PROXY = provider().url.replace('//', '//pupil:s%3Aecret@');
    const own = { ...OWN, url: 'http://gateway.test/send' };
    const { out } = await run(['test', 'gateway', '+905551112233'], own, { HTTP_PROXY });
    expect(out).toContain('< HTTP 502\n< Not allowed: Basic ***, ***, ***\n');
  });

  it('sends one SMS, and shows request and answer without secrets', async () => {
    const encoded = Buffer.from('hunter2').toString('base64');
    provider().usual = ({ body, headers }) => ({
      status: 200,
      body: `{"code":"00","jobid":"17","echo":[${body},"${headers.authorization ?? ''}","hunter2","${encoded}"]}`,
    });
    const { code, out } = await run(['test', 'gateway', '0555 111 22 33']);
    expect({ code, out }).toEqual({
      code: 0,
      out: [
        `> POST ${provider().url}/sms/rest/v2/send`,
        '> Content-Type: application/json',
        '> Authorization: ***',
        '> {"msgheader":"OKUL","encoding":"TR","iysfilter":"0","messages":[{"msg":"Kod 000000","no":"5551112233"}]}',
        '< HTTP 200',
        '< {"code":"00","jobid":"17","echo":[{"msgheader":"OKUL","encoding":"TR","iysfilter":"0",' +
          '"messages":[{"msg":"Kod 000000","no":"5551112233"}]},"Basic ***","***","***"]}',
        'Accepted by the gateway (id: 17).',
        '',
      ].join('\n'),
    });
  });

  it.each([
    [
      406,
      '{"code":"30"}',
      'Not accepted (stopped): gateway refuses the account (HTTP 406, code 30: wrong user or password',
    ],
    [
      406,
      '{"code":"70"}',
      'Not accepted (refused): gateway rejected the message (HTTP 406, code 70: a value is missing or not valid).',
    ],
    [
      200,
      '{"code":"99"}',
      'Not accepted (unknown): gateway gave a response that no rule in GATEWAYS_FILE matches (HTTP 200, code 99).',
    ],
  ])('explains why an SMS was not accepted: %d %s', async (status, body, said) => {
    provider().usual = { status, body };
    const { code, out } = await run(['test', 'gateway', '+905551112233']);
    expect(code).toBe(2);
    expect(out).toContain(said);
  });

  it('reports a refused connection', async () => {
    const base = `http://127.0.0.1:${String(CLOSED_PORT)}`;
    const { code, out } = await run(['test', 'gateway', '+905551112233'], { base });
    expect(code).toBe(2);
    expect(out).toContain('Not accepted (failing): Could not connect to the provider (ECONNREFUSED).');
  });

  it.each([
    [['test', 'gateway', 'hunter2'], 'hunter2 is not a valid phone number.'],
    [['test', 'netgsm', '+905551112233'], 'GATEWAYS_FILE has no gateway "netgsm". It has: gateway.'],
  ])('sends nothing for %j', async (args, said) => {
    const { code, err } = await run(args);
    expect(code).toBe(1);
    expect(err).toContain(said);
    expect(provider().received).toEqual([]);
  });

  it('shows balances', async () => {
    provider().next.push({ status: 200, body: '{"code":"00","balance":"12,50"}' });
    expect((await run(['balance'])).out).toMatch(/^gateway +balance\ngateway +12,50\n$/);
    provider().next.push({ status: 500 });
    expect((await run(['balance'])).out).toContain('unknown: the gateway did not answer as expected');
  });

  it('requires a GATEWAYS_FILE', async () => {
    const { code, err } = await runCommand('gateways', [], { folder: folder(), settings: {} });
    expect({ code, err }).toEqual({
      code: 1,
      err: 'Error: GATEWAYS_FILE is not set: there are no SMS gateways.\n',
    });
  });
});
