import { join } from 'node:path';

import {
  call,
  envelope11,
  envelope12,
  form,
  get,
  type RawRequest,
  type ServiceProcess,
  soap11,
  soap12,
} from '../../scripts/harness';
import { useServices } from './use-services';
import { databaseIn, storedMessages } from './stored-messages';

type Values = Readonly<Record<string, string>>;

/** How each binding carries a call; `&` and `<` do not occur in the values. */
const BINDINGS: Readonly<
  Record<string, (endpoint: string, operation: string, values: Values) => RawRequest>
> = {
  soap11: (endpoint, operation, values) => soap11(endpoint, operation, envelope11(call(operation, values))),
  soap12: (endpoint, operation, values) => soap12(endpoint, envelope12(call(operation, values))),
  get: (endpoint, operation, values) => get(endpoint, operation, new URLSearchParams(values).toString()),
  post: (endpoint, operation, values) => form(endpoint, operation, new URLSearchParams(values).toString()),
};
const SOAP: readonly string[] = ['soap11', 'soap12'];

describe.each(Object.keys(BINDINGS))('over %s', (binding) => {
  const services = useServices();
  let service: ServiceProcess;
  beforeAll(async () => {
    // What is stored stays as it is stored: nobody delivers it.
    service = await services.start({ settings: { ROLE: 'web' } });
  });

  /** Calls an operation; returns status and body of the answer, and the request's log line. */
  async function ask(endpoint: string, operation: string, values: Values) {
    const request = BINDINGS[binding]?.(endpoint, operation, values);
    if (request === undefined) throw new Error(`No binding ${binding}`);
    const { status, text } = await service.ask(request);
    const line = await service.line('request', { operation, binding });
    return { status, text, line };
  }

  /** What an operation without a result answers. */
  const empty = (operation: string): unknown =>
    SOAP.includes(binding)
      ? expect.stringContaining(`<${operation}Response xmlns="http://tempuri.org/" />`)
      : '';

  it('AuthCode stores an SMS and answers with nothing', async () => {
    const values = { code: 'çğ-42', phone: '+90 555 111 22 33' };
    const { status, text, line } = await ask('AuthCodeSending', 'AuthCode', values);
    expect({ status, text }).toEqual({ status: 200, text: empty('AuthCode') });
    const stored = await storedMessages(databaseIn(join(services.folder, 'data')));
    expect(stored).toContainEqual(
      expect.objectContaining({
        id: line['messageId'],
        channel: 'sms',
        recipient: '+905551112233',
        payload: { code: 'çğ-42' },
      }),
    );
  });

  it('SendMarkNotes stores a request and answers with nothing', async () => {
    const values = { id: 'N1', id_class: '1A', baseUrlSchool: 'HTTP://school.example/' };
    const { status, text, line } = await ask('NotificationNotes', 'SendMarkNotes', values);
    expect({ status, text }).toEqual({ status: 200, text: empty('SendMarkNotes') });
    const stored = await storedMessages(databaseIn(join(services.folder, 'data')));
    expect(stored).toContainEqual(
      expect.objectContaining({
        id: line['messageId'],
        channel: 'mark',
        recipient: '1A',
        school: 'http://school.example',
        payload: { note: 'N1' },
      }),
    );
  });

  it('GetExamTableByExamId reads the exam and answers with nothing', async () => {
    const { status, text, line } = await ask('Scheduals', 'GetExamTableByExamId', { ExamId: 'E1' });
    expect({ status, text }).toEqual({ status: 200, text: empty('GetExamTableByExamId') });
    expect(line).toMatchObject({ found: true, entries: 5 });
  });

  it('GetStudentsNoteType reads the note types and answers with nothing', async () => {
    const { status, text, line } = await ask('GetNoteType', 'GetStudentsNoteType', {});
    expect({ status, text }).toEqual({ status: 200, text: empty('GetStudentsNoteType') });
    expect(line).toMatchObject({ found: true, entries: 3 });
  });

  it('GetStudentSchool lists the students, names as they are', async () => {
    // Over SOAP a char is the decimal number of its code unit; the character itself is taken as well.
    const flags = SOAP.includes(binding) ? ['89', 'Y'] : ['Y'];
    for (const show_active of flags) {
      const { status, text } = await ask('NotificationNotes', 'GetStudentSchool', {
        school_base_url: 'http://school.example',
        show_active,
      });
      expect(status).toBe(200);
      expect(text.match(/<StudentInfo>/g)).toHaveLength(32);
      expect(text).toContain('<fullName>Ayşe Yılmazer</fullName>');
      expect(text).toContain('<fullName>أحمد الزهراني السعيد</fullName>');
      expect(text).toContain('<id_device>DEV-1</id_device>');
    }
  });

  it('GetTokenDevice answers with the token, or the empty string', async () => {
    const known = await ask('PushNotificationMobile', 'GetTokenDevice', { id: 'DEV-1' });
    expect(known.status).toBe(200);
    expect(known.text).toContain('>sample-token-01</');
    const unknown = await ask('PushNotificationMobile', 'GetTokenDevice', { id: "x' OR '1'='1" });
    expect(unknown.status).toBe(200);
    expect(unknown.text).toMatch(/<(string|GetTokenDeviceResult)( xmlns="[^"]+")? \/>/);
  });

  it('an argument that cannot be used is the client’s fault, and its value stays out of the answer', async () => {
    const { status, text } = await ask('AuthCodeSending', 'AuthCode', { code: '1', phone: 'call-me-maybe' });
    expect(status).toBe(500);
    expect(text).toContain('Parameter phone is not a telephone number.');
    expect(text).not.toContain('maybe');
    if (SOAP.includes(binding)) expect(text).toMatch(/soap:(Client|Sender)</);
  });
});
