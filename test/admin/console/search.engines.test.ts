import { writeSchool } from '../../../scripts/harness';
import { ENGINES } from '../../harness/test-databases';
import { type Page, useConsole } from './use-console';

const SCHOOL = 'http://search.example';
const OTHER = 'http://other.example';

describe.each(ENGINES)('the search box on %s', (engine) => {
  const console = useConsole(engine);
  beforeAll(async () => {
    const folder = writeSchool(`${console.database.folder}/search`, {
      schools: [`${SCHOOL},Search School`, `${OTHER},Other School`],
      classes: [`${SCHOOL},K-9,Class nine`, `${OTHER},K-9,Nine`],
      students: [`${SCHOOL},5559,Zeynep,Y,K-9`],
    });
    await console.store.importFolder(folder);
  });

  const enqueue = (channel: 'sms' | 'mark', recipient: string, school: string) =>
    console.store.messages.enqueue({
      ...{ channel, recipient, school, payload: {}, dedupeKey: null },
      ...{ createdAt: console.now - 1000, expiresAt: console.now + 300_000 },
    });
  const search = (text: string): Promise<Page> => console.post('/find', { text });
  const follow = async (text: string): Promise<Page> =>
    console.get((await search(text)).headers.get('location') ?? '/no-answer');

  it.each(['0555 123 00 11', '+90 (555) 123-0011', '905551230011'])(
    'finds the messages for the number %s, without putting it in the URL',
    async (number) => {
      await enqueue('sms', '+905551230011', '');
      const { headers } = await search(number);
      expect(headers.get('location')).toMatch(/^\/messages\?phone=[\w-]+$/);
      const { text } = await follow(number);
      expect(text).toContain('<h1>Codes for +90...11</h1>');
      expect(text).toMatch(/<a href="\/messages\/[0-9a-f-]{36}">/);
    },
  );

  it('finds a message by its id, in any spelling', async () => {
    const id = await enqueue('mark', 'K-9', SCHOOL);
    expect((await search(`  ${id.toUpperCase()} `)).headers.get('location')).toBe(`/messages/${id}`);
  });

  it('finds a student by id, although it could be a number', async () => {
    const address = new URL((await search('5559')).headers.get('location') ?? '', console.origin);
    expect(address.pathname).toBe('/schools/student');
    expect(Object.fromEntries(address.searchParams)).toEqual({ school: SCHOOL, id: '5559' });
    expect((await follow('5559')).status).toBeLessThan(400);
  });

  it('offers classes of the same name in several schools, and leads to one', async () => {
    await enqueue('mark', 'K-9', OTHER);
    const { status, text } = await search('K-9');
    expect(status).toBe(200);
    expect(text).toContain('>Class K-9 Class nine (Search School)</a>');
    const [, link = ''] = /href="([^"]+)">Class K-9 Nine \(Other School\)/.exec(text) ?? [];
    expect(decodeURIComponent(link.replaceAll('&amp;', '&'))).toBe(`/schools/class?school=${OTHER}&id=K-9`);
    expect((await console.get(link.replaceAll('&amp;', '&'))).status).toBeLessThan(400);
  });

  it('finds a note by its id', async () => {
    const { headers } = await search('N2');
    expect(headers.get('location')).toMatch(/^\/schools\/note\?school=.*&id=N2$/);
  });

  it.each(['', '<b>x</b>', 'no such id'])('reports that it found nothing: %j', async (text) => {
    const page = await search(text);
    expect(page.status).toBe(404);
    expect(page.text).toContain('Nothing found');
    expect(page.text).toContain('Enter a phone number, the name of a student or school, or the id of a');
    expect(page.text).not.toContain('<b>x');
  });

  it('is on every page, below the product name and the number of schools', async () => {
    for (const path of ['/', '/messages', '/settings', '/nothing']) {
      const { text } = await console.get(path);
      expect([path, text.match(/id="search"/g)?.length]).toEqual([path, 1]);
      expect(text).toMatch(/School Notifications<\/a> <span class="quiet">\d+ schools<\/span>/);
    }
  });

  it('accepts only a form from the console itself', async () => {
    expect((await console.post('/find', { text: 'K-9', token: 'guessed' })).status).toBe(403);
  });
});
