// Well-formed requests with bad contents, on both engines.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { writeByHand } from '../../interop/clients/hand-written-request';
import { storedMessages } from '../../service/stored-messages';
import {
  FORM_VOID,
  formError,
  formOk,
  formTokenIs,
  FRESH,
  token11Is,
  token12Is,
  type WireAnswer,
} from '../../harness/asmx-answers';
import { CALLS } from '../../harness/contract-operations';
import { ENGINES } from '../../harness/test-databases';
import { form, get, NAMESPACE, type RawRequest } from '../../../scripts/harness';
import { type Case, MARK, useAttackedService } from './attacked-service';
import { countConnections } from './count-connections';

const PUSH = 'PushNotificationMobile';
const NOTES = 'NotificationNotes';

/** Ids that a store might take for something else, and pairs that it might take for one. */
const ODD_IDS = [
  `${MARK}' OR '1'='1`,
  `${MARK}"; DROP TABLE devices; --`,
  `${MARK}%`,
  `${MARK}_`,
  `${MARK}\\`,
  `${MARK}$1`,
  `${MARK}?`,
  `${MARK}\u{1F468}\u200D\u{1F469}\u200D\u{1F467}`,
  `${MARK}e\u0301`,
  `${MARK}\u00E9`,
];
const LETTERS = `${MARK}-İIıiŞşĞğ-عربي-\u{1F600}`;
const LETTERS_TOKEN = `token-İIıiŞşĞğ-عربي-\u{1F600}`;
const MARKUP_ID = `${MARK}-markup`;
const MARKUP_TOKEN = `  \ttoken ]]> <b>&amp;&lt;</b> "'\rend  `;
const tokenOf = (id: string): string => `token-${String(ODD_IDS.indexOf(id))}`;

describe.each(ENGINES)('business rules on %s', (engine) => {
  const service = useAttackedService({
    engine,
    devices: {
      ...Object.fromEntries(ODD_IDS.map((id) => [id, tokenOf(id)])),
      [LETTERS]: LETTERS_TOKEN,
      [MARKUP_ID]: MARKUP_TOKEN,
    },
    // Whatever the operator lets pass, a code is only a code.
    settings: (folder) => ({ DATA_DIR: join(folder, 'data'), CODE_PATTERN: '(?s).*' }),
  });

  const code = (values: Readonly<Record<'code' | 'phone', string>>): RawRequest =>
    form('AuthCodeSending', 'AuthCode', new URLSearchParams(values).toString());
  const refused = (text: string): WireAnswer => formError(text, FRESH);

  /** The SMS to phones whose numbers begin so. */
  const stored = async (phone: string): Promise<readonly { readonly id: string }[]> =>
    (await storedMessages(service.databaseUrl)).filter(({ recipient }) => recipient.startsWith(phone));

  /** Returns the texts sent to a phone, once this number has been sent. */
  async function sent(phone: string, count: number): Promise<readonly string[]> {
    const ids = new Set((await stored(phone)).map(({ id }) => id));
    expect(ids.size).toBe(count);
    await service.process.lines(
      (lines) =>
        lines.filter((line) => line['state'] === 'written' && ids.has(String(line['messageId']))).length >=
        count
          ? true
          : undefined,
      'before the codes were sent',
    );
    return readFileSync(join(service.folder, 'data', 'outbox', 'sms.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly phone: string; readonly text: string })
      .filter((sms) => sms.phone === phone)
      .map(({ text }) => text);
  }

  it.each([
    ['empty', '', 'Parameter phone is empty.'],
    ['letters', MARK, 'Parameter phone is not a valid phone number.'],
    ['200 digits', '5'.repeat(200), 'Parameter phone is not a valid phone number.'],
    ['two lines', '+905557650000\r\n+905557650001', 'Parameter phone is not a valid phone number.'],
    ['two numbers', '+905557650000,+905557650001', 'Parameter phone is not a valid phone number.'],
  ])('46 Invalid phone: %s', async (_what, phone, text) => {
    await service.answers([code({ code: `${MARK}1`, phone }), refused(text)]);
    expect(await stored('+90555765000')).toEqual([]);
  });

  it('46 Phone with full-width or Arabic digits, direction marks, no-break spaces: one number, the right one', async () => {
    const spellings = [
      '＋９０５５５７６５０００９',
      '\u202A+90\u00A0555\u00A0765\u00A000\u00A009\u202C',
      '+٩٠٥٥٥٧٦٥٠٠٠٩',
    ];
    for (const [at, phone] of spellings.entries()) {
      await service.answers([code({ code: `${MARK}46${String(at)}`, phone }), FORM_VOID]);
    }
    const numbers = (await storedMessages(service.databaseUrl)).map(({ recipient }) => recipient);
    expect(numbers.filter((number) => number === '+905557650009')).toHaveLength(spellings.length);
  });

  it('47 Code of 10 KB, of two lines, with template characters: treated as data', async () => {
    const phone = '+905557651000';
    const form32 = 'Parameter code has an invalid format.';
    await service.answers(
      [code({ code: MARK.repeat(2560), phone }), refused('Parameter code is longer than 32 characters.')],
      [code({ code: `${MARK}\n1`, phone }), refused(form32)],
      [code({ code: `${MARK}\r\n1`, phone }), refused(form32)],
      ...['%s', '${x}', '{code}', '$&'].map((text): Case => [code({ code: text, phone }), FORM_VOID]),
    );
    expect((await sent(phone, 4)).toSorted()).toEqual(
      ['%s', '${x}', '{code}', '$&'].map((text) => `Your code is ${text}`).toSorted(),
    );
  });

  it('48 One phone six times a minute: five codes', async () => {
    const phone = '+905557652000';
    await service.answers(
      ...[1, 2, 3, 4, 5].map((at): Case => [code({ code: `${MARK}${String(at)}`, phone }), FORM_VOID]),
    );
    const sixth = await service.ask(code({ code: `${MARK}6`, phone }));
    expect(sixth.status).toBe(500);
    expect(sixth.text).toMatch(/^Too many codes for this phone\. Try again in (?:5\d\d|600) s\.\r\n$/);
    expect(await sent(phone, 5)).toHaveLength(5);
  });

  it('49 The same code twice: one SMS', async () => {
    const phone = '+905557653000';
    const asked = code({ code: `${MARK}1`, phone });
    const other = code({ code: `${MARK}1`, phone: '0090 555 765 30 00' });
    await service.answers([asked, FORM_VOID], [asked, FORM_VOID], [other, FORM_VOID]);
    expect(await sent(phone, 1)).toEqual([`Your code is ${MARK}1`]);
  });

  it('50 School URLs of other hosts: used as keys, and never connected to', async () => {
    const { url, connections, close } = await countConnections();
    const host = new URL(url).host;
    const none = formOk(
      `<ArrayOfStudentInfo xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns="${NAMESPACE}" />`,
    );
    const list = (school: string): RawRequest =>
      form(
        NOTES,
        'GetStudentSchool',
        new URLSearchParams({ school_base_url: school, show_active: 'Y' }).toString(),
      );
    const note = (school: string): RawRequest =>
      form(
        NOTES,
        'SendMarkNotes',
        new URLSearchParams({ id: `${MARK}N`, id_class: `${MARK}1A`, baseUrlSchool: school }).toString(),
      );
    const schools = [
      url,
      `http://user@host@${host}/`,
      `http://${MARK}:${MARK}@${host}/`,
      'http://169.254.169.254/latest/meta-data/',
      'file:///etc/passwd',
      `gopher://${host}/`,
      `//${host}`,
      '../../etc',
    ];
    await service.answers(
      ...schools.flatMap((school): Case[] => [
        [list(school), none],
        [note(school), FORM_VOID],
      ]),
    );
    const long = url.padEnd(10_240, 'x');
    await service.answers(
      [list(long), refused('Parameter school_base_url is longer than 2048 characters.')],
      [note(long), refused('Parameter baseUrlSchool is longer than 2048 characters.')],
    );
    expect(connections()).toBe(0);
    close();
  });

  it('51 SQL, NUL, emoji and combining marks in ids', async () => {
    const token = (id: string): RawRequest =>
      form(PUSH, 'GetTokenDevice', new URLSearchParams({ id }).toString());
    const unknown = formOk(`<string xmlns="${NAMESPACE}" />`);
    await service.answers(
      ...ODD_IDS.map((id): Case => [token(id), formTokenIs(tokenOf(id))]),
      ...[`${MARK}\0`, '\0', `${MARK}' OR 1=1 --`, '%', `${MARK}\uFFFF`].map((id): Case => [
        token(id),
        unknown,
      ]),
      [get(PUSH, 'GetTokenDevice', `id=${MARK}%ud800`), unknown],
    );
  });

  it.each([
    [0, 'https://evening.example/okul'],
    [1, 'http://village.example'],
    [32, 'http://school.example'],
  ])('55 List of %i students', async (count, school) => {
    const query = new URLSearchParams({ school_base_url: school, show_active: 'Y' }).toString();
    const answer = await service.ask(form(NOTES, 'GetStudentSchool', query));
    expect(answer.status).toBe(200);
    expect(answer.text.match(/<StudentInfo>/g) ?? []).toHaveLength(count);
  });

  describe.each(CALLS.filter(({ name }) => name === 'GetTokenDevice'))('over $binding', (operation) => {
    const { binding } = operation;
    const answer = (token: string): WireAnswer =>
      binding === 'soap11' ? token11Is(token) : binding === 'soap12' ? token12Is(token) : formTokenIs(token);

    it('53 Turkish, Arabic and emoji: the same characters in and out', async () => {
      await service.answers([writeByHand(binding, operation, [LETTERS]), answer(LETTERS_TOKEN)]);
    });

    it('54 Markup, line ends and blanks in results', async () => {
      await service.answers([writeByHand(binding, operation, [MARKUP_ID]), answer(MARKUP_TOKEN)]);
    });
  });
});
