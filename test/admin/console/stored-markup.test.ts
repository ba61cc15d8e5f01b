// Hostile texts in every field that a page shows: they stay texts.

import { join } from 'node:path';

import { writeSchool } from '../../../scripts/harness';
import type { ActionName } from '../../../src/admin/login/actions';
import { FEATURE_ACTION_LOG } from '../../../src/features/feature';
import { failMessages } from './fail-messages';
import { exampleFeatures, readFeaturePages } from './feature-pages';
import { useConsole } from './use-console';

/** Each breaks out of another place: an element, attributes in both quotes, a cell, a script, a comment. */
const HOSTILE = `"'></td></table></script><script>alert(1)</script><img src=x onerror=alert(2)>-->&quot;&lt;`;
/** Lists its parts that no page may contain unescaped. */
const RAW = [`"'>`, `<script>alert`, '<img src=x', '</td></table></script>'];

/** A hostile text that tells where it came from. */
const from = (field: string): string => `MARK-${field}${HOSTILE}`;
const SCHOOL = `http://mark-school.example/${HOSTILE.replaceAll(/\s/g, '+')}`;

describe('hostile texts in a database', () => {
  const ADDED = readFeaturePages();
  const settings = {
    SMS_TEXT: `{code} ${from('setting')}`,
  };
  const console = useConsole('sqlite', settings, exampleFeatures(from));
  let request = '';
  let message = '';
  let code = '';
  let span = '';

  beforeAll(async () => {
    const line = (...cells: readonly string[]): string =>
      cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',');
    const folder = writeSchool(join(console.database.folder, 'hostile'), {
      schools: [line(SCHOOL, from('school-name'))],
      classes: [line(SCHOOL, from('class'), from('class-name'))],
      students: [line(SCHOOL, from('student'), from('student-name'), 'Y', from('class'))],
    });
    await console.store.importFolder(folder);
    const now = console.now;
    const times = { createdAt: now - 1000, expiresAt: now + 300_000, dedupeKey: null } as const;
    const { messages, stats, nodes } = console.store;
    request = await messages.enqueue({
      ...{ channel: 'mark', recipient: from('class'), school: SCHOOL, note: from('note'), payload: {} },
      ...{ ...times, caller: from('caller') },
    });
    message = await messages.enqueue({
      ...{ channel: 'push', recipient: from('device'), school: SCHOOL, payload: { note: from('note') } },
      ...{ ...times, requestId: request, caller: from('caller') },
    });
    code = await messages.enqueue({
      ...{ channel: 'sms', recipient: '+905550000000', school: '', payload: { code: from('code') } },
      ...{ ...times, caller: from('caller') },
    });
    for (const channel of ['push', 'sms'] as const) {
      const reason = { code: 'provider_rejected', status: 400, detail: from('reason') } as const;
      await failMessages(console.store, { channel, reason, now });
    }
    const minute = Math.floor(now / 60_000) * 60_000 - 60_000;
    const text = (time: number): string => `${new Date(time).toISOString().slice(0, 16)}Z`;
    span = `from=${text(minute)}&to=${text(minute + 120_000)}`;
    await stats.add(
      [
        {
          at: minute,
          figure: 'requests',
          labels: [from('operation'), from('binding'), 'client_error'],
          count: 3,
        },
        {
          at: minute,
          figure: 'errors',
          labels: [from('operation'), from('binding'), from('error')],
          count: 3,
        },
      ],
      [
        {
          ...{ operation: from('operation'), binding: from('binding'), at: now, requests: 3 },
          outcome: from('outcome'),
          ...{ caller: from('caller'), address: from('address'), agent: from('agent') },
        },
      ],
      now,
    );
    await console.store.imports.record({
      ...{ at: now, filesAt: now, isGood: false, state: '' },
      report: from('report'),
    });
    await FEATURE_ACTION_LOG?.record(console.store, {
      ...{ at: now, who: from('who'), detail: { [from('name')]: from('detail') } },
      action: from('action') as ActionName, // The column could have any text.
    });
    await FEATURE_ACTION_LOG?.record(console.store, {
      ...{ at: now, who: from('importer'), action: 'import' },
      detail: { files: from('files'), rows: 1, errors: 0 },
    });
    const facts = { version: from('version'), processes: 1, circuits: [] } as const;
    await nodes.say(from('node'), facts, now);
  });

  const school = encodeURIComponent(SCHOOL);
  const asked = encodeURIComponent(from('query'));
  const PAGES: readonly (readonly [path: () => string, shows: readonly string[]])[] = [
    [() => '/', ['node', 'version']],
    [() => '/messages?newer-than=any', ['device', 'reason']],
    [() => `/messages?school=${school}&newer-than=any`, ['device']],
    [() => `/messages?class=${asked}&student=${asked}&note=${asked}&request=${asked}`, ['query']],
    [() => '/messages?reason=provider_rejected&newer-than=any', ['reason']],
    [() => `/messages?reason=${asked}`, ['query']],
    [() => `/messages?state=${asked}`, ['query']],
    [() => `/messages?channel=${asked}`, ['query']],
    [() => `/messages?newer-than=${asked}`, ['query']],
    [() => `/messages?before=${asked}&after=${asked}`, []],
    [() => `/messages?done=retry&messages=${asked}`, []],
    [() => `/messages?id=${asked}`, []],
    [() => `/messages/${message}`, ['device', 'reason', 'caller']],
    [() => `/messages/${request}`, ['class', 'caller', 'reason', 'device']],
    [() => `/messages/${code}`, ['reason', 'caller']],
    [() => `/messages/${asked}`, []],
    [() => `/requests?${span}`, ['operation', 'binding', 'error']],
    [() => `/requests?from=${asked}&to=${asked}`, []],
    [() => '/schools', ['school-name']],
    [() => `/schools?after=${asked}`, []],
    [() => `/schools/school?url=${school}`, ['school-name', 'class', 'class-name']],
    [() => `/schools/school?url=${asked}`, []],
    [() => `/schools/student?school=${asked}&id=${asked}`, []],
    [() => `/schools/class?school=${asked}&id=${asked}`, []],
    [() => `/schools/note?school=${asked}&id=${asked}`, []],
    [() => `/callers/caller?name=${encodeURIComponent(from('caller'))}`, []],
    [() => '/callers', ['caller', 'operation', 'address', 'agent']],
    [() => '/settings', ['setting']],
    [() => `/${asked}`, []],
    ...ADDED.flatMap(({ pages }) => pages(asked).map(([path, shows]) => [() => path, shows] as const)),
  ];

  const STREAMS: readonly (() => string)[] = [
    () => '/live',
    () => `/live/messages?school=${school}`,
    () => `/live/messages/${message}`,
    ...ADDED.flatMap(({ streams }) => streams.map((path) => () => path)),
  ];

  it('are tested on all pages', () => {
    const paths = [...PAGES.map(([path]) => path()), ...STREAMS.map((path) => path())];
    const tested = (route: string): boolean => {
      const pattern = new RegExp(`^${route.replace('GET ', '').replaceAll(/:\w+/g, '[^/]+')}(?:\\?|$)`);
      return paths.some((path) => pattern.test(path));
    };
    // Styles and documents are files of the package; a CSV file is text for a spreadsheet.
    const pages = console.routes.filter((route) => /^GET (?!.*\.(?:csv|xlsx)$|\/assets|\/docs)/.test(route));
    expect(pages).toContain('GET /messages/:id');
    expect(pages.filter((route) => !tested(route))).toEqual([]);
  });

  it.each(PAGES.map(([path, shows], at) => [at, path, shows] as const))(
    'are escaped on page %d',
    async (_at, path, shows) => {
      const { status, text, headers } = await console.get(path());
      for (const raw of RAW) expect(headers.get('location') ?? '').not.toContain(raw);
      if (status === 303) return;
      expect([200, 400, 404]).toContain(status);
      expect(headers.get('content-security-policy')).toContain("script-src 'self'");
      for (const raw of RAW) expect(text).not.toContain(raw);
      for (const field of shows) expect(text).toContain(`MARK-${field}&quot;`);
    },
  );

  it('are escaped in a confirmation and in the answer to a form', async () => {
    const forms = [
      ['/messages/confirm', { action: 'retry', school: SCHOOL, reason: from('query') }],
      ['/messages/confirm', { action: from('query'), school: SCHOOL }],
      ['/messages/confirm', { action: 'cancel', id: from('query') }],
      ['/messages/find', { number: from('query') }],
      ['/messages/change', { action: 'cancel', token: from('query') }],
    ] as const;
    for (const [path, fields] of forms) {
      const { text, headers } = await console.post(path, fields);
      for (const raw of RAW) expect([path, text.includes(raw)]).toEqual([path, false]);
      expect(headers.get('location') ?? '').not.toMatch(/[<>"']/);
    }
  });

  it('are escaped in updates sent to open pages', async () => {
    for (const path of STREAMS.map((each) => each())) {
      const stream = await fetch(console.origin + path);
      const reader = stream.body?.getReader();
      // A stream of the network gives bytes.
      const { value } = (await reader?.read()) as { readonly value?: Uint8Array };
      const first = new TextDecoder().decode(value);
      await reader?.cancel();
      expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
      for (const raw of RAW) expect([path, first.includes(raw)]).toEqual([path, false]);
    }
  });
});
