import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { CLOSED_PORT } from '../../../scripts/harness';
import { folderFindings } from '../../../src/admin/reports/checks';
import { LANGUAGES, Words } from '../../../src/admin/texts/words';
import { loadConfig } from '../../../src/config';
import { checkOldServer } from '../../../src/features/migration/check-old-server';
import { connectionsPerCaller, findings } from '../../../src/features/migration';
import { certify } from '../../harness/certificates';
import { useFolder } from '../../harness/use-folder';
import { useServicesHere } from '../../service/use-services-here';
import { writeTlsFiles } from '../../service/use-tls';

const folder = useFolder();

function write(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(content), { mode: 0o600 });
  return path;
}

const find = async (settings: Readonly<Record<string, string>>) =>
  (await findings(loadConfig({ HOST: '127.0.0.1', ...settings }))).map(
    ({ level, message }) => `${level}: ${message}`,
  );

describe('the findings about the migration', () => {
  it.each<readonly [Readonly<Record<string, string>>, string]>([
    [{ CUTOVER_FILE: write('cut-over.json', {}) }, 'warn: CUTOVER_FILE has no effect without OLD_URL'],
    [{ RECORD_FILE: join(folder, 'record') }, 'warn: RECORD_FILE has no effect without OLD_URL'],
    [
      { OLD_URL: 'http://old.example', CUTOVER_FILE: write('cut-over-bad.json', { AuthCode: 'shadow' }) },
      `fatal: ${join(folder, 'cut-over-bad.json')} (CUTOVER_FILE): AuthCode cannot have the mode shadow`,
    ],
    [
      {
        OLD_URL: 'http://old.example',
        CUTOVER_FILE: write('cut-over-closed.json', { GetTokenDevice: { get: 'new' } }),
        DISABLED_BINDINGS: 'GetTokenDevice:GET',
      },
      `fatal: ${join(folder, 'cut-over-closed.json')} (CUTOVER_FILE): GetTokenDevice is not offered over the binding get`,
    ],
    [{ OLD_URL: 'http://localhost:8080' }, 'fatal: OLD_URL (http://localhost:8080) is this service itself'],
    [
      { OLD_URL: 'https://LOCALHOST', PORT: '443' },
      'fatal: OLD_URL (https://localhost) is this service itself',
    ],
    [
      { OLD_URL: 'http://[::1]:8080', HOST: '*', ALLOWED_HOSTS: 'a', ACCESS_FILE: write('no-one.json', {}) },
      'fatal: OLD_URL (http://[::1]:8080) is this service itself',
    ],
    [
      { OLD_URL: 'http://old.example', RECORD_FILE: join(folder, 'record') },
      `warn: Requests are recorded in ${join(folder, 'record')} (RECORD_FILE), including phone numbers`,
    ],
    [{ OLD_URL: 'http://[::1]', PORT: '80' }, 'fatal: OLD_URL (http://[::1]) is this service itself'],
    [
      {
        ...writeTlsFiles(folder, certify({ name: 'localhost' })),
        HTTP_PORT: '8081',
        OLD_URL: 'http://localhost:8081',
      },
      'fatal: OLD_URL (http://localhost:8081) is this service itself',
    ],
    [
      { OLD_URL: 'https://school.example', BASE_URL: 'https://school.example/a' },
      'warn: OLD_URL has the same host as BASE_URL',
    ],
  ])('with %j are one line', async (settings, expected) => {
    const found = await find(settings);
    expect(found).toEqual([expect.stringContaining(expected)]);
    expect(found[0]).not.toContain('\n');
  });

  it.each([
    [{ OLD_URL: 'http://localhost:8081' }],
    [{ OLD_URL: 'http://10.1.2.3:8080' }],
    [{ OLD_URL: 'http://localhost', ROLE: 'worker', RECORD_FILE: 'record' }],
  ])('with %j are empty, because it does not matter there', async (settings) => {
    expect(await find(settings)).toEqual([]);
  });

  it('refuse the address of a page', () => {
    expect(() => loadConfig({ OLD_URL: 'http://old.example/a' })).toThrow(
      'OLD_URL: "http://old.example/a" is not valid. Expected:',
    );
  });
});

describe('the check', () => {
  const services = useServicesHere();

  it('recognizes identical descriptions, whatever the namespace', async () => {
    const SERVICE_NAMESPACE = 'urn:school:notifications';
    const old = await services.start({ settings: { SERVICE_NAMESPACE } });
    const OLD_URL = `http://127.0.0.1:${String(old.port)}`;
    const [same] = await checkOldServer(loadConfig({ OLD_URL, SERVICE_NAMESPACE }));
    expect(same?.rows.length).toBeGreaterThanOrEqual(5);
    expect(same?.rows).toContainEqual(['/Scheduals.asmx', 'same description']);
    expect(new Set(same?.rows.map(([, text]) => text))).toEqual(new Set(['same description']));
    expect(same?.findings).toEqual([]);

    const [other] = await checkOldServer(loadConfig({ OLD_URL }));
    expect(other?.rows.find(([path]) => path === '/Scheduals.asmx')?.[1]).toMatch(
      /^description differs at \/targetNamespace/,
    );
    expect(other?.findings).toEqual([
      {
        level: 'warn',
        message: expect.stringMatching(/^The old server \(OLD_URL\) describes \/.*Run .* compare/) as string,
      },
    ]);
  });

  it('reports an old server that is down', async () => {
    const [down] = await checkOldServer(loadConfig({ OLD_URL: `http://127.0.0.1:${String(CLOSED_PORT)}` }));
    expect(down?.rows[0]?.[1]).toBe('ECONNREFUSED');
    expect(down?.findings).toEqual([
      {
        level: 'error',
        message:
          'The old server (OLD_URL) is not responding: ECONNREFUSED. Check that it runs and that this machine can reach it.',
      },
    ]);
  });

  it('tries to write where the recordings will be', () => {
    const config = loadConfig({
      DATA_DIR: folder,
      RECORD_FILE: '/proc/self/calls.jsonl',
      OLD_URL: 'http://old.example',
    });
    expect(folderFindings(config).map(({ message }) => message)).toEqual([
      expect.stringMatching(/^The folder of the recordings \(RECORD_FILE\) is not writable: \/proc\/self \(/),
    ]);
  });

  it('counts a connection to the old server for each of a caller', () => {
    expect(connectionsPerCaller(loadConfig({ OLD_URL: 'http://old.example' }))).toBe(1);
    expect(connectionsPerCaller(loadConfig({}))).toBe(0);
  });

  it('are translated on the console', async () => {
    const [line = ''] = await find({ CUTOVER_FILE: write('cut-over.json', {}) });
    for (const { tag } of LANGUAGES)
      expect(new Words(tag, 'UTC').line(line.replace('warn: ', ''))).toContain('CUTOVER_FILE');
  });
});
