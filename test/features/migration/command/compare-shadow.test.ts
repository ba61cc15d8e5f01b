import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { pino } from 'pino';
import { Registry } from 'prom-client';

import type { HttpAnswer } from '../../../../src/features/migration/messages';
import type { Report } from '../../../../src/features/migration/report/report';
import { ShadowReport } from '../../../../src/features/migration/reverse-proxy/shadow-report';
import { compareAnswers } from '../../../../src/features/migration/verdict/compare-answers';
import { type CommandEnd, runCommand } from '../../../harness/run-command';
import { useFolder } from '../../../harness/use-folder';

const folder = useFolder();

const compare = (data: string, args: readonly string[] = []): Promise<CommandEnd> =>
  runCommand('compare', ['--shadow', ...args], {
    folder,
    settings: { DATA_DIR: join(folder, data), OLD_URL: 'http://old.example' },
  });

const answer = (token: string): HttpAnswer => ({
  status: 200,
  headers: [['Content-Type', 'text/xml; charset=utf-8']],
  body: Buffer.from(`<string>${token}</string>`),
});

/** As a process of the service does that compares such answers, and ends. */
function found(data: string, ours: string): void {
  const report = new ShadowReport({
    logger: pino({ level: 'silent' }),
    registry: new Registry(),
    folder: join(folder, data, 'compared'),
    address: 'http://old.example',
  });
  report.compared(
    { operation: 'GetTokenDevice', binding: 'get', mode: 'shadow' },
    {
      method: 'GET',
      target: '/PushNotificationMobile.asmx/GetTokenDevice?id=Ayse',
      headers: [],
      body: Buffer.alloc(0),
    },
    compareAnswers(answer('Fatma'), answer(ours)),
  );
  report.close();
}

describe('the report on comparisons made by the service', () => {
  it('shows counts, differences and a masked example, and exits with an error', async () => {
    found('different', 'Zeynep');
    const { code, out, err } = await compare('different', ['--html', 'report.html']);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toContain('http://old.example and this service: 1 comparison, 1 with differences.');
    expect(out).toContain('GetTokenDevice, GET: body /string: different value (1 comparison)');
    expect(out).toContain(`To start over, delete ${join(folder, 'different', 'compared')}.`);
    expect(out).not.toMatch(/Ayse|Fatma|Zeynep/);
    expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain('/string');
  });

  it('exits with 0 if everything was equal, and prints JSON for programs', async () => {
    found('equal', 'Fatma');
    const { code, out } = await compare('equal', ['--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out) as Report).toMatchObject({ findings: { pairs: 1, failed: 0 } });
  });

  it('names the folder that it searched if there is nothing', async () => {
    const { code, out, err } = await compare('nothing');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`${join(folder, 'nothing', 'compared')} is empty`);
  });
});
