import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { useFolder } from '../../harness/use-folder';
import { cellsOf, useConsole } from '../../admin/console/use-console';

describe('the console while notes wait', () => {
  const console = useConsole('sqlite', { QUIET_HOURS: '00:00-23:59' });

  it('shows until when, in the list of schools and on the page of each', async () => {
    const [, school = []] = cellsOf((await console.get('/schools')).text, 'Schools');
    expect(school[4]).toBe('until 2026-03-02 23:59:00');
    const page = await console.get(`/schools/school?url=${encodeURIComponent('http://school.example')}`);
    expect(cellsOf(page.text, 'School details')).toContainEqual(['Quiet hours', 'until 2026-03-02 23:59:00']);
  });
});

describe('the console while none do', () => {
  const console = useConsole('sqlite');

  it('says so', async () => {
    const [, school = []] = cellsOf((await console.get('/schools')).text, 'Schools');
    expect(school[4]).toBe('not now');
  });
});

describe('the console with quiet hours of a school', () => {
  const DELIVERY_FILE = join(useFolder(), 'delivery.json');
  const write = (quietHours: string): void => {
    writeFileSync(DELIVERY_FILE, JSON.stringify({ schools: { 'http://school.example': { quietHours } } }));
  };
  write('00:00-23:59');
  const console = useConsole('sqlite', { DELIVERY_FILE });
  const shown = async () => cellsOf((await console.get('/schools')).text, 'Schools')[1]?.[4];

  it('shows those in effect: of the file when it was last reloaded without an error', async () => {
    expect(await shown()).toBe('until 2026-03-02 23:59:00');
    write('23:59-00:00');
    expect(await shown()).toBe('until 2026-03-02 23:59:00');
    expect(console.reload()).toEqual([]);
    expect(await shown()).toBe('not now');
    writeFileSync(DELIVERY_FILE, '{');
    expect(console.reload()).toMatchObject([{ names: ['DELIVERY_FILE'] }]);
    expect(await shown()).toBe('not now');
  });
});
