import { loadConfig, SettingError, SETTINGS, timeLimits } from '../../src/config';

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
      CODE_LIMITS: { perTenMinutes: 5, perDay: 20, coolDownMs: 0, perDayOverall: 0 },
    });
  });

  it.each([
    ['60', { headersMs: 20_000, unreadMs: 30_000, operationMs: 110_000, stopMs: 30_000 }],
    ['10', { headersMs: 10_000, unreadMs: 10_000, operationMs: 20_000, stopMs: 10_000 }],
  ])('shorten other time limits with REQUEST_TIMEOUT_SECONDS=%s', (seconds, limits) => {
    expect(timeLimits(loadConfig({ REQUEST_TIMEOUT_SECONDS: seconds }))).toMatchObject(limits);
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
    ['CODE_LIMITS', '1/86400s', { perTenMinutes: 0, perDay: 0, coolDownMs: 86_400_000, perDayOverall: 0 }],
    ['CODE_LIMITS', 'off', { perTenMinutes: 0, perDay: 0, coolDownMs: 0, perDayOverall: 0 }],
    [
      'CODE_LIMITS',
      'all:1000/day, 1/30s,3/10m , 9/24h',
      { perTenMinutes: 3, perDay: 9, coolDownMs: 30_000, perDayOverall: 1000 },
    ],
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
    ['REQUEST_TIMEOUT_SECONDS', '0'],
    ['DATABASE_URL', 'postgres://db/school?pool_size=1'],
    ['DATABASE_URL', 'postgres://db/school?pool_size=1000'],
    ['CODE_LIMITS', '5/10m,5/10m'],
    ['CODE_LIMITS', '5/1h'],
    ['CODE_LIMITS', '0/10m'],
    ['CODE_LIMITS', '2/30s'],
    ['CODE_LIMITS', '1/86401s'],
    ['CODE_LIMITS', 'off,5/10m'],
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
