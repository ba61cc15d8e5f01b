import { writeFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { join } from 'node:path';

import type { Request } from 'express';

import { Access, Credentials, hashKey, parseSecretHash, Rejected } from '../../src/access';
import type { AccessDecision, AttemptedCall, Refusal } from '../../src/asmx/internal';
import type { Binding, OperationArguments } from '../../src/asmx';
import { quickHash } from '../harness/quick-hash';
import { useFolder } from '../harness/use-folder';

const folder = useFolder();
const path = join(folder, 'access.json');

const OPTIONS = {
  path,
  operations: ['AuthCode', 'GetTokenDevice', 'GetStudentSchool'],
  schoolKey: (url: string) => url.toLowerCase(),
  schoolOf: (operation: string, args: OperationArguments) =>
    operation === 'GetStudentSchool' ? (args['school'] as string | undefined)?.toLowerCase() : undefined,
  codeOperation: 'AuthCode',
};

function open(content: unknown): Access {
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return new Access(OPTIONS);
}

interface From {
  readonly address?: string;
  readonly user?: readonly [name: string, password: string];
  readonly headers?: Readonly<Record<string, string>>;
  /** Holds what a TLS socket says of the client's certificate. */
  readonly certificate?: object;
  /** Over which the request comes; a new one unless given. */
  readonly connection?: object;
}

function from({ address = '192.0.2.1', user, headers, certificate, connection = {} }: From): Request {
  const authorization = user && `Basic ${Buffer.from(user.join(':')).toString('base64')}`;
  const request = {
    headers: { ...(authorization !== undefined && { authorization }), ...headers },
    socket: Object.assign(connection, { remoteAddress: address, ...certificate }),
    app: { get: () => () => false },
  };
  return request as unknown as Request;
}

const TOKEN: AttemptedCall = { operation: 'GetTokenDevice', bindings: ['get'] };
const CODE: AttemptedCall = { operation: 'AuthCode', bindings: ['post'] };

const admit = async (access: Access, who: From, call = TOKEN): Promise<AccessDecision> =>
  access.admit(from(who), call);

/** Name of whom is let in, or why it is not. */
async function outcome(access: Access, who: From, call = TOKEN): Promise<string | undefined> {
  const verdict = await admit(access, who, call);
  return 'status' in verdict ? `${String(verdict.status)} ${verdict.reason}` : verdict.caller;
}

async function refusal(access: Access, who: From, call = TOKEN): Promise<Refusal> {
  const verdict = await admit(access, who, call);
  if (!('status' in verdict)) throw new Error('It is admitted.');
  return verdict;
}

const judged = async (...asked: Parameters<typeof refusalOf>): Promise<string | undefined> =>
  (await refusalOf(...asked))?.reason;

/** Why a call with these arguments is refused to somebody who is let in. */
async function refusalOf(
  access: Access,
  who: From,
  operation: string,
  binding: Binding,
  args: OperationArguments = {},
): Promise<Refusal | undefined> {
  const verdict = await admit(access, who, {
    operation: undefined,
    bindings: ['soap12', 'soap11', 'get', 'post'],
  });
  if ('status' in verdict) throw new Error(`It is not admitted: ${verdict.reason}`);
  return verdict.authorize(operation, binding, args);
}

describe('a caller identified by its network', () => {
  const access = open({
    callers: {
      north: { networks: ['10.1.0.0/16', '2001:db8::/32'] },
      host: { networks: ['10.2.0.7'] },
    },
  });

  it.each([
    ['10.1.2.3', 'north'],
    ['::ffff:10.1.2.3', 'north'],
    ['2001:db8::7', 'north'],
    ['10.2.0.7', 'host'],
    ['10.2.0.8', '403 no-credentials'],
    ['::1', '403 no-credentials'],
  ])('comes from %s', async (address, expected) => {
    expect(await outcome(access, { address })).toBe(expected);
    expect(await outcome(access, { address })).toBe(expected);
  });
});

describe('a caller identified by user and password', () => {
  let access: Access;
  beforeAll(() => {
    access = open({
      callers: {
        slow: { basic: { user: 'slow', secret: quickHash('correct horse') } },
        quick: { basic: { user: 'quick', secret: [hashKey('öld'), hashKey('new')] } },
      },
    });
  });

  it('is admitted with any of its passwords, without delay from the second time on', async () => {
    const request = from({ user: ['slow', 'correct horse'] });
    expect(access.admit(request, TOKEN)).toBeInstanceOf(Promise);
    expect(await outcome(access, { user: ['slow', 'correct horse'] })).toBe('slow');
    expect(access.admit(request, TOKEN)).toMatchObject({ caller: 'slow' });
    expect(await outcome(access, { user: ['quick', 'öld'] })).toBe('quick');
    expect(await outcome(access, { user: ['quick', 'new'] })).toBe('quick');
  });

  it.each<[string, From]>([
    ['another password', { user: ['slow', 'x'], address: '192.0.2.2' }],
    ['another user’s password', { user: ['slow', 'new'], address: '192.0.2.3' }],
    ['an unknown user', { user: ['nobody', 'new'], address: '192.0.2.4' }],
    ['no colon', { headers: { authorization: `Basic ${Buffer.from('slow').toString('base64')}` } }],
    ['no base64', { headers: { authorization: 'Basic ***' } }],
    ['nothing', { headers: { authorization: 'Basic ' } }],
  ])('is refused with %s', async (_what, who) => {
    const refused = await refusal(access, who);
    expect(refused).toMatchObject({ status: 401, reason: 'wrong-credentials', caller: undefined });
    expect(refused.headers).toEqual(['WWW-Authenticate', 'Basic realm="web service", charset="UTF-8"']);
    // Nothing is tried twice.
    expect(access.admit(from(who), TOKEN)).toEqual(refused);
  });

  it.each([
    ['Basic cXVpY2s=', 'wrong-credentials'], // No colon.
    ['Basic cXVpY2s6bmV3 x', 'wrong-credentials'],
    ['Basic cXVpY2s6bmV3====', 'wrong-credentials'],
    ['x Basic cXVpY2s6bmV3', 'no-credentials'],
  ])('is refused before any password is tried: %s', (authorization, reason) => {
    const decision = access.admit(from({ headers: { authorization }, address: '192.0.2.9' }), TOKEN);
    expect(decision).toMatchObject({ status: 401, reason });
  });

  it.each(['basic', 'BASIC'])('is admitted with the scheme written %s', async (scheme) => {
    const authorization = `${scheme} ${Buffer.from('quick:new').toString('base64')}`;
    expect(await outcome(access, { headers: { authorization } })).toBe('quick');
  });

  it('is asked for both when they are missing', async () => {
    expect(await refusal(access, {})).toMatchObject({ status: 401, reason: 'no-credentials' });
    expect(await outcome(access, { headers: { authorization: 'Bearer x' } })).toBe('401 no-credentials');
  });

  it('has concurrent attempts with one password verified only once', async () => {
    const all = Array.from({ length: 50 }, () =>
      outcome(access, { user: ['slow', 'at once'], address: '192.0.2.9' }),
    );
    expect(new Set(await Promise.all(all))).toEqual(new Set(['401 wrong-credentials']));
  });

  // Without a password hashed slowly, no guess costs a third of a second.
  const keyed = open({ callers: { quick: { basic: { user: 'quick', secret: hashKey('new') } } } });

  it.each([
    ['address', '192.0.2.66', () => '192.0.2.66', '192.0.2.67'],
    ['IPv6 network', '2001:db8::', (guess: number) => `2001:db8::${String(guess)}`, '2001:db8:0:1::1'],
  ])('can be guessed only slowly from one %s', async (_what, first, addressOf, other) => {
    const guess = (address: string, word: number): Promise<string | undefined> =>
      outcome(keyed, { user: ['quick', `guess-${String(word)} from ${first}`], address });
    expect(await outcome(keyed, { user: ['quick', 'new'], address: first })).toBe('quick');
    const outcomes = await Promise.all(Array.from({ length: 15 }, (_, word) => guess(addressOf(word), word)));
    expect(outcomes.filter((reason) => reason === '401 wrong-credentials')).toHaveLength(10);
    expect(outcomes.filter((reason) => reason === '429 attempts')).toHaveLength(5);
    const late = await refusal(keyed, { user: ['quick', `guess-99 from ${first}`], address: addressOf(99) });
    expect(late.headers).toEqual(['Retry-After', expect.stringMatching(/^\d+$/)]);
    // Whoever is known is not held up by it.
    expect(await outcome(keyed, { user: ['quick', 'new'], address: first })).toBe('quick');
    expect(await guess(other, 99)).toBe('401 wrong-credentials');
  });

  it('can be guessed only slowly from many addresses', async () => {
    const guesses = Array.from({ length: 200 }, (_, place) =>
      outcome(keyed, { user: ['quick', `far-${String(place)}`], address: `198.51.100.${String(place)}` }),
    );
    const outcomes = await Promise.all(guesses);
    expect(outcomes.filter((reason) => reason === '401 wrong-credentials').length).toBeLessThanOrEqual(60);
  });
});

describe('guesses with the names of unknown users', () => {
  it('do not use up the attempts of known users', async () => {
    const own = open({ callers: { quick: { basic: { user: 'quick', secret: hashKey('new') } } } });
    const attempt = (user: string, place: number): Promise<string | undefined> =>
      outcome(own, { user: [user, `far-${String(place)}`], address: `198.51.100.${String(place)}` });
    for (let place = 1; place < 60; place += 1) await attempt('quick', place);
    expect(await attempt('stranger', 60)).toBe('401 wrong-credentials');
    expect(await attempt('quick', 61)).toBe('401 wrong-credentials');
    expect(await attempt('quick', 62)).toBe('429 attempts');
  });
});

describe('right passwords', () => {
  it('use up no attempts of their place, such as an office with many users', async () => {
    const names = Array.from({ length: 21 }, (_, at) => `user-${String(at)}`);
    const callers = Object.fromEntries(
      names.map((name) => [name, { basic: { user: name, secret: hashKey(`password of ${name}`) } }]),
    );
    const own = open({ callers });
    const attempt = (user: string, password: string) =>
      outcome(own, { user: [user, password], address: '192.0.2.5' });
    for (const name of names) expect(await attempt(name, `password of ${name}`)).toBe(name);
    for (let guess = 1; guess <= 10; guess += 1)
      expect(await attempt('user-0', `guess ${String(guess)}`)).toBe('401 wrong-credentials');
    expect(await attempt('user-0', 'guess 11')).toBe('429 attempts');
  });
});

describe('right credentials', () => {
  it('are tried again once too many others were presented since', async () => {
    const credentials = new Credentials<string>();
    const hashed = parseSecretHash(hashKey('right'));
    if (hashed === undefined) throw new Error('The hash cannot be read');
    credentials.addUser('user', [hashed], 'caller');
    const token = Buffer.from('user:right').toString('base64');
    // The same password in headers of different spelling.
    const present = (spaces: number) =>
      credentials.callerForBasic(`Basic${' '.repeat(spaces)}${token}`, 'place', {});
    const callers = new Set<unknown>();
    for (let spaces = 1; spaces <= 10_001; spaces += 1) callers.add(await present(spaces));
    expect([...callers]).toEqual(['caller']);
    expect(present(2)).toBe('caller');
    expect(present(1)).toBeInstanceOf(Promise);
  });
});

describe('wrong credentials', () => {
  it('are forgotten once too many are remembered, and then count as new attempts', async () => {
    const credentials = new Credentials<string>();
    const hashed = parseSecretHash(hashKey('right'));
    if (hashed === undefined) throw new Error('The hash cannot be read');
    credentials.addUser('user', [hashed], 'caller');
    const guess = (count: number) => credentials.callerForUser('user', `guess ${String(count)}`, 'place');
    for (let count = 1; count <= 10; count += 1) expect(await guess(count)).toEqual(new Rejected(0));
    // A known guess is no attempt.
    expect(guess(1)).toEqual(new Rejected(0));
    for (let key = 0; key < 10_000; key += 1) credentials.callerForKey('x-key', String(key), {});
    expect(guess(1)).toEqual(new Rejected(expect.any(Number) as number));
    expect(guess(1)).not.toEqual(new Rejected(0));
  });
});

describe('the networks of an address', () => {
  it('are remembered for the ten thousand used last', async () => {
    const access = open({ callers: { inside: { networks: ['10.0.0.0/8'] } } });
    const checked = jest.spyOn(BlockList.prototype, 'check');
    try {
      const come = (at: number) =>
        outcome(access, { address: `10.0.${String(at >> 8)}.${String(at & 255)}` });
      for (let at = 0; at <= 10_000; at += 1) await come(at);
      checked.mockClear();
      expect(await come(1)).toBe('inside');
      expect(checked).not.toHaveBeenCalled();
      expect(await come(0)).toBe('inside');
      expect(checked).toHaveBeenCalledTimes(1);
    } finally {
      checked.mockRestore();
    }
  });
});

describe('a caller identified by a key', () => {
  const access = open({
    callers: {
      a: { key: { header: 'X-Api-Key', secret: hashKey('key-of-a') } },
      b: { key: { header: 'X-Api-Key', secret: [hashKey('old-key-of-b'), hashKey('key-of-b')] } },
      c: { key: { header: 'X-Portal', secret: hashKey('key-of-c') } },
    },
  });

  it.each<[Readonly<Record<string, string>>, string]>([
    [{ 'x-api-key': 'key-of-a' }, 'a'],
    [{ 'x-api-key': 'old-key-of-b' }, 'b'],
    [{ 'x-api-key': 'key-of-b' }, 'b'],
    [{ 'x-portal': 'key-of-c' }, 'c'],
    [{ 'x-portal': 'key-of-a' }, '401 wrong-credentials'],
    [{ 'x-api-key': '' }, '401 wrong-credentials'],
    [{}, '401 no-credentials'],
    [{ authorization: 'Basic eDp5' }, '401 no-credentials'],
  ])('sends %j', async (headers, expected) => {
    expect(await outcome(access, { headers })).toBe(expected);
    expect(await outcome(access, { headers })).toBe(expected);
  });

  it('learns which header to send', async () => {
    expect((await refusal(access, {})).headers).toEqual([
      'WWW-Authenticate',
      'ApiKey realm="web service", header="x-api-key"',
    ]);
  });
});

describe('callers over one connection, as a proxy sends them', () => {
  it('are each identified by their own request', async () => {
    const callers = {
      a: { key: { header: 'X-Api-Key', secret: hashKey('key-of-a') } },
      b: { key: { header: 'X-Api-Key', secret: hashKey('key-of-b') } },
      c: { key: { header: 'X-Portal', secret: hashKey('key-of-c') } },
      d: { basic: { user: 'd', secret: hashKey('of-d') } },
      e: { basic: { user: 'e', secret: hashKey('of-e') } },
    };
    const access = open({ callers });
    const connection = {};
    const over = (who: From): Promise<string | undefined> => outcome(access, { ...who, connection });
    for (let round = 0; round < 2; round += 1) {
      expect(await over({ headers: { 'x-api-key': 'key-of-a' } })).toBe('a');
      expect(await over({ headers: { 'x-api-key': 'key-of-a' } })).toBe('a');
      expect(await over({ headers: { 'x-api-key': 'key-of-b' } })).toBe('b');
      expect(await over({ headers: { 'x-api-key': 'key-of-c' } })).toBe('401 wrong-credentials');
      expect(await over({ headers: { 'x-api-key': 'key-of-b!' } })).toBe('401 wrong-credentials');
      expect(await over({ headers: { 'x-portal': 'key-of-b' } })).toBe('401 wrong-credentials');
      expect(await over({ headers: { 'x-portal': 'key-of-c' } })).toBe('c');
      expect(await over({ headers: { 'x-api-key': 'key-of-\u016b' } })).toBe('401 wrong-credentials');
      expect(await over({ user: ['d', 'of-d'] })).toBe('d');
      expect(await over({ user: ['d', 'of-d'] })).toBe('d');
      expect(await over({ user: ['d', 'of-e'] })).toBe('401 wrong-credentials');
      expect(await over({ user: ['e', 'of-e'] })).toBe('e');
      expect(await over({})).toBe('401 no-credentials');
    }
  });

  it('are forgotten along with the file that named them', async () => {
    const connection = {};
    const who = { headers: { 'x-api-key': 'key-of-a' }, connection };
    const access = open({ callers: { a: { key: { header: 'X-Api-Key', secret: hashKey('key-of-a') } } } });
    expect(await outcome(access, who)).toBe('a');
    expect(await outcome(access, who)).toBe('a');
    writeFileSync(
      path,
      JSON.stringify({ callers: { a: { key: { header: 'X-Api-Key', secret: hashKey('new') } } } }),
    );
    access.reload();
    expect(await outcome(access, who)).toBe('401 wrong-credentials');
  });
});

describe('a caller identified by a certificate', () => {
  const FINGERPRINT = 'AB:CD'.padEnd(95, ':01');
  const access = open({
    callers: {
      print: { certificate: { fingerprint: FINGERPRINT } },
      name: { certificate: { subject: { CN: 'portal', O: 'School' } } },
    },
  });
  const presenting = (fingerprint256: string, subject: object, authorized = true): From => ({
    certificate: { authorized, getPeerCertificate: () => ({ fingerprint256, subject }) },
  });
  const OTHER = FINGERPRINT.replace('AB', 'EF');

  it.each<[string, From, string]>([
    ['its fingerprint', presenting(FINGERPRINT, {}), 'print'],
    ['its subject, in any order', presenting(OTHER, { O: 'School', CN: 'portal' }), 'name'],
    [
      'more than its subject',
      presenting(OTHER, { O: 'School', CN: 'portal', OU: 'x' }),
      '403 no-credentials',
    ],
    ['only a part of its subject', presenting(OTHER, { CN: 'portal' }), '403 no-credentials'],
    ['another name', presenting(OTHER, { O: 'School', CN: 'other' }), '403 no-credentials'],
    [
      'its names for other attributes',
      presenting(OTHER, { O: 'portal', CN: 'School' }),
      '403 no-credentials',
    ],
    ['an untrusted certificate', presenting(FINGERPRINT, {}, false), '403 no-credentials'],
    ['none', { certificate: { authorized: true, getPeerCertificate: () => ({}) } }, '403 no-credentials'],
    ['no TLS', {}, '403 no-credentials'],
  ])('presents %s', async (_what, who, expected) => {
    expect(await outcome(access, who)).toBe(expected);
  });
});

it('a certificate is read once for each connection', async () => {
  const access = open({ callers: { name: { certificate: { subject: { CN: 'portal' } } } } });
  for (const [fingerprint256, expected] of [
    ['AB', 'name'],
    [undefined, '403 no-credentials'],
  ]) {
    const getPeerCertificate = jest.fn(() => ({ fingerprint256, subject: { CN: 'portal' } }));
    const who: From = { connection: {}, certificate: { authorized: true, getPeerCertificate } };
    expect([await outcome(access, who), await outcome(access, who)]).toEqual([expected, expected]);
    expect(getPeerCertificate).toHaveBeenCalledTimes(1);
  }
});

it.each([
  ['a certificate', { certificate: { subject: { CN: 'portal' } } }, true],
  ['a network', { networks: ['10.0.0.0/8'] }, false],
])('certificates are asked for if a caller is identified by one: %s', (_what, caller, isAsked) => {
  expect(open({ callers: { caller } }).knowsCertificates).toBe(isAsked);
});

describe('two callers that a request fits', () => {
  const inside = { networks: ['10.0.0.0/8'] };
  const exact = { ...inside, certificate: { subject: { CN: 'portal' } } };
  const getPeerCertificate = () => ({ fingerprint256: '', subject: { CN: 'portal' } });
  const who: From = { address: '10.1.0.1', certificate: { authorized: true, getPeerCertificate } };

  it.each([[{ inside, exact }], [{ exact, inside }]])(
    'are told apart by the number of their conditions, not by their order: %j',
    async (callers) => {
      const access = open({ callers });
      expect(await outcome(access, who)).toBe('exact');
      expect(await outcome(access, { address: '10.1.0.1' })).toBe('inside');
    },
  );
});

describe('a caller identified by several credentials', () => {
  const access = open({
    callers: {
      inside: { networks: ['10.0.0.0/8'] },
      both: { networks: ['10.1.0.0/16'], key: { header: 'x-key', secret: hashKey('k') } },
      user: { basic: { user: 'u', secret: hashKey('p') } },
    },
  });
  const key = { 'x-key': 'k' };

  it.each<[string, From, string]>([
    ['all of them', { address: '10.1.0.1', headers: key }, 'both'],
    ['the key from elsewhere', { address: '10.2.0.1', headers: key }, '401 incomplete-credentials'],
    ['only the network, which is also another caller’s', { address: '10.1.0.1' }, 'inside'],
    ['a user inside another’s network', { address: '10.1.0.1', user: ['u', 'p'] }, 'user'],
    ['a wrong password inside a network', { address: '10.1.0.1', user: ['u', 'x'] }, '401 wrong-credentials'],
    ['a user who also has another’s key', { headers: key, user: ['u', 'p'] }, 'user'],
    ['a user with a wrong key', { headers: { 'x-key': 'x' }, user: ['u', 'p'] }, '401 wrong-credentials'],
  ])('must present all: %s', async (_what, who, expected) => {
    expect(await outcome(access, who)).toBe(expected);
  });
});

describe('what a caller is permitted', () => {
  const access = open({
    callers: {
      portal: {
        networks: ['10.1.0.0/16'],
        operations: ['GetStudentSchool', 'AuthCode'],
        bindings: ['soap11', 'post'],
        schools: ['HTTP://A', 'http://b'],
      },
      nothing: { networks: ['10.2.0.0/16'], operations: [] },
    },
    anonymous: { operations: ['GetTokenDevice'], bindings: ['get'] },
  });
  const portal = { address: '10.1.0.1' };
  const stranger = { address: '10.3.0.1' };

  it.each<[string, From, AttemptedCall, string | undefined]>([
    ['its operation', portal, CODE, 'portal'],
    ['another', portal, { operation: 'GetTokenDevice', bindings: ['post'] }, '403 operation'],
    ['another binding', portal, { operation: 'AuthCode', bindings: ['get'] }, '403 binding'],
    ['one of two bindings', portal, { operation: 'AuthCode', bindings: ['soap12', 'soap11'] }, 'portal'],
    ['an operation open to all', portal, TOKEN, 'portal'],
    ['an operation named only in the body', portal, { operation: undefined, bindings: ['soap11'] }, 'portal'],
    [
      'such an operation over another binding',
      portal,
      { operation: undefined, bindings: ['soap12'] },
      '403 binding',
    ],
    ['an operation open to all, by an unknown caller', stranger, TOKEN, undefined],
    ['any other operation, by an unknown caller', stranger, CODE, '403 no-credentials'],
    ['any operation, by a caller without any', { address: '10.2.0.1' }, CODE, '403 operation'],
  ])('is decided by the headers: %s', async (_what, who, call, expected) => {
    expect(await outcome(access, who, call)).toBe(expected);
  });

  it('is decided by the body', async () => {
    expect(await judged(access, portal, 'AuthCode', 'soap11')).toBeUndefined();
    expect(await judged(access, portal, 'AuthCode', 'soap12')).toBe('binding');
    expect(await judged(access, portal, 'GetTokenDevice', 'soap11')).toBe('operation');
    expect(await judged(access, stranger, 'AuthCode', 'get')).toBe('operation');
    expect(await judged(access, stranger, 'GetTokenDevice', 'get')).toBeUndefined();
  });

  it.each([
    ['GetTokenDevice', 'soap11', 'This caller may not call this operation.'],
    ['AuthCode', 'soap12', 'This caller may not call this operation over this binding.'],
    ['GetStudentSchool', 'soap11', 'This caller may not access this school.'],
  ] as const)('is explained: %s over %s', async (operation, binding, message) => {
    expect(await refusalOf(access, portal, operation, binding, { school: 'http://c' })).toMatchObject({
      ...{ status: 403, caller: 'portal', message },
    });
  });

  it('is decided by the school if the call names one', async () => {
    const ask = (school: string | null): Promise<string | undefined> =>
      judged(access, portal, 'GetStudentSchool', 'soap11', { school });
    expect(await ask('http://A')).toBeUndefined();
    expect(await ask('HTTP://B')).toBeUndefined();
    expect(await ask('http://c')).toBe('school');
    expect(await ask(null)).toBeUndefined();
  });
});

describe('a rate limit', () => {
  const content = (requestsPerMinute: number, codesPerHour: number): object => ({
    callers: {
      a: { networks: ['10.1.0.0/16'], rate: { requestsPerMinute } },
      b: { networks: ['10.2.0.0/16'], rate: { codesPerHour } },
    },
    anonymous: {
      operations: ['GetTokenDevice', 'AuthCode'],
      rate: { requestsPerMinute: 2, codesPerHour: 1 },
    },
  });

  it('on requests ends in 429 for this caller only, whatever its addresses', async () => {
    const access = open(content(3, 9));
    const outcomes = [];
    for (let i = 0; i < 5; i += 1) outcomes.push(await outcome(access, { address: `10.1.0.${String(i)}` }));
    expect(outcomes).toEqual(['a', 'a', 'a', '429 requests-per-minute', '429 requests-per-minute']);
    expect(await refusal(access, { address: '10.1.0.1' })).toMatchObject({
      caller: 'a',
      headers: ['Retry-After', expect.stringMatching(/^\d+$/)],
    });
    expect(await outcome(access, { address: '10.2.0.1' })).toBe('b');
  });

  it('on unknown callers applies to each address', async () => {
    const access = open(content(3, 9));
    const outcomes = [];
    for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1'])
      outcomes.push(await outcome(access, { address }));
    expect(outcomes).toEqual([undefined, undefined, '429 requests-per-minute', undefined]);
  });

  it('on codes counts only calls of their operation', async () => {
    const access = open(content(3, 2));
    const b = { address: '10.2.0.1' };
    expect(await judged(access, b, 'GetTokenDevice', 'get')).toBeUndefined();
    expect(await judged(access, b, 'AuthCode', 'get')).toBeUndefined();
    expect(await judged(access, b, 'AuthCode', 'get')).toBeUndefined();
    expect(await refusalOf(access, b, 'AuthCode', 'get')).toMatchObject({
      ...{ status: 429, reason: 'codes-per-hour' },
      message: expect.stringMatching(/^Too many codes\. Try again in \d+ s\.$/) as string,
    });
    expect(await judged(access, b, 'GetTokenDevice', 'get')).toBeUndefined();
  });

  it('on codes of unknown callers applies to each address', async () => {
    const access = open(content(3, 9));
    const reasons = [];
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.1'])
      reasons.push(await judged(access, { address }, 'AuthCode', 'get'));
    expect(reasons).toEqual([undefined, undefined, 'codes-per-hour']);
  });

  describe('over time', () => {
    beforeEach(() => {
      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    });
    afterEach(() => {
      jest.useRealTimers();
    });
    const MINUTE = 60_000;

    it('on requests applies per minute, and on codes per hour', async () => {
      const access = open({
        callers: { a: { networks: ['10.1.0.0/16'], rate: { requestsPerMinute: 100, codesPerHour: 2 } } },
      });
      const a = { address: '10.1.0.1' };
      const code = () => judged(access, a, 'AuthCode', 'get');
      expect([await code(), await code()]).toEqual([undefined, undefined]);
      // What is counted by the minute is free again after two.
      for (let minutes = 0; minutes < 59; minutes += 1) {
        expect([minutes, await code()]).toEqual([minutes, 'codes-per-hour']);
        jest.advanceTimersByTime(MINUTE);
      }
      jest.advanceTimersByTime(61 * MINUTE);
      expect([await code(), await code(), await code()]).toEqual([undefined, undefined, 'codes-per-hour']);
    });

    it.each([
      ['requests', { requestsPerMinute: 1 }, 60],
      ['codes', { codesPerHour: 1 }, 3600],
    ] as const)('on %s returns a Retry-After that proves right', async (_what, rate, window) => {
      const access = open({ callers: { a: { networks: ['10.1.0.0/16'], rate } } });
      const a = { address: '10.1.0.1' };
      const retryAfter = async (): Promise<number> => {
        const verdict = await admit(access, a, CODE);
        const refused = 'status' in verdict ? verdict : verdict.authorize('AuthCode', 'post', {});
        return refused === undefined ? 0 : Number(refused.headers[1]);
      };
      expect(await retryAfter()).toBe(0);
      const seconds = await retryAfter();
      expect(seconds).toBeGreaterThan(window / 2);
      expect(seconds).toBeLessThanOrEqual(2 * window);
      jest.advanceTimersByTime((seconds - 1) * 1000);
      expect(await retryAfter()).toBeGreaterThan(0);
      jest.advanceTimersByTime(1000);
      expect(await retryAfter()).toBe(0);
    });
  });

  it('is not reset by reloading the file', async () => {
    const access = open(content(2, 9));
    await outcome(access, { address: '10.1.0.1' });
    await outcome(access, { address: '10.1.0.1' });
    access.reload();
    expect(await outcome(access, { address: '10.1.0.1' })).toBe('429 requests-per-minute');
  });
});

describe('the access file', () => {
  it('can be reloaded: callers are added and removed', async () => {
    const access = open({ callers: { a: { networks: ['10.1.0.0/16'] } } });
    writeFileSync(path, JSON.stringify({ callers: { b: { networks: ['10.2.0.0/16'] } } }));
    expect(await outcome(access, { address: '10.1.0.1' })).toBe('a');
    access.reload();
    expect(await outcome(access, { address: '10.1.0.1' })).toBe('403 no-credentials');
    expect(await outcome(access, { address: '10.2.0.1' })).toBe('b');
  });

  it('keeps its previous content if it is invalid on a reload', async () => {
    const access = open({ callers: { a: { networks: ['10.1.0.0/16'] } } });
    writeFileSync(path, '{"callers": {}');
    expect(() => {
      access.reload();
    }).toThrow('is not valid JSON');
    expect(await outcome(access, { address: '10.1.0.1' })).toBe('a');
  });

  it('without anonymous admits no one else', async () => {
    expect(await outcome(open({}), {})).toBe('403 no-credentials');
  });

  const of = (rules: object): object => ({ callers: { a: rules } });
  const networks = ['10.0.0.0/8'];
  it.each<[string, unknown, string | RegExp]>([
    ['invalid JSON', '{\n  "callers": {\n s3cret }', 'is not valid JSON'],
    ['an unknown key', { caller: {} }, /top level: .*"caller"/],
    ['an unknown key of a caller', of({ networks, operation: [] }), /callers > a: .*"operation"/],
    ['an unknown operation', of({ networks, operations: ['AuthKode'] }), 'callers > a > operations > 0'],
    ['an unknown binding', of({ networks, bindings: ['GET'] }), 'callers > a > bindings > 0'],
    [
      'an invalid network',
      of({ networks: ['10.0.0.0/99'] }),
      'callers > a > networks: 10.0.0.0/99 is not a network',
    ],
    ['no credentials for a caller', of({}), 'callers > a: needs at least one of'],
    [
      'a plain secret',
      of({ basic: { user: 'u', secret: 's3cret' } }),
      'npx school-notifications access-secret',
    ],
    [
      'a slow key',
      of({ key: { header: 'x', secret: `$scrypt$ln=15,r=8,p=3$c2FsdHNhbHRzYWx0$${'A'.repeat(43)}` } }),
      'secret',
    ],
    ...['', 'a:b', 'x'.repeat(257), 'a\n'].map((user): [string, unknown, string] => [
      `the user ${JSON.stringify(user)}`,
      of({ basic: { user, secret: hashKey('s3cret') } }),
      'callers > a > basic > user: is empty, too long, or contains a colon',
    ]),
    ...['', 'x y', 'é', 'x'.repeat(65), 'x:'].map((header): [string, unknown, string] => [
      `the header ${JSON.stringify(header)}`,
      of({ key: { header, secret: hashKey('s3cret') } }),
      'callers > a > key > header: is not a valid header name',
    ]),
    ['a key in Authorization', of({ key: { header: 'Authorization', secret: hashKey('s3cret') } }), 'basic'],
    ['an invalid fingerprint', of({ certificate: { fingerprint: 'AB' } }), 'callers > a > certificate'],
    ['an invalid name', { callers: { 'a b': { networks } } }, 'callers > a b: '],
    ['a rate of zero', of({ networks, rate: { requestsPerMinute: 0 } }), 'rate > requestsPerMinute'],
    ['anonymous without operations', { anonymous: {} }, 'anonymous > operations'],
    [
      'one user twice',
      {
        callers: {
          a: { basic: { user: 'u', secret: hashKey('x') } },
          b: { basic: { user: 'u', secret: hashKey('y') } },
        },
      },
      'a and b have the same user.',
    ],
    [
      'one key twice',
      {
        callers: {
          a: { key: { header: 'x', secret: hashKey('x') } },
          b: { key: { header: 'y', secret: hashKey('x') } },
        },
      },
      'a and b have the same key.',
    ],
  ])('is refused with %s, without showing its content', (_what, content, expected) => {
    let message = '';
    try {
      open(content);
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('(ACCESS_FILE)');
    expect(message).toMatch(expected);
    expect(message).not.toContain('s3cret');
  });

  it('is refused if it does not exist', () => {
    expect(() => new Access({ ...OPTIONS, path: join(folder, 'none.json') })).toThrow(
      /Cannot read .+ \(ACCESS_FILE\)/,
    );
  });
});
