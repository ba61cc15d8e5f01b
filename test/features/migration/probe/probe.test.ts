import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../../../scripts/harness';
import { OperatorError } from '../../../../src/support/errors';
import { writeLine } from '../../../../src/features/migration/traffic/own-lines';
import {
  DescriptionError,
  type ProbedService,
  readDescription,
} from '../../../../src/features/migration/probe/subject';
import { probe } from '../../../../src/features/migration/probe/probe';
import { readValues, valuesTemplate } from '../../../../src/features/migration/probe/requests';
import { useReference } from '../../../harness/use-server';

const PATHS = ['AuthCodeSending', 'Scheduals', 'GetNoteType', 'NotificationNotes', 'PushNotificationMobile'];
const described = (name: string) => readFileSync(join(PACKAGE_ROOT, 'wsdl', `${name}.wsdl`), 'utf8');

let services: readonly ProbedService[];

beforeAll(async () => {
  services = await Promise.all(
    PATHS.map(async (name) => ({ path: `/${name}.asmx`, contract: await readDescription(described(name)) })),
  );
});

const note = (): void => undefined;

describe('the probe', () => {
  const reference = useReference();

  it('has distinct, uniquely named requests for every operation and binding', () => {
    const made = [...probe(services, {})];
    const lines = made.map(({ request }) => writeLine(request));
    // A few edges are the same for an operation without parameters, or of one.
    expect(new Set(lines).size).toBeGreaterThan(0.9 * lines.length);
    expect(new Set(made.map(({ source }) => source)).size).toBe(made.length);
    for (const { contract } of services)
      for (const { name } of contract.operations)
        for (const binding of ['soap11', 'soap12', 'get', 'post'])
          expect(made.some(({ source }) => source === `probe: ${name} 1 ${binding}`)).toBe(true);
    expect(made.every(({ request }) => /^\/\w+\.asmx/i.test(request.target))).toBe(true);
  });

  it('posts each edge of a form, by its type and by its fields', () => {
    const tokens = services.filter(({ path }) => path === '/PushNotificationMobile.asmx');
    const posts = [...probe(tokens, { GetTokenDevice: [{ id: 'D' }] })]
      .filter(({ source }) => / post (?:with|of type)/.test(source))
      .map(({ source, request: { headers, body } }) => {
        const [, type] = headers.find(([name]) => name === 'Content-Type') ?? [];
        return [source.replace('probe: GetTokenDevice post ', ''), type, body.toString()];
      });
    const form = 'application/x-www-form-urlencoded';
    expect(posts).toEqual([
      ['without id', form, ''],
      ['with an empty id', form, 'id='],
      ['with id without a sign', form, 'id'],
      ['with id in %u escapes', form, 'id=%u015F%u00fc'],
      ['with id in UTF-8', form, 'id=%C5%9F+a'],
      ['with id in iso-8859-9', form, 'id=%FE'],
      ['with a broken escape in id', form, 'id=%zz%4'],
      ['with markup in id', form, 'id=%3Ca%3E%26%22'],
      ['without parameters', form, ''],
      ['with names in upper case', form, 'ID=D'],
      ['with parameters twice', form, 'id=D&id=D'],
      ['with parameters in another order', form, 'id=D'],
      ['with an unknown parameter', form, 'id=D&noSuchParameter=1'],
      ['with empty pairs', form, '&&id=D&=&'],
      ['without a type', undefined, 'id=D'],
      ['with a charset', `${form}; charset=iso-8859-9`, 'id=D'],
      ['with an unknown charset', `${form}; charset=no-such-charset`, 'id=D'],
      ['of type text/plain', 'text/plain', 'id=D'],
      ['of type text/xml', 'text/xml; charset=utf-8', 'id=D'],
      ['of type multipart/form-data', 'multipart/form-data; boundary=a', 'id=D'],
      ['with a query', form, 'id=D'],
    ]);
  });

  it('gets every kind of answer in the wire contract', async () => {
    const seen = new Set<string>();
    for (const { request } of probe(services.slice(3, 4), {})) {
      const { method, target: path, headers, body } = request;
      const answer = await reference.send({ method, path, headers, body });
      const type = answer.header('Content-Type')?.split(';')[0] ?? 'none';
      const [, code = ''] = /(?:<faultcode>|<soap:Value>)soap:(\w+)/.exec(answer.body.toString()) ?? [];
      seen.add([answer.status, type, code].join(' ').trim());
    }
    expect([...seen].sort()).toEqual([
      '200 application/soap+xml',
      '200 none',
      '200 text/html',
      '200 text/xml',
      '400 application/soap+xml',
      '400 text/xml',
      '405 text/html',
      '415 text/xml',
      '500 application/soap+xml MustUnderstand',
      '500 application/soap+xml Sender',
      '500 text/html',
      '500 text/plain',
      '500 text/xml Client',
      '500 text/xml MustUnderstand',
      '500 text/xml VersionMismatch',
    ]);
  });

  it('calls with each set of values in a file', () => {
    const values = readValues(
      '{"GetStudentSchool": [{"show_active": "N"}, {"school_base_url": "a&b ü<"}]}',
      'v',
      services,
      note,
    );
    const request = (name: string) => {
      const { target, body } =
        [...probe(services, values)].find(({ source }) => source === `probe: ${name}`)?.request ?? {};
      return `${String(target)} ${String(body)}`;
    };
    expect(request('GetStudentSchool 1 get')).toBe(
      '/NotificationNotes.asmx/GetStudentSchool?school_base_url=1&show_active=N ',
    );
    expect(request('GetStudentSchool 2 post')).toBe(
      '/NotificationNotes.asmx/GetStudentSchool school_base_url=a%26b+%C3%BC%3C&show_active=Y',
    );
    // A character is a number over SOAP.
    expect(request('GetStudentSchool 2 soap11')).toContain(
      '<GetStudentSchool xmlns="http://tempuri.org/"><school_base_url>a&#38;b ü&#60;</school_base_url><show_active>89</show_active></GetStudentSchool>',
    );
  });

  it('creates a file of values to fill in, which it can read', () => {
    const template = valuesTemplate(services);
    expect(JSON.parse(template)).toMatchObject({
      AuthCode: [{ code: '1', phone: '1' }],
      GetExamTableByExamId: [{ ExamId: '1' }],
      GetStudentSchool: [{ school_base_url: '1', show_active: 'Y' }],
      SendMarkNotes: [{ id: '1', id_class: '1', baseUrlSchool: '1' }],
      GetTokenDevice: [{ id: '1' }],
    });
    expect([...probe(services, readValues(template, 'v', services, note))]).toEqual([...probe(services, {})]);
  });

  it.each([
    ['nothing', 'v is not valid JSON.'],
    ['[]', 'v: '],
    ['{"GetTokenDevice": []}', 'v > GetTokenDevice: '],
    ['{"GetTokenDevice": {"id": 1}}', 'v > GetTokenDevice: '],
    ['{"GetTokenDevice": {"Id": "1"}}', 'v: unknown parameter Id of GetTokenDevice. Expected id.'],
    [
      '{"GetStudentsNoteType": {"id": "1"}}',
      'v: unknown parameter id of GetStudentsNoteType. Expected none.',
    ],
  ])('rejects the values %s', (text, message) => {
    const reading = () => readValues(text, 'v', services, note);
    expect(reading).toThrow(OperatorError);
    expect(reading).toThrow(message);
  });

  it('reports unknown operations', () => {
    const notes: string[] = [];
    readValues('{"What": {}}', 'v', services, (line) => notes.push(line));
    expect(notes).toEqual(['v: unknown operation What.']);
  });
});

describe('a description from another server', () => {
  const good = described('Scheduals');

  it.each([
    ['has a document type', good.replace('?>', '?><!DOCTYPE a SYSTEM "http://127.0.0.1:1/a.dtd">'), 'DTD'],
    [
      'imports a description',
      good.replace('<wsdl:types>', '<wsdl:import namespace="a" location="http://127.0.0.1:1/"/><wsdl:types>'),
      'other documents',
    ],
    [
      'imports a schema',
      good.replace(/<s:schema [^>]*>/, '$&<s:import namespace="a" schemaLocation="../../../etc/passwd"/>'),
      'other documents',
    ],
    [
      'includes a schema',
      good.replace(/<s:schema [^>]*>/, '$&<s:include schemaLocation="http://127.0.0.1:1/"/>'),
      'other documents',
    ],
    ['is cut off', good.slice(0, 900), 'not closed'],
    ['is a page', '<html><body/></html>', ''],
    ['is nothing', '', 'Root element is missing'],
  ])('is rejected if it %s', async (_, text, message) => {
    await expect(readDescription(text)).rejects.toThrow(DescriptionError);
    await expect(readDescription(text)).rejects.toThrow(message);
  });
});
