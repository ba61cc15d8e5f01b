// Attacks through SOAP.

import { storedMessages } from '../../service/stored-messages';
import {
  emptyAnswer,
  emptyOf,
  FRESH,
  fault11,
  fault12,
  ok11,
  ok12,
  seen,
  token11Is,
  token12Is,
  versionMismatch,
  type WireAnswer,
} from '../../harness/asmx-answers';
import {
  call,
  envelope,
  envelope11,
  envelope12,
  NAMESPACE,
  type RawRequest,
  SOAP_11,
  SOAP_12,
  SOAP_XML,
  soap11,
  soap12,
  TEXT_XML,
  token11,
  token12,
} from '../../../scripts/harness';
import { type Case, MARK, useAttackedService } from './attacked-service';

const PUSH = 'PushNotificationMobile';
const NOTES = 'NotificationNotes';
const ID = `${MARK}-7`;
const TOKEN = `token-${MARK}`;
const UNREADABLE = 'Server was unable to read request. ---> ';
const WITHOUT_ACTION =
  'Unable to handle request without a valid action parameter. Please supply a valid soap action.';

const service = useAttackedService({ devices: { [ID]: TOKEN } });

/** Over both versions, what an operation says of its caller's arguments. */
function said(text: string): readonly [WireAnswer, WireAnswer] {
  return [fault11('Client', text, { cacheControl: FRESH }), fault12('Sender', text, { cacheControl: FRESH })];
}

function unknownAction(action: string): WireAnswer {
  return fault11('Client', `Server did not recognize the value of HTTP Header SOAPAction: ${action}.`);
}

/** Makes the same request with these headers and no others. */
function headed(request: RawRequest, ...headers: (readonly [string, string])[]): RawRequest {
  return { ...request, headers };
}

const token = (content: string): string => `<GetTokenDevice xmlns="${NAMESPACE}">${content}</GetTokenDevice>`;
const asked11 = (content: string): RawRequest => soap11(PUSH, 'GetTokenDevice', envelope11(content));
const asked12 = (content: string): RawRequest => soap12(PUSH, envelope12(content));
const GOOD = token(`<id>${ID}</id>`);
const ACTION = ['SOAPAction', `"${NAMESPACE}GetTokenDevice"`] as const;

let codes = 0;
/** AuthCode for a phone that no other test uses. */
function code(header: string): { readonly request11: RawRequest; readonly request12: RawRequest } {
  const next = (): string =>
    call('AuthCode', { code: `${MARK}-1`, phone: `+90555765${String(1000 + (codes += 1))}` });
  return {
    request11: soap11('AuthCodeSending', 'AuthCode', envelope11(next(), header)),
    request12: soap12('AuthCodeSending', envelope12(next(), header)),
  };
}

async function storedCount(): Promise<number> {
  return (await storedMessages(service.databaseUrl)).length;
}

describe('SOAP', () => {
  it('18 Unknown operation and action', async () => {
    const action = `${NAMESPACE}${MARK}Nope`;
    await service.answers(
      [soap11(PUSH, `${MARK}Nope`, envelope11(GOOD)), unknownAction(action)],
      [asked12(call(`${MARK}Nope`)), fault12('Sender', WITHOUT_ACTION)],
      [
        soap12(PUSH, envelope12(call(`${MARK}Nope`)), `; action="${action}"`),
        fault12('Sender', `Unable to handle request. The action '${action}' was not recognized.`),
      ],
    );
  });

  it('19 Action of one operation, body of another: the action’s operation runs, without arguments', async () => {
    const send = call('SendMarkNotes', { id: 'N1', id_class: '1A', baseUrlSchool: 'http://school.example' });
    const list = call('GetStudentSchool', { school_base_url: `http://${MARK}`, show_active: '89' });
    const before = await storedCount();
    const [lacksSchool11, lacksSchool12] = said('Missing parameter: school_base_url.');
    const [lacksId11, lacksId12] = said('Missing parameter: id.');
    const named = (operation: string): string => `; action="${NAMESPACE}${operation}"`;
    await service.answers(
      [soap11(NOTES, 'GetStudentSchool', envelope11(send)), lacksSchool11],
      [soap12(NOTES, envelope12(send), named('GetStudentSchool')), lacksSchool12],
      [soap11(NOTES, 'SendMarkNotes', envelope11(list)), lacksId11],
      [soap12(NOTES, envelope12(list), named('SendMarkNotes')), lacksId12],
    );
    expect(await storedCount()).toBe(before);
  });

  it('20 SOAPAction absent, empty, unquoted, in another letter case, of 8 KB', async () => {
    const request = asked11(GOOD);
    const acted = (action: string): RawRequest =>
      headed(request, ['Content-Type', TEXT_XML], ['SOAPAction', action]);
    const long = `${MARK}${'x'.repeat(8192)}`;
    await service.answers(
      [headed(request, ['Content-Type', TEXT_XML]), token11Is(TOKEN)],
      [acted(''), unknownAction('')],
      [acted('""'), unknownAction('')],
      [acted(`${NAMESPACE}GetTokenDevice`), token11Is(TOKEN)],
      [acted(`"${NAMESPACE}gettokendevice"`), unknownAction(`${NAMESPACE}gettokendevice`)],
      [acted(long), unknownAction(long)],
    );
  });

  it('21 SOAP 1.2 without an action, and with a wrong one', async () => {
    await service.answers(
      [asked12(GOOD), token12Is(TOKEN)],
      [soap12(PUSH, envelope12(GOOD), `; action="${MARK}"`), token12Is(TOKEN)],
      [soap12(PUSH, envelope12(GOOD), '; action=""'), token12Is(TOKEN)],
    );
  });

  it('22 Envelope of an unknown namespace', async () => {
    await service.answers(
      ...[`urn:${MARK}`, 'http://www.w3.org/2001/12/soap-envelope'].flatMap((namespace): readonly Case[] => [
        [soap11(PUSH, 'GetTokenDevice', envelope(namespace, GOOD)), versionMismatch(namespace)],
        [soap12(PUSH, envelope(namespace, GOOD)), versionMismatch(namespace)],
      ]),
      [soap11(PUSH, 'GetTokenDevice', '<a/>'), versionMismatch('')],
    );
  });

  it.each([
    ['1', ''],
    ['true', ''],
    ['1', ' s:actor="http://other.example/" s:role="http://other.example/"'],
  ])('23 Header that must be understood (%s%s): the operation does not run', async (value, actor) => {
    const before = await storedCount();
    const text = `SOAP header ${MARK} was not understood.`;
    const parts = { detail: null, cacheControl: FRESH };
    const cases = [SOAP_11, SOAP_12].flatMap((namespace): readonly Case[] => {
      const header = `<${MARK} xmlns="urn:h" xmlns:s="${namespace}" s:mustUnderstand="${value}"${actor}/>`;
      const { request11, request12 } = code(header);
      return [
        [request11, fault11('MustUnderstand', text, parts)],
        [request12, fault12('MustUnderstand', text, parts)],
      ];
    });
    await service.answers(...cases);
    expect(await storedCount()).toBe(before);
  });

  it('23 Header that need not be understood: the operation runs', async () => {
    const before = await storedCount();
    const { request11 } = code(`<h xmlns="urn:h" xmlns:s="${SOAP_11}" s:mustUnderstand="0"/>`);
    const { request12 } = code(`<h xmlns="urn:h" xmlns:s="${SOAP_12}" s:mustUnderstand="0"/>`);
    await service.answers([request11, ok11(emptyOf('AuthCode'))], [request12, ok12(emptyOf('AuthCode'))]);
    expect(await storedCount()).toBe(before + 2);
  });

  it('24 Body missing or empty, Header of text or after the Body, two operations', async () => {
    const missing = 'Request format is invalid: Missing required soap:Body element.';
    const [lacks11] = said('Missing parameter: id.');
    const without = (text: string): string => text.replace(/<soap:Body>.*<\/soap:Body>/, '');
    const behind = (text: string): string =>
      text.replace('</soap:Body>', '</soap:Body><soap:Header><a/></soap:Header>');
    const two = token(`<id>${MARK}</id>`) + GOOD;
    await service.answers(
      [soap11(PUSH, 'GetTokenDevice', without(envelope11(''))), fault11('Client', UNREADABLE + missing)],
      [
        soap12(PUSH, without(envelope12(''))),
        fault12('Receiver', `Server was unable to process request. ---> ${missing}`),
      ],
      [asked11(''), lacks11],
      [asked12(''), fault12('Sender', WITHOUT_ACTION)],
      [soap11(PUSH, 'GetTokenDevice', envelope11(GOOD, 'text')), token11Is(TOKEN)],
      [soap12(PUSH, envelope12(GOOD, 'text')), token12Is(TOKEN)],
      [soap11(PUSH, 'GetTokenDevice', behind(envelope11(GOOD))), token11Is(TOKEN)],
      [soap12(PUSH, behind(envelope12(GOOD))), token12Is(TOKEN)],
      [asked11(two), token11Is(TOKEN)],
      [asked12(two), token12Is(TOKEN)],
    );
  });

  it('25 Parameter missing, twice, nested, with attributes, among 1,000 others', async () => {
    const [lacks11, lacks12] = said('Missing parameter: id.');
    const read = (content: string): readonly Case[] => [
      [asked11(token(content)), token11Is(TOKEN)],
      [asked12(token(content)), token12Is(TOKEN)],
    ];
    await service.answers(
      [asked11(token('')), lacks11],
      [asked12(token('')), lacks12],
      ...read(`<id>${ID}</id><id>${MARK}</id>`),
      ...read(`<id><b>${ID}</b></id>`),
      ...read(`<id a="1" id="__proto__" xml:lang="tr">${ID}</id>`),
      ...read(`${'<z><id>8</id></z>'.repeat(500)}<id>${ID}</id>${'<__proto__/>'.repeat(500)}`),
    );
  });

  describe('26 Values of show_active', () => {
    const asked = (flag: string): RawRequest =>
      soap11(
        NOTES,
        'GetStudentSchool',
        envelope11(call('GetStudentSchool', { school_base_url: 'http://school.example', show_active: flag })),
      );

    it('the code of a character, and the character itself, are accepted', async () => {
      const byCode = await service.ask(asked('89'));
      const list = seen(byCode);
      expect(list.status).toBe(200);
      expect(list.body).toContain('<StudentInfo><id_student>S1</id_student>');
      await service.answers([asked('Y'), list]);
    });

    it.each([
      ['', 'Input string was not in a correct format.'],
      ['-1', 'Input string was not in a correct format.'],
      ['8 9', 'Input string was not in a correct format.'],
      ['65536', 'Value was either too large or too small for a UInt16.'],
    ])('%j is rejected, with its position', async (flag, text) => {
      const request = asked(flag);
      const column = String(request.body).indexOf('</GetStudentSchool>') + 3;
      const place = `There is an error in XML document (1, ${String(column)}).`;
      await service.answers([request, fault11('Client', `${UNREADABLE}${place} ---> ${text}`)]);
    });
  });

  it('27 Envelope of one version under the media type of the other', async () => {
    await service.answers(
      [soap12(PUSH, envelope11(GOOD)), emptyAnswer(415, TEXT_XML)],
      [soap11(PUSH, 'GetTokenDevice', envelope12(GOOD)), token12Is(TOKEN)],
    );
  });

  describe('28 Other Content-Type', () => {
    const request = asked11(GOOD);
    const typed = (...types: readonly string[]): RawRequest =>
      headed(request, ...types.map((type) => ['Content-Type', type] as const), ACTION);

    it.each(['application/json', 'text/plain', `${MARK}/${MARK}`])('%s: 415, and empty', async (type) => {
      await service.answers([typed(type), emptyAnswer(415, TEXT_XML)]);
    });

    it('missing: 415, and empty', async () => {
      await service.answers(
        [typed(), emptyAnswer(415, TEXT_XML)],
        [headed(asked12(GOOD)), emptyAnswer(415, SOAP_XML)],
      );
    });

    it('two: the first one is used', async () => {
      await service.answers(
        [typed(TEXT_XML, `text/${MARK}`), token11Is(TOKEN)],
        [typed(`text/${MARK}`, TEXT_XML), emptyAnswer(415, TEXT_XML)],
      );
    });

    it('10 KB: a page that does not repeat it', async () => {
      await service.showsPage(
        typed(`text/xml; charset=${MARK}${'x'.repeat(10_240)}`),
        400,
        'The length of the Content-Type header of this request exceeds the limit.',
      );
    });
  });

  it('29 Multipart: multipart/related', async () => {
    const type = `multipart/related; boundary=b; type="application/xop+xml"; start-info="text/xml"`;
    const body = `--b\r\nContent-Type: application/xop+xml\r\n\r\n${envelope11(GOOD)}\r\n--b--\r\n`;
    await service.answers(
      [headed({ ...token11(ID), body }, ['Content-Type', type], ACTION), emptyAnswer(415, TEXT_XML)],
      [
        headed({ ...token12(ID), body: envelope12(GOOD) }, ['Content-Type', type]),
        emptyAnswer(415, SOAP_XML),
      ],
    );
  });
});
