import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { JSON_GATEWAY } from '../../../scripts/harness/delivery';
import { readGateways } from '../../../src/delivery/gateways/gateway-file';
import { openGateway } from '../../../src/delivery/gateways/sms-gateway';
import { FEATURES } from '../../../src/features';
import { OperatorError } from '../../../src/support/errors';
import { useFolderPerTest } from '../../harness/use-folder';
import { NO_PROXY } from '../transports/transport-kit';

const folder = useFolderPerTest();
const file = (content: unknown, name = 'gateways.json'): string => {
  const path = join(folder(), name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
  return path;
};
const gateway = { url: 'https://sms.example/send', ...JSON_GATEWAY };
const only = (description: object) => file({ gateways: { own: description } });

/** Returns how a file is refused: when it is read, or when its gateways are opened. */
function refusal(path: string): string {
  try {
    for (const each of readGateways(path).gateways) void openGateway(each, NO_PROXY).close();
  } catch (error) {
    expect(error).toBeInstanceOf(OperatorError);
    return (error as OperatorError).message.replaceAll(folder(), '');
  }
  throw new Error('It was not refused');
}

/** Are refused without a feature that takes receipts. */
const FOR_RECEIPTS: readonly (readonly [string, () => string, string])[] = [
  [
    'receipts that nothing takes',
    () => only({ ...gateway, receipts: { status: { json: '/s' }, states: [] } }),
    'gateways > own > receipts is not a known field.',
  ],
  [
    'an address for receipts that nothing takes',
    () =>
      only({
        ...{ preset: 'verimor', user: 'u', password: 'hunter2', sender: 'OKUL' },
        receiptUrl: 'https://x.example/receipts/own/S3cret-of-this-gateway',
      }),
    'gateways > own > receiptUrl cannot be used: this service takes no receipts.',
  ],
];

describe('GATEWAYS_FILE', () => {
  afterEach(() => {
    delete process.env['TEST_SMS_PASSWORD'];
  });

  it('reads values given as text, in files beside it and in the environment', () => {
    file('from file\n', 'secret');
    process.env['TEST_SMS_PASSWORD'] = 'from environment';
    const values = {
      sender: 'OKUL',
      a: { file: 'secret' },
      b: { env: 'TEST_SMS_PASSWORD' },
      apiKey: 'plain',
    };
    const [read] = readGateways(only({ ...gateway, values })).gateways;
    expect(read?.values).toEqual({ sender: 'OKUL', a: 'from file', b: 'from environment', apiKey: 'plain' });
    // Any of them may be a credential.
    expect(read?.secrets).toEqual(['sender', 'a', 'b', 'apiKey']);
  });

  it('knows which values of a preset are credentials, by their source and place and not by their names', () => {
    const preset = { preset: 'verimor', user: 'u', password: 'p', sender: 'OKUL' };
    expect(readGateways(only(preset)).gateways[0]?.secrets).toEqual(['password']);
    file('from file', 'secret');
    const fromFile = { ...preset, sender: { file: 'secret' } };
    expect(readGateways(only(fromFile)).gateways[0]?.secrets).toEqual(['password', 'sender']);
    const twilio = { preset: 'twilio', account: 'AC1', password: 'p', sender: 's' };
    const { secrets } = readGateways(only(twilio)).gateways[0] ?? {};
    expect(secrets).toEqual(['user', 'password', 'authToken', 'secondaryAuthToken']);
  });

  it('expands a preset, whose rate and connections can be set', () => {
    const preset = { preset: 'verimor', user: 'u', password: 'p', sender: 'OKUL' };
    const { gateways } = readGateways(
      file({ gateways: { one: preset, two: { ...preset, rate: { perSecond: 2 }, connections: 3 } } }),
    );
    expect(gateways.map(({ name, rate, connections }) => ({ name, rate, connections }))).toEqual([
      { name: 'one', rate: 4, connections: 16 },
      { name: 'two', rate: 2, connections: 3 },
    ]);
    expect(gateways[0]?.values).toMatchObject({ user: 'u', base: 'https://sms.verimor.com.tr' });
  });

  it('sends every number through its first gateway, then the next, unless routes are set', () => {
    const gateways = { a: gateway, b: gateway };
    expect(readGateways(file({ gateways })).routes).toEqual([{ gateways: ['a', 'b'] }]);
    const routes = [{ countries: ['TR'], gateways: ['b'] }];
    expect(readGateways(file({ gateways, routes })).routes).toEqual([...routes, { gateways: ['a', 'b'] }]);
    expect(readGateways(file({ gateways, routes: [{ gateways: ['b'] }] })).routes).toEqual([
      { gateways: ['b'] },
    ]);
  });

  it.each<readonly [string, () => string, string]>([
    ['invalid JSON', () => file('{'), '/gateways.json (GATEWAYS_FILE) is not valid JSON'],
    ['no gateway', () => file({ gateways: {} }), 'at line 2, column 15: gateways is empty.'],
    [
      'an unknown field',
      () => only({ ...gateway, methd: 'GET' }),
      ': gateways > own > methd is not a known field. Did you mean method?',
    ],
    [
      'a field of another object',
      () => only({ ...gateway, pauseSeconds: 1 }),
      ': gateways > own > pauseSeconds is not a field here; it belongs to a rule in "answers".',
    ],
    ['a wrong name', () => file({ gateways: { 'A B': gateway } }), 'gateways > A B'],
    [
      'no rule for success',
      () => only({ ...gateway, answers: [{ status: 400, class: 'rejected' }] }),
      'gateways > own > answers needs a rule of class "accepted".',
    ],
    [
      'a rule without condition',
      () => only({ ...gateway, answers: [{ class: 'accepted' }] }),
      'gateways > own > answers > 0 needs "status" or "code".',
    ],
    [
      'an unknown class',
      () => only({ ...gateway, answers: [{ status: 200, class: 'ok' }] }),
      'answers > 0 > class must be one of accepted, busy',
    ],
    [
      'a body without a type',
      () => only({ ...gateway, type: undefined }),
      'gateways > own > body needs "type"',
    ],
    [
      'no body',
      () => only({ ...gateway, body: undefined }),
      'gateways > own > body is missing; for an empty one',
    ],
    [
      'a body by GET',
      () => only({ ...gateway, method: 'GET' }),
      'gateways > own > body cannot be sent by GET.',
    ],
    ['an object in XML', () => only({ ...gateway, type: 'xml' }), 'body must be text for "type": "xml".'],
    [
      'a nested form',
      () => only({ ...gateway, type: 'form', body: { a: { b: 'c' } } }),
      'body must have text for each field',
    ],
    [
      'a placeholder in two braces',
      () => only({ ...gateway, body: { to: '{phone}', text: '{{text}}' } }),
      'gateways > own > body: write {text}, not {{text}}.',
    ],
    [
      'no text',
      () => only({ ...gateway, body: { to: '{phone}' } }),
      'at line 6, column 15: gateways > own > body does not contain {text}.',
    ],
    [
      'no number',
      () =>
        only({
          ...gateway,
          method: 'GET',
          url: 'https://x.example/?t={text}',
          type: undefined,
          body: undefined,
        }),
      'gateways > own > url does not contain {phone}.',
    ],
    [
      'text placeholders without quotes in JSON',
      () => only({ ...gateway, body: '{"to":"{phone}","text":{text}}' }),
      'body is not valid JSON; text placeholders need quotes',
    ],
    [
      'a Content-Type of another type',
      () => only({ ...gateway, headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      'headers have a Content-Type that does not match "type": "json".',
    ],
    [
      'rules for codes without a place for them',
      () => only({ ...gateway, code: undefined, answers: [{ code: 0, class: 'accepted' }] }),
      'answers match codes, so "code" must say where the answer has its code',
    ],
    ['a missing field', () => only({ ...gateway, url: undefined }), 'gateways > own > url is missing.'],
    [
      'a field in place of another',
      () => only({ ...gateway, authorization: { type: 'basic', username: 'hunter2', password: 'p' } }),
      'gateways > own > authorization > username is not a known field, and "user" is missing.',
    ],
    [
      'an unknown authorization',
      () => only({ ...gateway, authorization: { type: 'Digest' } }),
      'authorization > type must be one of basic, bearer, header, oauth, hmac, login.',
    ],
    [
      'an HMAC without a signature',
      () =>
        only({
          ...gateway,
          authorization: { type: 'hmac', key: 'k', over: '{body}', headers: { 'X-A': 'b' } },
        }),
      'authorization > headers must contain {signature}.',
    ],
    [
      'an address of tokens without a scheme',
      () =>
        only({
          ...gateway,
          authorization: { type: 'oauth', tokenUrl: 'sms.example', clientId: 'a', clientSecret: 'b' },
        }),
      'authorization > tokenUrl is not an http:// or https:// URL.',
    ],
    ...('receipts' in FEATURES ? [] : FOR_RECEIPTS),
    [
      'a number for a text',
      () => only({ ...gateway, charset: 8 }),
      'charset must be one of utf-8, iso-8859-1',
    ],
    ['a text for a number', () => only({ ...gateway, connections: '5' }), 'connections must be a number.'],
    ['no connections', () => only({ ...gateway, connections: 0 }), 'connections must be at least 1.'],
    ['one gateway without its name', () => file({ gateways: [gateway] }), 'gateways must be an object.'],
    [
      'gateways without their name',
      () => file({ own: gateway }),
      'own is not a known field, and "gateways" is missing.',
    ],
    [
      'a field of another place',
      () => only({ ...gateway, pauseSeconds: 5 }),
      'gateways > own > pauseSeconds is not a field here; it belongs to a rule in "answers".',
    ],
    [
      'a misspelt field',
      () => only({ ...gateway, conections: 5 }),
      'gateways > own > conections is not a known field. Did you mean connections?',
    ],
    [
      'a gateway twice',
      () => file('{"gateways": {"own": {},\n "own": {}}}'),
      'has "own" twice in one object at line 2, column 2.',
    ],
    [
      'an unknown placeholder',
      () => only({ ...gateway, body: '{"to":"{phone}","text":"{text}","x":"{telephone}"}' }),
      'gateways > own > body: unknown placeholder {telephone}. Expected {phone}, {text}',
    ],
    [
      'an invalid URL',
      () => only({ ...gateway, url: 'ftp://user:hunter2@sms.example' }),
      'at line 4, column 14: gateways > own > url is not an http',
    ],
    ['a pattern with look-ahead', () => only({ ...gateway, code: { pattern: '(?=x)(?<a>b)' } }), 'RE2'],
    [
      'a pattern without a group',
      () => only({ ...gateway, code: { pattern: 'x' } }),
      'exactly one named group',
    ],
    [
      'a value named like a placeholder',
      () => only({ ...gateway, values: { phone: 'x' } }),
      'values > phone',
    ],
    [
      'a secret file that is not there',
      () => only({ ...gateway, values: { key: { file: 'none' } } }),
      'gateways > own > values > key names the file /none, which cannot be read (ENOENT).',
    ],
    [
      'an empty secret file',
      () => only({ ...gateway, values: { key: { file: file('\n', 'empty') } } }),
      'which is empty.',
    ],
    [
      'a variable that is not set',
      () => only({ ...gateway, values: { key: { env: 'TEST_SMS_PASSWORD' } } }),
      'names TEST_SMS_PASSWORD, an environment variable that is not set',
    ],
    [
      'an unknown preset',
      () => only({ preset: 'netsgm' }),
      'gateways > own > preset is not a preset. Presets: twilio, vonage',
    ],
    [
      'a preset without a value',
      () => only({ preset: 'vonage', user: 'hunter2' }),
      'gateways > own needs "password": API secret.',
    ],
    [
      'an unknown value of a preset',
      () => only({ preset: 'vonage', user: 'u', password: 'p', sender: 's', pasword: 'hunter2' }),
      'gateways > own > pasword is not a value of the preset vonage; it takes user, password, sender, signatureSecret, receiptUrl, base, rate, connections, idempotent.',
    ],
    [
      'a route to nowhere',
      () => file({ gateways: { own: gateway }, routes: [{ gateways: ['other'] }] }),
      'routes > 0 > gateways > 0 is not a gateway in this file.',
    ],
    [
      'an invalid country',
      () => file({ gateways: { own: gateway }, routes: [{ countries: ['tr'], gateways: ['own'] }] }),
      'is not a country code such as TR',
    ],
  ])('with %s is refused with the place, without showing a value', (_what, path, message) => {
    const said = refusal(path());
    expect(said).toContain(message);
    expect(said).not.toMatch(/hunter2|\n/);
  });
});
