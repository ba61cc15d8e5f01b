import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

import fc from 'fast-check';

import { readSettings, SettingError, SETTINGS } from '../../src/config';
import { readEnvFile } from '../../src/config/env-file';
import { useFolder } from '../harness/use-folder';

const folder = useFolder();
const path = join(folder, '.env');

function read(content: string | Buffer, environment: Readonly<Record<string, string>> = {}) {
  writeFileSync(path, content);
  return readSettings(environment, path);
}

function findings(content: string | Buffer, environment: Readonly<Record<string, string>> = {}) {
  const settings = read(content, environment);
  return settings.findings.map(({ level, message }) => `${level}: ${settings.located(message)}`);
}

describe('the settings file', () => {
  it.each([
    ['a value', 'SMS_TEXT={code}!', '{code}!'],
    ['blanks around name and value', '\t SMS_TEXT =  {code} a \t', '{code} a'],
    ['a word before the name', 'export SMS_TEXT={code}', '{code}'],
    ['a comment after a blank', 'SMS_TEXT={code} # the text', '{code}'],
    ['quotes inside a value', 'SMS_TEXT={code} "a" it\'s', '{code} "a" it\'s'],
    ['double quotes', 'SMS_TEXT="{code} # a"', '{code} # a'],
    ['single quotes', `SMS_TEXT='{code} "a" \\n' # the text`, '{code} "a" \\n'],
    ['back quotes', 'SMS_TEXT=`{code} "it\'s"`', '{code} "it\'s"'],
    ['an escaped line end', 'SMS_TEXT="{code}\\na"', '{code}\na'],
    ['several lines', 'SMS_TEXT="{code}\r\n# a\r\n"\r\nPORT=81\r\n', '{code}\n# a\n'],
    ['a byte order mark', '\ufeffSMS_TEXT={code}', '{code}'],
    ['a comment without a line end', 'SMS_TEXT={code}\n# SMS_TEXT=', '{code}'],
    ['a comment in place of a value', 'SMS_TEXT= # none', 'Your code is {code}'],
  ])('may contain %s', (_what, content, value) => {
    const { config, findings } = read(content);
    expect({ value: config.SMS_TEXT, findings }).toEqual({ value, findings: [] });
  });

  it('reads each value as Node 20 does, or reports that it cannot be read', () => {
    const pieces = ['"', "'", '`', '#', ' ', '\n', 'a', '\\n', '=', '{}'];
    let judged = 0;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 10 }), (parts) => {
        const content = `SMS_TEXT=${parts.join('')}\nPORT=81\n`;
        writeFileSync(path, content);
        const { entries, findings } = readEnvFile(path, ['PORT', 'SMS_TEXT']);
        if (findings.length > 0 || [...entries.values()].some(({ problem }) => problem !== undefined)) return;
        const value = entries.get('SMS_TEXT')?.value;
        expect({ value, port: entries.get('PORT')?.value }).toEqual({ value, port: '81' });
        // Node 24 takes the line behind a value of blanks for the value.
        const isBlank = /^SMS_TEXT= +\n/.test(content);
        expect(value).toBe(isBlank ? '' : parseEnv(content)['SMS_TEXT']);
        judged += 1;
      }),
      { numRuns: 4000, seed: 7 },
    );
    expect(judged).toBeGreaterThan(1000);
  });

  it('is optional', () => {
    const settings = readSettings({}, join(folder, 'none.env'));
    expect(settings).toMatchObject({ findings: [], config: readSettings({ PORT: '' }, '').config });
  });

  it.each([
    [
      'text with quotes after its quotes',
      'SMS_TEXT="ok"\\s*:\\s*"hunter2"',
      'has text after its closing quote',
    ],
    ['text after its quotes', `SMS_TEXT='hunter2'x`, 'has text after its closing quote'],
    ['a # without a blank', 'SMS_TEXT=hunter2#x', 'contains a #'],
    ['a # at the beginning', 'SMS_TEXT=#hunter2', 'contains a #'],
    ['a # in inner quotes', 'SMS_TEXT=x"hunter2#x"', 'contains a #'],
    ['a quote that is not closed', 'SMS_TEXT="hunter2', 'begins with a quote that is not closed'],
    [
      'a quote that is closed after another setting',
      'SMS_TEXT="hunter2\nPORT=80\nGATEWAYS_FILE="',
      'has a quote that is not closed before PORT',
    ],
  ])('with %s is refused with the line, without showing the value', (_what, assignment, problem) => {
    const found = findings(`HOST=*\n\n${assignment}\n`);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`fatal: SMS_TEXT ${problem}`);
    expect(found[0]).toContain('enclose the whole value in quotes');
    expect(found[0]).toContain(`[${path}, SMS_TEXT: line 3]`);
    expect(found[0]).not.toContain('hunter2');
    expect(() => read(`${assignment}\n`).config).toThrow(SettingError);
  });

  it('counts lines correctly after a multi-line value', () => {
    expect(findings('SMS_TEXT="{code}\n\n"\nPORT=80#\n')).toEqual([
      expect.stringContaining(`[${path}, PORT: line 4]`),
    ]);
  });

  it.each(['PORT: 81', 'PORT 81', 'hunter2 a = x', '{"a":"hunter2"}', '=81'])(
    'with the line %s is refused without showing it',
    (line) => {
      const [found, ...others] = findings(`\n${line}\nPORT=80\n`);
      expect(others).toEqual([]);
      expect(found).toMatch(/^fatal: .*\.env, line 2: expected NAME=value or a # comment\./);
      expect(found).not.toMatch(/hunter2|81/);
    },
  );

  it.each([
    ['SMS_CHANEL=http', 'unknown setting SMS_CHANEL; ignored. Did you mean SMS_CHANNEL?'],
    ['sms_channel=http', 'unknown setting sms_channel; ignored. Did you mean SMS_CHANNEL?'],
    ['CODES_LIMIT=off', 'unknown setting CODES_LIMIT; ignored. Did you mean CODE_LIMITS?'],
    ['aGVsbG8gd29ybGQ=', 'unknown setting; ignored.'],
  ])('with an unknown name in %s causes a warning that suggests any similar one', (line, warning) => {
    expect(findings(`PORT=80\n${line}\n`)).toEqual([`warn: ${path}, line 2: ${warning}`]);
    expect(read(`PORT=80\n${line}\n`).config).toMatchObject({ PORT: 80, SMS_CHANNEL: 'file' });
  });

  it('with a duplicate setting causes a warning; the last one wins', () => {
    const settings = read('PORT=80\nPORT=81\n');
    expect(settings.config.PORT).toBe(81);
    expect(settings.findings).toEqual([
      { level: 'warn', message: `PORT is set twice in ${path} (lines 1 and 2); the last one is used` },
    ]);
  });

  it('is overridden by the environment, along with any errors in it', () => {
    const settings = read('SMS_TEXT=a#b\nPORT=x\n', { SMS_TEXT: 'a', PORT: '' });
    expect(settings.findings).toEqual([]);
    expect(settings.config).toMatchObject({ PORT: 8080, SMS_TEXT: 'a' });
  });

  it.each([
    ['Latin-5', Buffer.from('SMS_TEXT=\xdeifre {code}\n', 'latin1')],
    ['UTF-16', Buffer.from('\ufeffPORT=81\n', 'utf16le')],
  ])('encoded in %s is refused', (_what, content) => {
    expect(findings(content)).toEqual([
      `fatal: Cannot read the settings file ${path}. It is not UTF-8. Save it as UTF-8.`,
    ]);
  });

  it('is reported if it exists but cannot be read', () => {
    expect(() => readSettings({}, folder).config).toThrow(/^Cannot read the settings file .*EISDIR/);
  });

  it('can be named in the environment, and must then exist', () => {
    const SETTINGS_FILE = join(folder, 'elsewhere.env');
    expect(() => readSettings({ SETTINGS_FILE }).config).toThrow(
      /^Cannot read the settings file .*elsewhere\.env\. .*ENOENT/,
    );
    writeFileSync(SETTINGS_FILE, 'PORT=81\nSMS_TEXT=own {code}');
    expect(readSettings({ SETTINGS_FILE, PORT: '82' }).config).toMatchObject({
      PORT: 82,
      SMS_TEXT: 'own {code}',
    });
    expect(readSettings({ SETTINGS_FILE: '' }, SETTINGS_FILE).config.PORT).toBe(81);
  });
});

describe('the settings', () => {
  it('show where each comes from', () => {
    const { effective } = read('HOST=::1\nPORT=81\nADMIN_PORT=\n', { PORT: '82', LOG_LEVEL: '' });
    const origins = Object.fromEntries(effective.map(({ name, shown, origin }) => [name, [shown, origin]]));
    expect(origins).toMatchObject({
      PORT: ['82', 'environment'],
      HOST: ['::1', `${path}, line 1`],
      ADMIN_PORT: ['8081', `default (empty: ${path}, line 3)`],
      LOG_LEVEL: ['info', 'default (empty: environment)'],
      MAX_BODY_BYTES: ['4194304', 'default'],
    });
    expect(Object.keys(origins)).toEqual(Object.keys(SETTINGS));
  });

  it('reveal nothing of a secret, except where a database or server is', () => {
    const given = {
      DATABASE_URL: 'postgres://school:hunter2@db.example:5433/school?password=hunter2',
      HTTP_PROXY: 'http://user:hunter2@proxy.example:3128/hunter2?key=hunter2',
      ADMIN_METRICS_TOKEN: 'hunter2',
      SMS_TEXT: '{code} {ADMIN_METRICS_TOKEN} https://user:hunter2@proxy.example/fcm',
    };
    const { effective } = read('', given);
    expect(JSON.stringify(effective)).not.toContain('hunter2');
    expect(Object.fromEntries(effective.map(({ name, shown }) => [name, shown]))).toMatchObject({
      DATABASE_URL: 'postgres://***@db.example:5433/school',
      HTTP_PROXY: '***',
      ADMIN_METRICS_TOKEN: '***',
      SMS_TEXT: '{code} *** https://***@proxy.example/fcm',
    });
    expect(findings('', { BASE_URL: 'ftp://user:hunter2@proxy.example' }).join()).not.toContain('hunter2');
  });

  it('show the default of a secret setting in full', () => {
    const { effective } = read('DATA_DIR=/srv/school\n');
    expect(effective).toContainEqual({
      ...{ name: 'DATABASE_URL', shown: 'sqlite:/srv/school/service.db', origin: 'default' },
    });
  });

  it('that are invalid are counted after the first one', () => {
    expect(() => read('PORT=x\nHOST=a b\n').config).toThrow(
      /^PORT: "x" is not valid\. .* \[.*, PORT: line 1\] \(and 1 more; npx school-notifications check lists them\)$/,
    );
  });
});
