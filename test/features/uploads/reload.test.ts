import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ImportReport } from '../../../src/store';
import { type HeldCommand, heldCommand, replaceSpawn } from '../../harness/replace-spawn';
import { useServicesHere } from '../../service/use-services-here';
import { idOf, PATH, school, SCHOOL, untilShown } from './import-page';

const COUNTS = { rows: 2, newRows: 2, changedRows: 0, unchangedRows: 0, errors: 0 };

/** Report of the command that the service runs. */
function reportOf(outcome: 'checked' | 'loaded'): Partial<ImportReport> {
  return {
    files: [{ file: 'students.csv', outcome, ...COUNTS }],
    ...{ problems: [], problemCount: 0, leftOut: [], questions: [], removals: [], removesTooMuch: false },
    summary: { values: [], unreferenced: [] },
  };
}

describe('an import in the console while the service reloads', () => {
  const services = useServicesHere();
  // Not before the service has ended, whose end is replaced, too.
  afterAll(() => {
    jest.restoreAllMocks();
  });

  it('goes on, both while it is checked and while it loads', async () => {
    const DELIVERY_FILE = join(services.folder, 'delivery.json');
    const useTitle = (pushTitle: string): void => {
      writeFileSync(DELIVERY_FILE, JSON.stringify({ languages: { tr: { pushTitle } } }));
    };
    useTitle('Not: {title}');
    const commands: HeldCommand[] = [];
    let onCommand: () => void = () => undefined;
    const started = (): Promise<void> => new Promise((resolve) => (onCommand = resolve));
    replaceSpawn(() => {
      const command = heldCommand();
      commands.push(command);
      onCommand();
      return command;
    });
    const service = await services.start({ settings: { DELIVERY_FILE } });
    const origin = `http://127.0.0.1:${String(service.adminPort)}`;
    const page = async (): Promise<string> => (await fetch(origin + PATH)).text();
    const token = async (): Promise<string> => /name="token" value="([^"]+)"/.exec(await page())?.[1] ?? '';

    const form = new FormData();
    form.append('token', await token());
    for (const [name, content] of Object.entries(school([`${SCHOOL},S1,Name,Y,`])))
      form.append('files', new Blob([content]), name);
    let begun = started();
    const uploaded = await fetch(origin + PATH, { method: 'POST', body: form, redirect: 'manual' });
    expect(uploaded.status).toBe(303);
    await begun;
    useTitle('Yeni not: {title}');
    expect(await service.reload()).toMatchObject({ changed: ['DELIVERY_FILE'] });
    commands[0]?.emit('message', { report: reportOf('checked') });
    commands[0]?.end(0);
    await untilShown(origin, 'uploaded these files');

    begun = started();
    const body = new URLSearchParams({ token: await token(), id: idOf(await page()) });
    await fetch(`${origin}${PATH}/confirm`, { method: 'POST', body, redirect: 'manual' });
    await begun;
    useTitle('Not: {title}');
    expect(await service.reload()).toMatchObject({ changed: ['DELIVERY_FILE'] });
    commands[1]?.emit('message', { report: reportOf('loaded') });
    commands[1]?.end(0);
    await untilShown(origin, 'imported these files');
    expect(commands).toHaveLength(2);
  });
});
