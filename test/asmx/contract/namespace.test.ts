// The wire contract, section 8.2: the namespace of an installation.

import type { EndpointDefinition } from '../../../src/asmx';
import { REFERENCE_ENDPOINTS } from '../../reference/endpoints';
import { emptyOf, fault11, formOk, ok11, ok12, resultOf } from '../../harness/asmx-answers';
import {
  call,
  envelope11,
  envelope12,
  get,
  readDescription,
  SOAP_XML,
  TEXT_XML,
} from '../../../scripts/harness';
import { startAsmxServer } from '../../harness/asmx-server';
import { useReference, useServer } from '../../harness/use-server';
import { textOf } from '../documents/read-page';

const ASMX = '/PushNotificationMobile.asmx';

/** Settings of the namespace, with the start of the actions that follow from them. */
const FORMS = [
  ['with a trailing slash', 'http://school.example/ws/', 'http://school.example/ws/'],
  ['without a trailing slash', 'http://school.example/ws', 'http://school.example/ws/'],
  ['that is a URN', 'urn:school', 'urn:school/'],
] as const;

describe.each(FORMS)('a namespace %s', (_what, namespace, actionStart) => {
  const service = useReference({ namespace });
  const element = call('GetTokenDevice', { id: '7' }, namespace);

  function post(action: string | undefined, body: string) {
    const headers: [string, string][] = [['Content-Type', TEXT_XML]];
    if (action !== undefined) headers.push(['SOAPAction', `"${action}"`]);
    return { path: ASMX, headers, body };
  }

  it('is used in SOAP answers', async () => {
    const answer = resultOf('GetTokenDevice', 'TOKEN-7', namespace);
    const request = post(`${actionStart}GetTokenDevice`, envelope11(element));
    expect(await service.ask(request)).toEqual(ok11(answer));
    expect(await service.ask(post(undefined, envelope11(element)))).toEqual(ok11(answer));

    const soap12 = { path: ASMX, headers: [['Content-Type', SOAP_XML]] as const, body: envelope12(element) };
    expect(await service.ask(soap12)).toEqual(ok12(answer));
  });

  it('forms actions with one slash; two are accepted', async () => {
    const answer = ok11(resultOf('GetTokenDevice', 'TOKEN-7', namespace));
    for (const slashes of ['/', '//']) {
      const action = `${namespace.replace(/\/$/, '')}${slashes}GetTokenDevice`;
      expect(await service.ask(post(action, envelope11(element)))).toEqual(answer);
      const request = {
        path: ASMX,
        headers: [['Content-Type', `${SOAP_XML}; action="${action}"`]] as const,
        body: envelope12(call('Nope')),
      };
      expect(await service.ask(request)).toEqual(ok12(resultOf('GetTokenDevice', 'ID-WAS-NULL', namespace)));
    }
  });

  it('forms no action without a slash, or with three', async () => {
    const bare = namespace.replace(/\/$/, '');
    for (const action of [`${bare}GetTokenDevice`, `${bare}///GetTokenDevice`]) {
      expect(await service.ask(post(action, envelope11(element)))).toEqual(
        fault11('Client', `Server did not recognize the value of HTTP Header SOAPAction: ${action}.`),
      );
    }
  });

  it('makes the old one unknown', async () => {
    const old = call('GetTokenDevice', { id: '7' });
    expect((await service.ask(post('http://tempuri.org/GetTokenDevice', envelope11(old)))).status).toBe(500);
    expect(await service.ask(post(`${actionStart}GetTokenDevice`, envelope11(old)))).toEqual(
      ok11(resultOf('GetTokenDevice', 'ID-WAS-NULL', namespace)),
    );
  });

  it('is used in HTTP GET and POST answers', async () => {
    expect(await service.ask(get('PushNotificationMobile', 'GetTokenDevice', 'id=7'))).toEqual(
      formOk(`<string xmlns="${namespace}">TOKEN-7</string>`),
    );
    const { body } = await service.ask(
      get('NotificationNotes', 'GetStudentSchool', 'school_base_url=empty&show_active=Y'),
    );
    expect(body).toContain(` xmlns="${namespace}" />`);
  });

  it('is used in results without content', async () => {
    const request = {
      path: '/GetNoteType.asmx',
      headers: [['Content-Type', TEXT_XML]] as const,
      body: envelope11(call('GetStudentsNoteType', {}, namespace)),
    };
    expect(await service.ask(request)).toEqual(ok11(emptyOf('GetStudentsNoteType', namespace)));
  });

  it('replaces every trace of the old one in the description', async () => {
    const { body } = await service.ask({ path: `${ASMX}?wsdl` });
    const expected = readDescription('PushNotificationMobile')
      .replaceAll('http://localhost', `http://${service.host}`)
      .replaceAll('soapAction="http://tempuri.org/', `soapAction="${actionStart}`)
      .replaceAll('http://tempuri.org/', namespace);
    expect(body).toBe(expected);
  });

  it('is shown on the pages, without the notice of the default one', async () => {
    const index = await service.send({ path: ASMX });
    expect(textOf(index, 'namespace')).toBe(namespace);
    expect(index.text).not.toContain('as its default namespace');
    const page = await service.send({ path: `${ASMX}?op=GetTokenDevice` });
    for (const version of ['soap11', 'soap12'])
      expect(textOf(page, `${version}-request`)).toContain(`<GetTokenDevice xmlns="${namespace}">`);
    expect(page.text).not.toContain('tempuri');
  });

  it('is used in the discovery document', async () => {
    const { body } = await service.ask({ path: `${ASMX}?disco` });
    expect(body).toContain(`xmlns:q1="${namespace}" binding="q1:PushNotificationMobileSoap"`);
    expect(body).not.toContain('tempuri');
  });
});

describe("a description's own namespace", () => {
  const OWN = 'http://portal.example/ws/';
  const inOwn = ({ description, handlers }: EndpointDefinition): EndpointDefinition => ({
    description: description.replaceAll('http://tempuri.org/', OWN),
    handlers,
  });
  const endpoints = REFERENCE_ENDPOINTS.map(inOwn);
  const own = useServer(() => startAsmxServer({ endpoints }));
  const other = useServer(() => startAsmxServer({ endpoints, namespace: 'urn:other' }));

  it.each([
    ['is used in messages', own, OWN, `${OWN}GetTokenDevice`],
    ['is replaced by that of the installation', other, 'urn:other', 'urn:other/GetTokenDevice'],
  ])('%s', async (_what, service, namespace, action) => {
    const request = {
      path: ASMX,
      headers: [
        ['Content-Type', TEXT_XML],
        ['SOAPAction', `"${action}"`],
      ] as const,
      body: envelope11(call('GetTokenDevice', { id: '7' }, namespace)),
    };
    expect(await service.ask(request)).toEqual(ok11(resultOf('GetTokenDevice', 'TOKEN-7', namespace)));
    expect(await service.ask(get('PushNotificationMobile', 'GetTokenDevice', 'id=7'))).toEqual(
      formOk(`<string xmlns="${namespace}">TOKEN-7</string>`),
    );
    const { body } = await service.ask({ path: `${ASMX}?wsdl` });
    expect(body).toContain(` targetNamespace="${namespace}"`);
    expect(body).toContain(`soapAction="${action}"`);
    expect(body).not.toContain('tempuri');
  });
});

describe('a namespace that needs escaping', () => {
  const service = useReference({ namespace: 'http://school.example/?a=1&b;c=2/' });

  it('is escaped wherever it is written', async () => {
    const escaped = 'http://school.example/?a=1&amp;b;c=2/';
    const wsdl = await service.ask({ path: `${ASMX}?wsdl` });
    expect(wsdl.body).toContain(`targetNamespace="${escaped}"`);
    expect(wsdl.body).toContain(`soapAction="${escaped}GetTokenDevice"`);
    const answer = await service.ask(get('PushNotificationMobile', 'GetTokenDevice', 'id=7'));
    expect(answer).toEqual(formOk(`<string xmlns="${escaped}">TOKEN-7</string>`));
    const discovery = await service.ask({ path: `${ASMX}?disco` });
    expect(discovery.body).toContain(`xmlns:q1="${escaped}"`);
    const page = await service.ask({ path: `${ASMX}?op=GetTokenDevice` });
    expect(page.body).toContain(`xmlns=&quot;${escaped.replaceAll('&', '&amp;')}&quot;`);
  });
});
