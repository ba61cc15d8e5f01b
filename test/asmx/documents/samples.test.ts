// The wire contract, section 7: the samples on the pages.

import { seen } from '../../harness/asmx-answers';
import { loadDescription, readContract } from '../../../src/asmx';
import { type RawResponse, readDescription } from '../../../scripts/harness';
import { startAsmxServer } from '../../harness/asmx-server';
import { handlerOf } from '../../harness/recording-endpoints';
import { useReference, useServer } from '../../harness/use-server';
import { parseXml, type XmlElement } from '../../harness/xml-tree';
import { CALLS } from '../../harness/contract-operations';
import { markupOf, plain, textOf } from './read-page';
import { fillSample } from './sample-request';

const reference = useReference();
const elsewhere = useReference({ namespace: 'urn:school:messages' });

function pageOf(endpoint: string, operation: string, server = reference): Promise<RawResponse> {
  return server.send({ path: `/${endpoint}.asmx?op=${operation}` });
}

/** Names and nesting of a document, without its texts. */
function shapeOf({ name, children }: XmlElement): unknown {
  return [name, children.map(shapeOf)];
}

describe('every sample request', () => {
  it.each(CALLS)(
    'gets an answer like its sample answer: $name of $endpoint by $binding',
    async ({ endpoint, name: operation, binding }) => {
      const page = await pageOf(endpoint, operation);
      const request = fillSample(markupOf(page, `${binding}-request`), binding, 'VALUE');
      const answer = await reference.send(request);

      const [head = '', body = ''] = textOf(page, `${binding}-response`).split('\n\n');
      expect(`HTTP/1.1 ${String(answer.status)} ${answer.reason}`).toBe(head.split('\n')[0]);
      expect(answer.header('Content-Type')).toBe(/^Content-Type: (.*)$/m.exec(head)?.[1]);
      if (body === '') expect(answer.text).toBe('');
      else expect(shapeOf(parseXml(answer.text))).toEqual(shapeOf(parseXml(body)));
    },
  );

  it.each(CALLS)(
    'carries the namespace of the installation: $name of $endpoint by $binding',
    async ({ endpoint, name: operation, binding }) => {
      const page = await pageOf(endpoint, operation, elsewhere);
      expect(page.text).not.toContain('tempuri.org');
      const answer = await elsewhere.send(fillSample(markupOf(page, `${binding}-request`), binding, 'VALUE'));
      expect(answer.status).toBe(200);
    },
  );
});

describe('the samples', () => {
  it('match the help page of ASP.NET: SOAP 1.1', async () => {
    const page = await pageOf('NotificationNotes', 'GetStudentSchool');
    expect(textOf(page, 'soap11-request')).toBe(
      `POST /NotificationNotes.asmx HTTP/1.1
Host: ${reference.host}
Content-Type: text/xml; charset=utf-8
Content-Length: length
SOAPAction: "http://tempuri.org/GetStudentSchool"

<?xml version="1.0" encoding="utf-8"?>
<soap:Envelope xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">
  <soap:Body>
    <GetStudentSchool xmlns="http://tempuri.org/">
      <school_base_url>string</school_base_url>
      <show_active>char</show_active>
    </GetStudentSchool>
  </soap:Body>
</soap:Envelope>`,
    );
    const item = `        <StudentInfo>
          <id_student>string</id_student>
          <fullName>string</fullName>
          <id_device>string</id_device>
          <ShowActive>string</ShowActive>
        </StudentInfo>
`;
    expect(textOf(page, 'soap11-response')).toBe(
      `HTTP/1.1 200 OK
Content-Type: text/xml; charset=utf-8
Content-Length: length

<?xml version="1.0" encoding="utf-8"?>
<soap:Envelope xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">
  <soap:Body>
    <GetStudentSchoolResponse xmlns="http://tempuri.org/">
      <GetStudentSchoolResult>
${item}${item}      </GetStudentSchoolResult>
    </GetStudentSchoolResponse>
  </soap:Body>
</soap:Envelope>`,
    );
  });

  it('match the help page of ASP.NET: SOAP 1.2', async () => {
    const page = await pageOf('GetNoteType', 'GetStudentsNoteType');
    expect(textOf(page, 'soap12-request')).toBe(
      `POST /GetNoteType.asmx HTTP/1.1
Host: ${reference.host}
Content-Type: application/soap+xml; charset=utf-8
Content-Length: length

<?xml version="1.0" encoding="utf-8"?>
<soap12:Envelope xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:soap12="http://www.w3.org/2003/05/soap-envelope">
  <soap12:Body>
    <GetStudentsNoteType xmlns="http://tempuri.org/" />
  </soap12:Body>
</soap12:Envelope>`,
    );
  });

  it('match the help page of ASP.NET: HTTP GET and POST', async () => {
    const page = await pageOf('NotificationNotes', 'GetStudentSchool');
    expect(textOf(page, 'get-request')).toBe(
      `GET /NotificationNotes.asmx/GetStudentSchool?school_base_url=string&show_active=char HTTP/1.1
Host: ${reference.host}`,
    );
    expect(textOf(page, 'post-request')).toBe(
      `POST /NotificationNotes.asmx/GetStudentSchool HTTP/1.1
Host: ${reference.host}
Content-Type: application/x-www-form-urlencoded
Content-Length: length

school_base_url=string&show_active=char`,
    );
    const token = await pageOf('PushNotificationMobile', 'GetTokenDevice');
    expect(textOf(token, 'get-response')).toBe(
      `HTTP/1.1 200 OK
Content-Type: text/xml; charset=utf-8
Content-Length: length

<?xml version="1.0" encoding="utf-8"?>
<string xmlns="http://tempuri.org/">string</string>`,
    );
    const nothing = await pageOf('AuthCodeSending', 'AuthCode');
    expect(textOf(nothing, 'get-response')).toBe('HTTP/1.1 200 OK');
    const noParameters = await pageOf('GetNoteType', 'GetStudentsNoteType');
    expect(textOf(noParameters, 'get-request')).toContain(
      'GET /GetNoteType.asmx/GetStudentsNoteType? HTTP/1.1',
    );
  });

  it('mark every placeholder', async () => {
    const page = await pageOf('NotificationNotes', 'GetStudentSchool');
    const marked = ['soap11', 'soap12', 'get', 'post'].map((binding) =>
      [...markupOf(page, `${binding}-request`).matchAll(/<var>(.*?)<\/var>/g)].map(([, text]) => text),
    );
    expect(marked).toEqual([
      ['length', 'string', 'char'],
      ['length', 'string', 'char'],
      ['string', 'char'],
      ['length', 'string', 'char'],
    ]);
  });

  it('contain the address at which the page was requested', async () => {
    const page = await reference.send({
      path: '/pushnotificationmobile.ASMX?op=GetTokenDevice',
      headers: [['Host', 'school.example:8443']],
    });
    expect(plain(markupOf(page, 'post-request'))).toMatch(
      /^POST \/pushnotificationmobile\.ASMX\/GetTokenDevice HTTP\/1\.1\nHost: school\.example:8443\n/,
    );
    expect(textOf(page, 'get-curl')).toContain(
      'http://school.example:8443/pushnotificationmobile.ASMX/GetTokenDevice?id=string',
    );
    expect(seen(page).status).toBe(200);
  });
});

describe('samples of two operations with the same name in two services', () => {
  const description = readDescription('PushNotificationMobile');
  const other = description
    .replaceAll('PushNotificationMobile', 'Devices')
    .replaceAll('name="id"', 'name="device"');
  const server = useServer(async () => {
    const endpoints = [description, other].map(async (each) => {
      const { operations } = readContract(await loadDescription(each));
      const handlers = Object.fromEntries(
        operations.map(({ name }) => [name, handlerOf(() => undefined)] as const),
      );
      return { description: each, handlers };
    });
    return startAsmxServer({ endpoints: await Promise.all(endpoints) });
  });

  it.each(['soap11-request', 'soap12-request', 'get-request', 'post-request'])(
    "contain each one's own parameters: %s",
    async (sample) => {
      const samples: string[] = [];
      for (const endpoint of ['PushNotificationMobile', 'Devices'])
        samples.push(textOf(await pageOf(endpoint, 'GetTokenDevice', server), sample));
      const [first = '', second = ''] = samples;
      expect(first).toMatch(/\bid\b/);
      expect(second).toBe(first.replaceAll('PushNotificationMobile', 'Devices').replace(/\bid\b/g, 'device'));
    },
  );
});
