import { loadConfig, SettingError, SETTINGS } from '../../src/config';

describe('the settings', () => {
  it('all have valid defaults', () => {
    expect(loadConfig({})).toMatchObject({
      PORT: 8080,
      HOST: undefined,
      BASE_URL: undefined,
      SERVICE_NAMESPACE: 'http://tempuri.org/',
      TRUST_PROXY: false,
      ADMIN_PORT: 8081,
      ADMIN_HOST: '127.0.0.1',
      DATA_DIR: './data',
      DATABASE_URL: 'sqlite:./data/service.db',
      SAMPLE_DATA: true,
      DEFAULT_COUNTRY: undefined,
      MAX_BODY_BYTES: 4 * 1024 * 1024,
      CODE_PATTERN: { source: String.raw`[\p{L}\p{M}\p{Nd} -]{1,32}` },
      KEEP_ALIVE_SECONDS: 72,
      HANDLER_TIMEOUT_SECONDS: 110,
      SHUTDOWN_SECONDS: 30,
    });
  });

  it('count as unset if they are empty', () => {
    expect(loadConfig({ PORT: '', LOG_LEVEL: '' })).toEqual(loadConfig({}));
  });

  it('put the database into the data folder by default', () => {
    expect(loadConfig({ DATA_DIR: '/srv/school' }).DATABASE_URL).toBe('sqlite:/srv/school/service.db');
    expect(loadConfig({ DATA_DIR: '/srv/school', DATABASE_URL: 'sqlite:a.db' }).DATABASE_URL).toBe(
      'sqlite:a.db',
    );
  });

  it.each([
    ['PORT', '0', 0],
    ['PORT', '65535', 65_535],
    ['ADMIN_PORT', '65535', 65_535],
    ['PROCESSES', '1', 1],
    ['PROCESSES', '256', 256],
    ['HOST', '*', undefined],
    ['HOST', '::1', '::1'],
    ['BASE_URL', 'https://school.example/services/', 'https://school.example/services'],
    ['ADMIN_PORT', 'off', undefined],
    [
      'ALLOWED_ORIGINS',
      'https://*.portal.example:8443, capacitor://localhost, file://, null',
      ['https://*.portal.example:8443', 'capacitor://localhost', 'file://', 'null'],
    ],
    ['TRUST_PROXY', '1', 1],
    ['FORWARDED_HEADERS', 'Front-End-Https, X-Original-Host', ['front-end-https', 'x-original-host']],
    ['TRUST_PROXY', '32', 32],
    ['TRUST_PROXY', '10.0.0.0/32, ::1/128', ['10.0.0.0/32', '::1/128']],
    ['TRUST_PROXY', '10.0.0.0/8, ::1,loopback', ['10.0.0.0/8', '::1', 'loopback']],
    [
      'ALLOWED_HOSTS',
      'school.example, *.district.example,[::1]',
      ['school.example', '*.district.example', '[::1]'],
    ],
    ['TEST_FORM', 'everyone', 'everyone'],
    ['SAMPLE_DATA', 'false', false],
    ['DATABASE_URL', 'postgres://u:p@db/school', 'postgres://u:p@db/school'],
    ['DATABASE_URL', 'postgres://u:p@a,b:5433/school', 'postgres://u:p@a,b:5433/school'],
    ['DEFAULT_COUNTRY', 'TR', 'TR'],
  ] as const)('read %s=%s', (name, text, value) => {
    expect(loadConfig({ [name]: text })[name]).toEqual(value);
  });

  it.each([
    ['PORT', '80a'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['ADMIN_PORT', '65536'],
    ['PROCESSES', '0'],
    ['PROCESSES', '257'],
    ['HOST', 'a b'],
    ['BASE_URL', 'school.example'],
    ['BASE_URL', 'ftp://school.example'],
    ['BASE_URL', 'http://school.example/?a=1'],
    ['SERVICE_NAMESPACE', 'not a uri'],
    ['ALLOWED_ORIGINS', 'portal.example'],
    ['ALLOWED_ORIGINS', 'https://portal.example/'],
    ['ALLOWED_ORIGINS', 'https://'],
    ['ALLOWED_ORIGINS', 'https://a.*.portal.example'],
    ['ALLOWED_ORIGINS', 'https://*portal.example'],
    ['ALLOWED_ORIGINS', 'https://*'],
    ['ALLOWED_ORIGINS', 'https://portal.example:99999'],
    ['TRUST_PROXY', 'yes'],
    ['FORWARDED_HEADERS', 'X-Forwarded-Proto'],
    ['TRUST_PROXY', '0'],
    ['TRUST_PROXY', '33'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '::1/129'],
    ['ALLOWED_HOSTS', 'school.example:8080'],
    ['ALLOWED_HOSTS', 'https://school.example'],
    ['ALLOWED_HOSTS', 'a,,b'],
    ['ALLOWED_HOSTS', '*'],
    ['TEST_FORM', 'on'],
    ['LOG_LEVEL', 'loud'],
    ['DATABASE_URL', 'mysql://db/school'],
    ['SAMPLE_DATA', 'yes'],
    ['DEFAULT_COUNTRY', 'XX'],
    ['DEFAULT_COUNTRY', 'tr'],
    ['MAX_BODY_BYTES', '4MB'],
    ['SHUTDOWN_SECONDS', '0'],
  ] as const)('refuse %s=%s with one line that names the setting and the valid values', (name, text) => {
    const load = (): unknown => loadConfig({ [name]: text });
    expect(load).toThrow(SettingError);
    expect(load).toThrow(
      new RegExp(`^${name}: [^\\n]+ is not valid\\. Expected: [^\\n]+\\. Default: [^\\n]+\\.$`),
    );
  });

  it('name the time zone to write for one of Windows', () => {
    expect(() => loadConfig({ TIME_ZONE: 'Turkey Standard Time' })).toThrow(
      /^TIME_ZONE: "Turkey Standard Time" is not valid\. Expected: .*Europe\/Istanbul/,
    );
  });

  it('never show a secret, and only the start of any other value', () => {
    expect(() => loadConfig({ DATABASE_URL: 'pg://user:hunter2@db' })).toThrow(
      /^(?!.*hunter2)DATABASE_URL: the value \(not shown\)/,
    );
    expect(() => loadConfig({ PORT: `\n${'9'.repeat(500)}` })).toThrow(/^PORT: "\\n9{59}"/);
  });

  it('have names that a shell accepts', () => {
    for (const name of Object.keys(SETTINGS)) expect(name).toMatch(/^[A-Z][A-Z_]+[A-Z]$/);
  });
});
