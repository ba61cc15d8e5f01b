import { writeSchool } from '..';

/** A message as a row, by the names of the columns; points in time are milliseconds since 1970 UTC. */
export interface MessageRow {
  readonly id: string;
  readonly channel: 'sms' | 'push' | 'mark';
  readonly state: 'sent' | 'failed' | 'expired';
  readonly recipient: string;
  readonly school: string;
  readonly request_id: string | null;
  readonly note: string | null;
  readonly reason: string | null;
  readonly reason_params: string | null;
  readonly created_at: number;
}

const SCHOOLS = 200;
const STUDENTS_OF_CLASS = 25;
const CODES_OF_REQUEST = 3;
export const CLASSES: readonly string[] = Array.from(
  { length: 48 },
  (_, at) => `${String(1 + (at % 12))}${'ABCD'.charAt(Math.floor(at / 12))}`,
);
const REQUESTS_OF_NOTE = 50;
/** The newest codes have whole numbers, as they have for a day. */
const WHOLE_NUMBERS = 3000;
const NUMBERS = 100_000;
const BEGIN = Date.parse('2026-01-01T00:00:00Z');
const BETWEEN_REQUESTS_MS = 21_000;
const ONE_OF_A_REQUEST = 1 + STUDENTS_OF_CLASS + CODES_OF_REQUEST;
/** A prime: numbers follow each other in no order. */
const SHUFFLE = 7919;

export const REASONS = {
  request: 'pushes_not_sent',
  mismatch: 'sender_mismatch',
  gone: 'token_dead',
  late: 'expired',
} as const;
const REQUEST_PARAMS = JSON.stringify({
  ...{ notSent: STUDENTS_OF_CLASS, pushes: STUDENTS_OF_CLASS },
  ...{ first: { code: REASONS.mismatch }, others: Math.floor(STUDENTS_OF_CLASS / 2) },
});

/** The first has half of all messages. */
export function schoolUrl(school: number): string {
  return `http://school-${String(school)}.example`;
}

export function studentId(classId: string, student: number): string {
  return `S-${classId}-${String(student)}`;
}

export function timeOf(message: number): number {
  return BEGIN + Math.floor(message / ONE_OF_A_REQUEST) * BETWEEN_REQUESTS_MS;
}

/** One that is whole where there are so many messages. */
export function youngNumber(count: number): string {
  return numberOf((Math.floor(count / ONE_OF_A_REQUEST) - 1) * CODES_OF_REQUEST);
}

function numberOf(code: number): string {
  return `+90555${String(1_000_000 + ((code * SHUFFLE) % NUMBERS))}`;
}

/**
 * So many messages as they come in the course of a year, the oldest first: requests, each with its push messages,
 * and codes. Half of them are of one school, a third of one class, and all of the older half failed: it costs most to
 * find what is far from the newest messages, among very many that are like it in all but one part.
 */
export function* messages(count: number): Generator<MessageRow> {
  let made = 0;
  for (let request = 0; made < count; request += 1) {
    for (const row of aroundRequest(request, count - made, made < count / 2)) {
      if (made++ < count) yield row;
    }
  }
}

function* aroundRequest(request: number, left: number, failed: boolean): Generator<MessageRow> {
  const school = request % 2 === 0 ? 0 : 1 + (Math.floor(request / 2) % (SCHOOLS - 1));
  const classId = CLASSES[request % 6 < 2 ? 0 : Math.floor(request / 2) % CLASSES.length] ?? '';
  const created_at = timeOf(request * ONE_OF_A_REQUEST);
  const state = failed ? 'failed' : 'sent';
  const id = messageId(created_at, 0);
  const common = { state, school: schoolUrl(school), created_at } as const;
  const note = `N${String(Math.floor(request / REQUESTS_OF_NOTE))}`;
  yield {
    ...{ ...common, id, channel: 'mark', recipient: classId, request_id: null, note },
    reason: failed ? REASONS.request : null,
    reason_params: failed ? REQUEST_PARAMS : null,
  };
  for (let student = 0; student < STUDENTS_OF_CLASS; student += 1) {
    yield {
      ...{ ...common, id: messageId(created_at, 1 + student), channel: 'push', request_id: id, note: null },
      recipient: deviceId(school, classId, student),
      reason: failed ? (student % 2 === 0 ? REASONS.mismatch : REASONS.gone) : null,
      reason_params: null,
    };
  }
  for (let at = 0; at < CODES_OF_REQUEST; at += 1) {
    const number = numberOf(request * CODES_OF_REQUEST + at);
    const late = at === 0 && request % 50 === 0;
    yield {
      ...{ id: messageId(created_at, 100 + at), channel: 'sms', school: '', request_id: null, note: null },
      recipient: left < WHOLE_NUMBERS ? number : `${number.slice(0, 3)}...${number.slice(-2)}`,
      state: late ? 'expired' : 'sent',
      reason: late ? REASONS.late : null,
      reason_params: null,
      created_at,
    };
  }
}

/** As ids of messages begin: the time, and then what tells those of one moment apart. */
function messageId(time: number, sequence: number): string {
  const stamp = time.toString(16).padStart(12, '0');
  const tail = sequence.toString(16).padStart(3, '0');
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7${tail}-8000-00000000${tail}0`;
}

function deviceId(school: number, classId: string, student: number): string {
  return `D-${String(school)}-${classId}-${String(student)}`;
}

/** The schools, students and devices that the messages are for, as files for an import. */
export function writeSchools(folder: string): string {
  const schools = Array.from({ length: SCHOOLS }, (_, school) => school);
  const ofEach = (line: (school: number, classId: string, student: number) => string): readonly string[] =>
    schools.flatMap((school) =>
      CLASSES.flatMap((classId) =>
        Array.from({ length: STUDENTS_OF_CLASS }, (_, student) => line(school, classId, student)),
      ),
    );
  return writeSchool(folder, {
    schools: schools.map((school) => `${schoolUrl(school)},School`),
    students: ofEach((school, classId, at) => `${schoolUrl(school)},${studentId(classId, at)},Name,Y,`),
    devices: ofEach(
      (school, classId, at) =>
        `${deviceId(school, classId, at)},${schoolUrl(school)},${studentId(classId, at)},token,android,`,
    ),
  });
}
