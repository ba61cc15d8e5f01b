import { join } from 'node:path';

import { canonicalSchoolUrl, NOTE_LIFETIME_MS, openStore, type Store } from '../../../src/store';
import { get, type RawRequest, writeSchool } from '..';
import { pushKey } from './provider-log';

export interface OneClass {
  /** Students with a device each: so many push messages come of one note. */
  readonly students: number;
  readonly notes: number;
}

const SCHOOL = 'http://school.example';
const CLASS = '1A';

/** Loads one school with one class into an empty database. */
export async function loadOneClass(
  databaseUrl: string,
  folder: string,
  { students, notes }: OneClass,
): Promise<void> {
  const csv = writeSchool(join(folder, 'csv'), {
    schools: [`${SCHOOL},School`],
    classes: [`${SCHOOL},${CLASS},Class`],
    students: upTo(students, (at) => `${SCHOOL},S${at},Student,Y,${CLASS}`),
    devices: upTo(students, (at) => `D${at},${SCHOOL},S${at},token-${at},android,`),
    notes: upTo(notes, (at) => `${SCHOOL},N${at},,Title,Text`),
  });
  const store = await openStore({ url: databaseUrl });
  try {
    await store.importFolder(csv);
  } finally {
    await store.close();
  }
}

/** A call that sends one of the notes, counted from 1, to the class. */
export function markRequest(note: number): RawRequest {
  const query = new URLSearchParams({ id: `N${String(note)}`, id_class: CLASS, baseUrlSchool: SCHOOL });
  return get('NotificationNotes', 'SendMarkNotes', query.toString());
}

/** Stores what that call does, behind the back of a service. */
export async function queueMark(
  store: Pick<Store, 'messages'>,
  note: number,
  createdAt: number,
): Promise<void> {
  const name = `N${String(note)}`;
  await store.messages.enqueue({
    ...{ channel: 'mark', recipient: CLASS, school: canonicalSchoolUrl(SCHOOL), note: name, dedupeKey: name },
    ...{ payload: { note: name }, createdAt, expiresAt: createdAt + NOTE_LIFETIME_MS },
  });
}

/** The keys under which the provider's log has what comes of that call. */
export function markKeys(note: number, { students }: OneClass): readonly string[] {
  return upTo(students, (at) => pushKey(`N${String(note)}`, `token-${at}`));
}

/** The key of a stored message in the provider's log: the phone of a code, note and token of a push message. */
export function keyOfMessage(
  channel: string,
  recipient: string,
  payload: Readonly<Record<string, string>>,
): string {
  return channel === 'sms' ? recipient : pushKey(payload['note'] ?? '', recipient.replace(/^D/, 'token-'));
}

function upTo(count: number, line: (at: string) => string): readonly string[] {
  return Array.from({ length: count }, (_, at) => line(String(at + 1)));
}

/** A phone for each number: there is no limit for codes to different ones. */
export function phoneOf(number: number): string {
  return `+90555${String(number).padStart(7, '0')}`;
}

/** A call that sends a code. */
export function codeRequest(phone: string): RawRequest {
  return get('AuthCodeSending', 'AuthCode', new URLSearchParams({ code: '4711', phone }).toString());
}
