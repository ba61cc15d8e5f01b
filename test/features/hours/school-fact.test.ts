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
