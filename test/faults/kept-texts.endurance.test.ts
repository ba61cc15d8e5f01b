// Each long-lived collection that callers fill copies what it keeps out of their requests.

import { hash } from 'node:crypto';

import { Rates } from '../../src/access';
import { Sessions } from '../../src/admin/login/sessions';
import type { CallContext } from '../../src/asmx';
import { findDecoder, plainAddress, XmlReader } from '../../src/asmx/internal';
import { RefusedCodes } from '../../src/delivery/policy/accept-code';
import { getStudentSchool } from '../../src/operations/get-student-school';
import type { Connection } from '../../src/store/engine/engine';
import { Students } from '../../src/store/queries/students';
import { Devices } from '../../src/store/queries/devices';
import { cutOut, keptBytes, MEGABYTE } from '../harness/kept-memory';
import { IGNORE_ALL } from '../asmx/xml/xml-judge';

/** Number of texts that each collection gets, each out of a request of a megabyte. */
const TEXTS = 30;
const MAX_KEPT = 10 * MEGABYTE;

const STUDENT = { id: 'S1', fullName: 'Ada', deviceId: 'D1', showActive: 'Y' };
/** Long names of charsets. */
const LABELS = ['2:1987', '3:1988', '4:1988', '5:1988', '6:1987', '7:1987', '8:1988', '1:1987'];

/** A database that knows every school and device. */
const database = {
  engine: 'sqlite',
  rows: (_statement: unknown, values?: object) => {
    const row =
      values === undefined ? ['v1'] : 'school' in values ? ['S1', 'Ada', 'D1', 'v1'] : ['token', 'v1'];
    return Promise.resolve([row]);
  },
} as unknown as Connection; // The two queries use no more of one.

/** Returns what puts a text, cut out of a request, into a new collection. */
type Open = () => (text: string, at: number) => unknown;

const COLLECTIONS: readonly (readonly [what: string, open: Open])[] = [
  [
    'tokens of devices',
    () => {
      const devices = new Devices(database);
      return (text) => devices.tokenOf(text);
    },
  ],
  [
    'lists of students',
    () => {
      const students = new Students(database);
      return (text) => students.ofSchool(text, 'Y');
    },
  ],
  [
    'lengths of lists',
    () => {
      const students = { ofSchool: () => Promise.resolve([STUDENT]) };
      const operation = getStudentSchool({ students });
      const context = { annotate: () => undefined } as unknown as CallContext; // It uses no more of one.
      return (text) => operation({ school_base_url: text, show_active: 'Y' }, context);
    },
  ],
  [
    'refused codes',
    () => {
      const store = { write: () => Promise.reject(new Error('not now')) };
      const refused = new RefusedCodes(store, { after: () => () => undefined }, () => undefined);
      return (text) => {
        refused.note(text, { reason: 'country', bound: 0 }, 0);
      };
    },
  ],
  [
    'counts of callers',
    () => {
      const rates = new Rates(60_000);
      return (text) => rates.take(text, 1);
    },
  ],
  [
    'sessions',
    () => {
      const sessions = new Sessions();
      return (text) => sessions.begin(text, 'secret');
    },
  ],
  [
    'addresses',
    () => (_text, at) => plainAddress(cutOut(`2001:db8::1:${at.toString(16)}%${'z'.repeat(20)}`)),
  ],
  [
    'charsets',
    () => (_text, at) => findDecoder(cutOut(`iso_8859-${LABELS[at % LABELS.length] ?? ''}`, 4 * MEGABYTE)),
  ],
  [
    'prefixes',
    () => {
      const reader = new XmlReader(IGNORE_ALL);
      return (text) => {
        reader.read(cutOut(`<a xmlns:${text}="urn:${text}" ${text}:b=""/>`));
      };
    },
  ],
  [
    'attributes',
    () => {
      const reader = new XmlReader(IGNORE_ALL);
      return (text, at) => {
        // One fewer in each: the last one of each document would stay.
        const names = Array.from({ length: TEXTS - at + 1 }, (_, index) => `${text}-${String(index)}`);
        reader.read(`<a ${names.map((name) => `${name}="${name}"`).join(' ')}>${'x'.repeat(MEGABYTE)}</a>`);
      };
    },
  ],
];

it.each(COLLECTIONS)('%s', async (_what, open) => {
  const put = open();
  // A key of letters, digits and a point is one of every kind.
  const kept = await keptBytes(TEXTS, (at) => put(cutOut(`k${hash('sha256', String(at))}`), at));
  expect(kept).toBeLessThan(MAX_KEPT);
});
