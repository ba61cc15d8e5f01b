import { useConsole } from '../../admin/console/use-console';

describe('the report of the last import of the folder', () => {
  const console = useConsole('sqlite');

  it('is below the list of schools, and says how the import ended', async () => {
    const page = async () => (await console.get('/schools')).text;
    expect(await page()).not.toContain('Last import');
    const ended = { at: console.now, isGood: true, state: 'x', filesAt: console.now };
    await console.store.imports.record({ ...ended, report: 'students.csv: 2 new rows\n' });
    expect(await page()).toMatch(
      /<h2>Last import<\/h2>\n<p class="good">Completed, .*<\/p>\n<pre tabindex="0">students\.csv: 2 new rows\n<\/pre>/,
    );
    await console.store.imports.record({ ...ended, isGood: false, report: '<b>\n' });
    expect(await page()).toMatch(/<p class="bad">Failed, .*<\/p>\n<pre tabindex="0">&lt;b&gt;\n<\/pre>/);
  });
});
