import { writeSchool } from '../../../scripts/harness';
import { People } from '../../../src/features/people/people';
import { cellsOf, type Page, useConsole } from '../../admin/console/use-console';
import { ENGINES } from '../../harness/test-databases';

const SCHOOL = 'http://people.example';
const OTHER = 'http://other-people.example';
const MANY = 2500;

describe.each(ENGINES)('people on %s', (engine) => {
  const console = useConsole(engine);
  beforeAll(async () => {
    const folder = writeSchool(`${console.database.folder}/people`, {
      schools: [`${SCHOOL},Şişli Lisesi`, `${OTHER},Other School`],
      classes: [`${SCHOOL},P-9,Nine A`, `${OTHER},P-9,Nine`, `${OTHER},P-ALL,Everyone`],
      students: [
        `${SCHOOL},7001,Işıl Çağlar,Y,P-9`,
        `${SCHOOL},7002,<i>Yağmur</i> Öz,Y,P-9`,
        `${SCHOOL},7003,Zeki Su,Y,P-9`,
        `${OTHER},7001,ISIL KAYA,Y,P-9`,
        ...Array.from({ length: MANY }, (_, at) => `${OTHER},m${String(at)},Pupil ${String(at)},Y,P-ALL`),
      ],
      devices: [
        `D-7001,${SCHOOL},7001,token-1,android,2026-03-01T08:00:00Z`,
        `D-7002,${SCHOOL},7001,,ios,2025-01-01T08:00:00Z`,
        // Without a token, nothing reaches it.
        `D-7003,${SCHOOL},7003,,ios,2025-01-01T08:00:00Z`,
        `D-7001-OTHER,${OTHER},7001,token-2,ios,`,
        `D-M0,${OTHER},m0,token-3,ios,`,
      ],
      notes: [`${SCHOOL},P-N1,,Results are out,Look`],
    });
    await console.store.importFolder(folder);
  });

  const search = (text: string): Promise<Page> => console.post('/find', { text });
  const page = async (kind: string, id: string, school = SCHOOL): Promise<Page> =>
    console.get(`/schools/${kind}?${new URLSearchParams({ school, id }).toString()}`);
  const enqueue = (channel: 'push' | 'mark', recipient: string, more: object = {}) =>
    console.store.messages.enqueue({
      ...{ channel, recipient, school: SCHOOL, payload: { note: 'P-N1' }, dedupeKey: null },
      ...{ createdAt: console.now - 1000, expiresAt: console.now + 300_000, ...more },
    });

  it.each(['ışıl çağlar', 'ISIL CAGLAR', 'caglar isil', 'Çağl ış'])(
    'finds a student by the name %s, which no address contains',
    async (name) => {
      const { headers } = await search(name);
      const address = headers.get('location') ?? '';
      expect(decodeURIComponent(address)).toBe(`/schools/student?school=${SCHOOL}&id=7001`);
      expect((await console.get(address)).text).toContain('<h1>Işıl Çağlar</h1>');
    },
  );

  it('offers students of the same name with class and school, and schools by name', async () => {
    const { status, text } = await search('isil');
    expect(status).toBe(200);
    expect(text).toContain('>Işıl Çağlar (Nine A, Şişli Lisesi)</a>');
    expect(text).toContain('>ISIL KAYA (Nine, Other School)</a>');
    expect((await search('sisli')).headers.get('location')).toContain('/schools/school?url=');
  });

  it('compares the names of more students than it reads at once, and stops at its limit', async () => {
    const people = console.store.repository(People);
    expect(await people.studentsNamed(`pupil ${String(MANY - 1)}`, 5)).toHaveLength(1);
    expect(await people.studentsNamed('pupil', 5)).toHaveLength(5);
    expect(await people.schoolsNamed('sisli', 1)).toMatchObject([{ id: SCHOOL }]);
  });

  it('shows a student with class, devices and the last messages', async () => {
    const push = await enqueue('push', 'D-7001');
    const elsewhere = await enqueue('push', 'D-7001-OTHER', { school: OTHER });
    const { text } = await page('student', '7001');
    expect(cellsOf(text, 'Details')).toEqual([
      ['Student', '7001'],
      ['School', 'Şişli Lisesi'],
      ['Class', 'Nine A'],
    ]);
    expect(cellsOf(text, 'Devices').slice(1)).toEqual([
      ['D-7001', 'android', 'valid', '2026-03-01 08:00:00'],
      ['D-7002', 'ios', 'missing', '2025-01-01 08:00:00'],
    ]);
    expect(text).toContain(`href="/messages/${push}"`);
    expect(text).not.toContain(elsewhere);
    expect((await console.get(`/messages/${push}`)).text).toContain('/schools/student?');
  });

  it('shows a class with its students, and a note, each with its messages', async () => {
    const id = await enqueue('mark', 'P-9', { note: 'P-N1' });
    const elsewhere = await enqueue('mark', 'P-9', { note: 'P-N1', school: OTHER });
    const { text } = await page('class', 'P-9');
    expect(text).toContain('<h1>Nine A</h1>');
    expect(cellsOf(text, 'Students').slice(1)).toEqual([
      ['&lt;i&gt;Yağmur&lt;/i&gt; Öz', 'none', 'not known'],
      ['Işıl Çağlar', 'yes', '2026-03-01 08:00:00'],
      ['Zeki Su', 'none', 'not known'],
    ]);
    const note = await page('note', 'P-N1');
    expect(note.text).toContain('<h1>Results are out</h1>');
    for (const each of [text, note.text]) {
      expect(each).toContain(`href="/messages/${id}"`);
      expect(each).not.toContain(elsewhere);
    }
  });

  it('counts all students of a large class, and lists the first 500', async () => {
    const { text } = await page('class', 'P-ALL', OTHER);
    expect(cellsOf(text, 'Details').slice(2)).toEqual([
      ['Students', '2,500'],
      ['Without a device', '2,499'],
    ]);
    expect(cellsOf(text, 'Students').slice(1)).toHaveLength(500);
  });

  it('shows names only to roles that may see them', async () => {
    console.role = 'viewer';
    expect((await search('isil')).status).toBe(404);
    for (const [kind, id] of [
      ['student', '7001'],
      ['class', 'P-9'],
    ] as const) {
      const { text } = await page(kind, id);
      expect(text).toContain('7001');
      expect(text).not.toContain('Işıl');
    }
    const { text } = await search('7001');
    expect(text).toContain('Student 7001 (Şişli Lisesi)');
    expect(text).not.toContain('KAYA');
    console.role = 'helpdesk';
    expect((await page('student', '7001')).text).toContain('Işıl');
  });

  it('leads from records that are not imported to their messages', async () => {
    const { headers } = await page('class', 'unknown');
    expect(decodeURIComponent(headers.get('location') ?? '')).toBe(
      `/messages?school=${SCHOOL}&class=unknown&newer-than=any`,
    );
    expect((await console.get('/schools/student')).status).toBe(404);
  });

  it('shows a caller with its requests', async () => {
    const call = {
      operation: 'AuthCode',
      binding: 'soap11',
      outcome: 'ok',
      agent: 'curl',
      requests: 3,
    } as const;
    await console.store.stats.add(
      [],
      [{ ...call, at: console.now, caller: 'portal', address: undefined }],
      console.now,
    );
    const { text } = await console.get('/callers/caller?name=portal');
    expect(text).toContain('<h1>portal</h1>');
    expect(cellsOf(text, 'Details')).toContainEqual(['Requests in the last 30 days', '3']);
    expect((await console.get('/callers')).text).toContain('/callers/caller?name=portal');
    expect((await console.get('/callers/caller?name=nobody')).headers.get('location')).toBe('/callers');
  });
});
