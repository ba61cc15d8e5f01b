import express from 'express';

import { type FoundRecord, recordAddress, schoolAddress } from '../../admin/console/record-address';
import {
  facts,
  findViewer,
  type PageViewer,
  sendPage,
  table,
  timePart,
} from '../../admin/console/console-page';
import type { ConsoleCore, ConsolePart } from '../../admin/console/console-part';
import { type AddressTexts, fieldText, queryText } from '../../admin/console/message-address';
import { messageTable } from '../../admin/console/message-table';
import { callerTable } from '../../admin/console/schools-page';
import { ANY_AGE } from '../../admin/reports/message-filter';
import { type Content, html, type Html, NOTHING } from '../../support/html';
import { DAY_MS } from '../../support/durations';
import { shown } from '../../support/text';
import type { Text, Words } from '../../admin/texts/words';
import { type ClassMember, type Device, type FoundStudent, People } from './people';

/** Number of messages on a page; another page lists all. */
const SHOWN_MESSAGES = 10;
/** Number of students of a class on its page. */
const SHOWN_MEMBERS = 500;
const MAX_FOUND = 50;
const CALLER_DAYS = 30;

/** Holds the parts of the page of a student, class or note. */
interface RecordPage {
  readonly title: string;
  readonly section: '/schools' | '/callers';
  /** Links to what it belongs to, from top to bottom. */
  readonly above: readonly Html[];
  readonly details: readonly (readonly [name: Content, value: Content])[];
  readonly rest: Html;
}

/** Holds what the pages share. */
interface PeopleCore extends Pick<ConsoleCore, 'store' | 'now'> {
  readonly people: People;
}

/** Reads what a page shows; undefined if there is no such record. */
type ReadPage = (
  core: PeopleCore,
  school: string,
  id: string,
  viewer: PageViewer,
) => Promise<RecordPage | undefined>;

async function lastMessages({ store, now }: PeopleCore, address: AddressTexts, words: Words): Promise<Html> {
  const { school, student, class: classId, note } = address;
  const { messages } = await store.deliveries.page(
    {
      ...(school !== undefined && { school }),
      ...(student !== undefined && { student: store.keyForm(student) }),
      ...(classId !== undefined && { classId: store.keyForm(classId) }),
      ...(note !== undefined && { note: store.keyForm(note) }),
    },
    SHOWN_MESSAGES,
  );
  const all = `/messages${queryText({ ...address, 'newer-than': ANY_AGE })}`;
  const moment = { now: now(), holds: await store.workers.holds(now()) };
  return html`<h2>${words.t('Last messages')}</h2>
${messageTable(messages, words, moment, address)}\
${messages.length === 0 ? NOTHING : html`<p><a href="${all}">${words.t('All messages')}</a></p>\n`}`;
}

const studentPage: ReadPage = async (core, school, id, { words, may }) => {
  const { people, store } = core;
  const student = await people.student(school, store.keyForm(id));
  if (student === undefined) return undefined;
  const { name, classId, className, schoolName } = student;
  const devices = await people.devicesOf(school, store.keyForm(id));
  return {
    title: may('names') && name !== '' ? name : words.t('Student {id}', { id: student.id }),
    section: '/schools',
    above: [
      schoolLink(school, schoolName),
      ...(classId === null ? [] : [classLink(school, classId, className)]),
    ],
    details: [
      [words.t('Student'), shown(student.id)],
      [words.t('School'), schoolLink(school, schoolName)],
      [words.t('Class'), classId === null ? words.t('no class') : classLink(school, classId, className)],
    ],
    rest: html`<h2>${words.t('Registered devices')}</h2>
${deviceTable(devices, words)}${await lastMessages(core, { school, student: student.id }, words)}
<p class="quiet">\
${words.t('Codes go to phone numbers, which do not belong to students here. Search for the number.')}</p>`,
  };
};

const classPage: ReadPage = async (core, school, id, { words, may }) => {
  const { people, store } = core;
  const found = await people.classOf(school, store.keyForm(id));
  if (found === undefined) return undefined;
  const members = await people.membersOf(school, store.keyForm(id), SHOWN_MEMBERS);
  const { students, withDevice } = await people.countMembers(school, store.keyForm(id));
  return {
    title: found.name === '' ? words.t('Class {name}', { name: found.id }) : found.name,
    section: '/schools',
    above: [schoolLink(school, found.schoolName)],
    details: [
      [words.t('Class'), shown(found.id)],
      [words.t('School'), schoolLink(school, found.schoolName)],
      [words.t('Students'), words.number(students)],
      [words.t('Without a device'), words.number(students - withDevice)],
    ],
    rest: html`${await lastMessages(core, { school, class: found.id }, words)}<h2>\
${words.t('Students of the class')}</h2>
${memberTable(members, school, may('names'), words)}`,
  };
};

const notePage: ReadPage = async (core, school, id, { words }) => {
  const { people, store } = core;
  const found = await people.note(school, store.keyForm(id));
  if (found === undefined) return undefined;
  return {
    title: found.name === '' ? words.t('Note {id}', { id: found.id }) : found.name,
    section: '/schools',
    above: [schoolLink(school, found.schoolName)],
    details: [
      [words.t('Note'), shown(found.id)],
      [words.t('School'), schoolLink(school, found.schoolName)],
      ...(found.type === '' ? [] : [[words.t('Type'), shown(found.type)] as const]),
    ],
    rest: await lastMessages(core, { school, note: found.id }, words),
  };
};

const READERS: Readonly<Record<'student' | 'class' | 'note', ReadPage>> = {
  student: studentPage,
  class: classPage,
  note: notePage,
};

async function callerPage(
  { store, now }: PeopleCore,
  name: string | undefined,
  { words }: PageViewer,
): Promise<RecordPage | undefined> {
  const calls = await store.callers.list({ from: now() - CALLER_DAYS * DAY_MS, to: now() });
  const rows = calls.filter(({ caller }) => caller !== undefined && caller === name);
  const [newest] = rows;
  if (name === undefined || newest === undefined) return undefined;
  const requests = (isWanted: (row: (typeof rows)[number]) => boolean) =>
    words.number(rows.filter(isWanted).reduce((sum, row) => sum + row.requests, 0));
  return {
    title: name,
    section: '/callers',
    above: [html`<a href="/callers">${words.t('Callers')}</a>`],
    details: [
      [words.t('Last seen'), timePart(newest.lastSeenAt, words)],
      [words.t('Requests in the last {n} days', { n: CALLER_DAYS }), requests(() => true)],
      [words.t('Failed requests'), requests(({ outcome }) => FAILURES.includes(outcome))],
    ],
    rest: html`<h2>${words.t('Requests')}</h2>
${callerTable(rows, words)}`,
  };
}

/** Returns the pages of students, classes, notes and callers, and the search for names. */
export function peoplePages({ store, users, now }: ConsoleCore): ConsolePart {
  const people = store.repository(People);
  const core = { store, people, now };
  const routes = express.Router();
  for (const [kind, read] of Object.entries(READERS)) {
    routes.get(`/schools/${kind}`, async (request, response, next) => {
      const viewer = findViewer(users, response);
      const [school = '', id = ''] = [request.query['school'], request.query['id']].map(fieldText);
      const page = await read(core, school, id, viewer);
      if (page === undefined) next();
      else showRecord(response, viewer, page);
    });
  }
  routes.get('/callers/caller', async (request, response, next) => {
    const viewer = findViewer(users, response);
    const page = await callerPage(core, fieldText(request.query['name']), viewer);
    if (page === undefined) next();
    else showRecord(response, viewer, page);
  });
  return {
    routes,
    find: async (text, words) => {
      const [schools, students] = await Promise.all([
        people.schoolsNamed(text, MAX_FOUND),
        people.studentsNamed(text, MAX_FOUND),
      ]);
      return [
        ...schools.map(({ id, name }) => ({
          address: schoolAddress(id),
          text: words.t('School {name}', { name }),
        })),
        ...students.map((student) => studentAnswer(student)),
      ];
    },
  };
}

/** Outcomes of requests that count as failures. */
const FAILURES: readonly string[] = ['client_error', 'server_error'];

function showRecord(
  response: Parameters<typeof sendPage>[0],
  viewer: PageViewer,
  { title, section, above, details, rest }: RecordPage,
): void {
  const path = above.map((link, at) => html`${at === 0 ? NOTHING : ' › '}${link}`);
  sendPage(response, viewer, {
    title: shown(title),
    section,
    content: html`<p class="quiet above">${path}</p>
<h1>${shown(title)}</h1>
<div class="card">${facts(viewer.words.t('Details'), details)}</div>
${rest}`,
  });
}

function studentAnswer({ id, name, school, schoolName, className }: FoundStudent): FoundRecord {
  const place = className === '' ? schoolName : `${className}, ${schoolName}`;
  return { address: recordAddress('student', school, id), text: `${name} (${place})` };
}

function schoolLink(school: string, name: string): Html {
  return html`<a href="${schoolAddress(school)}">${shown(name)}</a>`;
}

function classLink(school: string, id: string, name: string): Html {
  return html`<a href="${recordAddress('class', school, id)}">${shown(name === '' ? id : name)}</a>`;
}

const TOKENS = { valid: 'valid', invalid: 'invalid', missing: 'missing' } as const satisfies Readonly<
  Record<Device['token'], Text>
>;

function deviceTable(devices: readonly Device[], words: Words): Html {
  return table<Device>(words, {
    label: 'Devices',
    rows: devices,
    none: 'No devices. The app registers one when the student logs in.',
    columns: [
      { name: 'Device', cell: ({ id }) => shown(id), kind: 'long' },
      { name: 'Platform', cell: ({ platform }) => shown(platform) },
      {
        name: 'Token',
        cell: ({ token }) =>
          html`<span class="${token === 'valid' ? 'good' : 'bad'}">${words.t(TOKENS[token])}</span>`,
      },
      { name: 'Last seen', cell: ({ lastSeenAt }) => seenPart(lastSeenAt, words) },
    ],
  });
}

/** @param isNamed - shows the students' names */
function memberTable(members: readonly ClassMember[], school: string, isNamed: boolean, words: Words): Html {
  return table<ClassMember>(words, {
    label: 'Students',
    rows: members,
    none: 'No students yet. Import them.',
    columns: [
      {
        name: 'Student',
        cell: ({ id, name }) =>
          html`<a href="${recordAddress('student', school, id)}">\
${shown(isNamed && name !== '' ? name : id)}</a>`,
      },
      {
        name: 'Device',
        cell: ({ hasDevice }) =>
          hasDevice ? words.t('yes') : html`<span class="bad">${words.t('none')}</span>`,
      },
      { name: 'Last seen', cell: ({ lastSeenAt }) => seenPart(lastSeenAt, words) },
    ],
  });
}

function seenPart(time: number | null, words: Words): Html | string {
  return time === null ? words.t('not known') : timePart(time, words);
}
