// The wire contract, section 3, step 6.

import {
  emptyAnswer,
  fault11,
  fault12,
  FRESH,
  token11Is,
  token12Is,
  versionMismatch,
} from '../../harness/asmx-answers';
import { startAsmxServer } from '../../harness/asmx-server';
import { type RecordedCall, recordingEndpoints } from '../../harness/recording-endpoints';
import {
  call,
  envelope11,
  envelope12,
  SOAP_11,
  SOAP_12,
  soap11,
  soap12,
  TEXT_XML,
  tokenMessage11,
  tokenMessage12,
} from '../../../scripts/harness';
import { useReference, useServer } from '../../harness/use-server';

const reference = useReference();
const TOKEN = call('GetTokenDevice', { id: '7' });

function ask11(header: string, body = TOKEN) {
  return reference.ask(tokenMessage11(envelope11(body, header)));
}

function ask12(header: string, body = TOKEN) {
  return reference.ask(tokenMessage12(envelope12(body, header)));
}

function notUnderstood(name: string) {
  const parts = { detail: null, cacheControl: FRESH };
  const text = `SOAP header ${name} was not understood.`;
  return { in11: fault11('MustUnderstand', text, parts), in12: fault12('MustUnderstand', text, parts) };
}

describe('a header block with mustUnderstand', () => {
  it.each([
    ['1', 'soap:mustUnderstand="1"'],
    ['true', 'soap:mustUnderstand="true"'],
    ['in the namespace of version 1.1', `xmlns:e="${SOAP_11}" e:mustUnderstand="1"`],
    ['in the namespace of version 1.2', `xmlns:e="${SOAP_12}" e:mustUnderstand="true"`],
    ['for the next actor', 'soap:mustUnderstand="1" soap:actor="http://schemas.xmlsoap.org/soap/actor/next"'],
    ['for another actor', 'soap:mustUnderstand="1" soap:actor="http://example.org/other"'],
    ['for no actor', `soap:mustUnderstand="1" soap:role="${SOAP_12}/role/none"`],
    ['for the ultimate receiver', `soap:mustUnderstand="1" soap:role="${SOAP_12}/role/ultimateReceiver"`],
    ['to be relayed', 'soap:mustUnderstand="1" soap:relay="true"'],
  ])('is rejected by name, without a detail: %s', async (_what, attributes) => {
    const header = `<h:Foo xmlns:h="urn:h" ${attributes}>x</h:Foo>`;
    const { in11, in12 } = notUnderstood('Foo');
    expect(await ask11(header)).toEqual(in11);
    expect(await ask12(header)).toEqual(in12);
  });

  it('is rejected whatever blocks surround it', async () => {
    const header =
      '\n <a:A xmlns:a="urn:a"/><!-- c --> <b:B xmlns:b="urn:b" soap:mustUnderstand="1"><c soap:mustUnderstand="0"/></b:B>\n';
    const { in11, in12 } = notUnderstood('B');
    expect(await ask11(header)).toEqual(in11);
    expect(await ask12(header)).toEqual(in12);
  });

  it('is rejected as the first of two', async () => {
    const header = '<A soap:mustUnderstand="1"/><B soap:mustUnderstand="1"/>';
    expect(await ask11(header)).toEqual(notUnderstood('A').in11);
  });

  it('is rejected if it is a WS-Security header', async () => {
    const wsse = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
    const header = `<wsse:Security xmlns:wsse="${wsse}" soap:mustUnderstand="1"/>`;
    expect(await ask11(header)).toEqual(notUnderstood('Security').in11);
  });

  it('is checked after errors in the message', async () => {
    const header = '<A soap:mustUnderstand="1"/>';
    expect(await ask11(header, '<GetTokenDevice>')).toEqual(emptyAnswer(400, TEXT_XML));
    const mismatch = envelope11(TOKEN, header).replaceAll(SOAP_11, 'urn:x');
    expect(await reference.ask(tokenMessage11(mismatch))).toEqual(versionMismatch('urn:x'));
  });

  it('is checked after arguments that cannot be read', async () => {
    const body = call('GetStudentSchool', { school_base_url: 'echo', show_active: 'Y' });
    const message = envelope11(body, '<A soap:mustUnderstand="1"/>');
    const { body: answer } = await reference.ask(soap11('NotificationNotes', 'GetStudentSchool', message));
    expect(answer).toContain('Input string was not in a correct format.');
  });
});

describe('a header block is ignored', () => {
  it.each([
    ['without mustUnderstand', ''],
    ['with mustUnderstand 0', 'soap:mustUnderstand="0"'],
    ['with mustUnderstand false', 'soap:mustUnderstand="false"'],
    ['with mustUnderstand yes', 'soap:mustUnderstand="yes"'],
    ['with mustUnderstand TRUE', 'soap:mustUnderstand="TRUE"'],
    ['with mustUnderstand empty', 'soap:mustUnderstand=""'],
    ['with mustUnderstand in no namespace', 'mustUnderstand="1"'],
    ['with mustUnderstand in another namespace', 'h:mustUnderstand="1"'],
  ])('%s', async (_what, attributes) => {
    const header = `<h:Foo xmlns:h="urn:h" ${attributes}>x</h:Foo>`;
    expect(await ask11(header)).toEqual(token11Is('TOKEN-7'));
    expect(await ask12(header)).toEqual(token12Is('TOKEN-7'));
  });

  it('if only an element inside it must be understood', async () => {
    const header = '<a><b soap:mustUnderstand="1"/></a>';
    expect(await ask11(header)).toEqual(token11Is('TOKEN-7'));
  });

  it('if it is in a Header after the Body', async () => {
    const late = '<soap:Header><A soap:mustUnderstand="1"/></soap:Header></soap:Envelope>';
    const message = envelope11(TOKEN).replace('</soap:Envelope>', late);
    expect(await reference.ask(tokenMessage11(message))).toEqual(token11Is('TOKEN-7'));
  });

  it('if it contains what looks like the call', async () => {
    expect(await ask11(call('GetTokenDevice', { id: '8' }))).toEqual(token11Is('TOKEN-7'));
    expect(await ask12(call('GetTokenDevice', { id: '8' }))).toEqual(token12Is('TOKEN-7'));
  });
});

describe('the handler', () => {
  const calls: RecordedCall[] = [];
  const recording = useServer(() => startAsmxServer({ endpoints: recordingEndpoints(calls) }));

  beforeEach(() => {
    calls.length = 0;
  });

  it('is not run when a header block must be understood', async () => {
    const body = call('AuthCode', { code: '1', phone: '2' });
    const header = '<A soap:mustUnderstand="1"/>';
    await recording.ask(soap11('AuthCodeSending', 'AuthCode', envelope11(body, header)));
    await recording.ask(soap12('AuthCodeSending', envelope12(body, header)));
    expect(calls).toEqual([]);

    await recording.ask(soap11('AuthCodeSending', 'AuthCode', envelope11(body)));
    expect(calls).toHaveLength(1);
  });
});
