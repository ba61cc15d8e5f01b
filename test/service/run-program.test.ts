import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { readSettings } from '../../src/config';
import { PROGRAM, runProgram } from '../../src/service/run-program';
import { endedCommand, replaceSpawn } from '../harness/replace-spawn';
import { useDatabase } from '../harness/test-databases';
import { useFolderPerTest } from '../harness/use-folder';

type Environment = Readonly<Record<string, string>>;

describe('a command that the service runs', () => {
  const folder = useFolderPerTest();
  const database = useDatabase('sqlite');
  const ownEnvironment = process.env;
  let environments: Environment[];
  beforeEach(() => {
    environments = [];
    replaceSpawn((options) => {
      environments.push((options as { readonly env: Environment }).env);
      return endedCommand();
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
    process.env = ownEnvironment;
  });

  /** Starts from an environment, with the settings that the service reads from it. */
  function settingsFrom(environment: Environment) {
    process.env = { ...environment };
    return readSettings(environment).config;
  }
  const secretFile = (): string => {
    const path = join(folder(), 'url');
    writeFileSync(path, `${database.url}\n`);
    return path;
  };

  it.each<readonly [string, () => Environment]>([
    ['DATABASE_URL', () => ({ DATABASE_URL: database.url })],
    ['DATABASE_URL_FILE', () => ({ DATABASE_URL_FILE: secretFile() })],
    ['both, one of them empty', () => ({ DATABASE_URL: '', DATABASE_URL_FILE: secretFile() })],
    [
      'a settings file with DATABASE_URL_FILE',
      () => {
        const SETTINGS_FILE = join(folder(), 'settings.env');
        writeFileSync(SETTINGS_FILE, `DATABASE_URL_FILE=${secretFile()}\n`);
        return { SETTINGS_FILE };
      },
    ],
  ])('uses the database that the service has from %s', async (_what, environment) => {
    const config = settingsFrom(environment());
    await runProgram(PROGRAM, config, ['import'], { signal: new AbortController().signal });
    expect(environments.map((each) => readSettings(each).config.DATABASE_URL)).toEqual([database.url]);
  });

  it('ends with the service', async () => {
    const signals: unknown[] = [];
    replaceSpawn((options) => {
      signals.push((options as { readonly signal: AbortSignal }).signal);
      return endedCommand();
    });
    const { signal } = new AbortController();
    const config = settingsFrom({ DATABASE_URL: database.url });
    await runProgram(PROGRAM, config, ['import'], { signal });
    expect(signals).toEqual([signal]);
  });

  it('is recorded as done by the service, or by the user who asked for it', async () => {
    const config = settingsFrom({ DATABASE_URL: database.url, DATABASE_URL_FILE: '' });
    const { signal } = new AbortController();
    for (const who of [undefined, 'anna'])
      await runProgram(PROGRAM, config, ['import'], { signal, ...(who && { who }) });
    expect(environments.map(({ AUDIT_WHO }) => AUDIT_WHO)).toEqual(['service', 'anna']);
  });
});
