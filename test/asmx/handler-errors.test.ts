// The wire contract, section 3, step 7, and the fault templates of 3.1 and 3.2.

import { fault11, fault12, formError, FRESH } from '../harness/asmx-answers';
import { startAsmxServer } from '../harness/asmx-server';
import { endpointsWith, handlerOf, type StringHandler } from '../harness/recording-endpoints';
import {
  call,
  envelope11,
  envelope12,
  get,
  soap11,
  token11,
  token12,
  tokenMessage12,
} from '../../scripts/harness';
import { useReference, useServer } from '../harness/use-server';

const reference = useReference();
const ACTOR = 'http://example.test/actor';
const UNABLE = 'Server was unable to process request. ---> ';

describe('an error thrown by a handler', () => {
  it.each([
    ['throw', 'boom from handler'],
    ['throw-inner', 'outer message ---> inner message'],
    ['throw-arg', 'Value is bad.\r\nParameter name: code'],
  ])('is a server fault with its messages: %s', async (trigger, text) => {
    const parts = { cacheControl: FRESH };
    expect(await reference.ask(token11(trigger))).toEqual(fault11('Server', UNABLE + text, parts));
    expect(await reference.ask(token12(trigger))).toEqual(fault12('Receiver', UNABLE + text, parts));
  });

  it('keeps its own code and text if it is a SOAP fault', async () => {
    const parts = { cacheControl: FRESH };
    expect(await reference.ask(token11('throw-soap'))).toEqual(
      fault11('Client', 'custom soap message', parts),
    );
    expect(await reference.ask(token12('throw-soap'))).toEqual(
      fault12('Sender', 'custom soap message', parts),
    );
  });

  it('includes its actor', async () => {
    const parts = { cacheControl: FRESH, actor: ACTOR };
    const text = 'custom server message';
    expect(await reference.ask(token11('throw-soap-server'))).toEqual(fault11('Server', text, parts));
    expect(await reference.ask(token12('throw-soap-server'))).toEqual(fault12('Receiver', text, parts));
  });

  it('includes its detail unchanged', async () => {
    const detail = '<info xmlns="http://example.test/">more</info>';
    const parts = { cacheControl: FRESH, actor: ACTOR, detail };
    expect(await reference.ask(token11('throw-soap-detail'))).toEqual(
      fault11('Server', 'with detail', parts),
    );
    expect(await reference.ask(token12('throw-soap-detail'))).toEqual(
      fault12('Receiver', 'with detail', parts),
    );
  });

  it.each([
    ['AuthCodeSending', 'AuthCode', { code: '1', phone: 'throw' }],
    ['Scheduals', 'GetExamTableByExamId', { ExamId: 'throw' }],
    ['NotificationNotes', 'GetStudentSchool', { school_base_url: 'throw', show_active: '89' }],
    ['NotificationNotes', 'SendMarkNotes', { id: '1', id_class: '2', baseUrlSchool: 'throw' }],
  ])('is reported in the same way by %s %s', async (endpoint, operation, params) => {
    const body = call(operation, params);
    const fault = fault11('Server', `${UNABLE}boom from handler`, { cacheControl: FRESH });
    expect(await reference.ask(soap11(endpoint, operation, envelope11(body)))).toEqual(fault);
  });

  it('does not affect the next call', async () => {
    for (const trigger of ['throw-soap', 'throw-soap-server', 'throw-soap-detail', 'throw']) {
      const first = await reference.ask(token11(trigger));
      expect(first.status).toBe(500);
      expect(await reference.ask(token11(trigger))).toEqual(first);
    }
  });
});

describe('56 A handler that throws something odd', () => {
  let behave: StringHandler = handlerOf(() => undefined);
  const odd = useServer(() =>
    startAsmxServer({ endpoints: endpointsWith(() => (args, context) => behave(args, context)) }),
  );

  it.each<[string, StringHandler, string]>([
    ['an error with markup in its message', () => fail(new Error('<b> & "c" \'d\'')), '<b> & "c" \'d\''],
    ['an error without a message', () => fail(new Error('')), ''],
    ['a rejection', () => Promise.reject(new Error('late')), 'late'],
    ['three errors deep', () => fail(nested('a', 'b', 'c')), 'a ---> b ---> c'],
  ])('gets a fault: %s', async (_what, handler, text) => {
    behave = handler;
    const fault = fault11('Server', UNABLE + text, { cacheControl: FRESH });
    expect(await odd.ask(token11('7'))).toEqual(fault);
  });

  it.each<[string, unknown]>([
    ['a string', 'just text'],
    ['null', null],
    ['undefined', undefined],
    ['a number', 7],
    ['an object', { a: 1 }],
    ['an error that is its own cause', circular()],
    ['an object without a prototype', Object.create(null)],
  ])('gets a fault without a stack over %s, thrown or rejected', async (_what, thrown) => {
    const reject: StringHandler = () => Promise.resolve().then(() => fail(thrown));
    for (const handler of [reject, () => fail(thrown)]) {
      behave = handler;
      for (const request of [
        token11('7'),
        token12('7'),
        get('PushNotificationMobile', 'GetTokenDevice', 'id=7'),
      ]) {
        const answer = await odd.ask(request);
        expect(answer.status).toBe(500);
        expect(answer.body).not.toMatch(/ at |node_modules|\.ts|\.js/);
      }
    }
  });

  it('gets a fault without details if its result is not in the contract', async () => {
    behave = handlerOf(() => 7);
    const text = 'An error occurred on the server.';
    expect(await odd.ask(token11('7'))).toEqual(fault11('Server', UNABLE + text, { cacheControl: FRESH }));
    expect(await odd.ask(get('PushNotificationMobile', 'GetTokenDevice', 'id=7'))).toEqual(
      formError(text, FRESH),
    );
  });

  it('shows its message over HTTP GET in encoded form', async () => {
    behave = () => fail(new Error('<b> & "c" \'d\'', { cause: new Error('é') }));
    expect(await odd.ask(get('PushNotificationMobile', 'GetTokenDevice', 'id=7'))).toEqual(
      formError('&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39; ---> &#233;', FRESH),
    );
  });

  it('does not prevent the next call', async () => {
    behave = () => fail(null);
    await odd.ask(token12('7'));
    behave = handlerOf(() => 'fine');
    expect((await odd.ask(token12('7'))).body).toContain('<GetTokenDeviceResult>fine</GetTokenDeviceResult>');
    expect((await odd.ask(tokenMessage12(envelope12(call('GetTokenDevice'))))).status).toBe(200);
  });
});

/** Throws any value, as plain JavaScript below a handler may. */
function fail(thrown: unknown): never {
  throw thrown;
}

function nested(...messages: string[]): Error {
  const [first = '', ...rest] = messages;
  return new Error(first, rest.length === 0 ? {} : { cause: nested(...rest) });
}

function circular(): Error {
  const error = new Error('round');
  error.cause = error;
  return error;
}
