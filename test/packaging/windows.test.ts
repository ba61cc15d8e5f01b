import { readFileSync } from 'node:fs';
import { join, win32 } from 'node:path';

import { SaxesParser } from 'saxes';

import { packageRoot } from '../../scripts/harness';
import { databaseFile, loadConfig, readSettings } from '../../src/config';
import { looseness } from '../../src/support/private-files';

const FOLDER = join(packageRoot(), 'packaging', 'windows');
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

interface Found {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
}

/** Returns the elements of a file in the order of their start tags, and fails unless it is well-formed. */
function elements(name: string): readonly Found[] {
  const parser = new SaxesParser();
  const found: Found[] = [];
  const open: Found[] = [];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', (tag) => {
    const element = { name: tag.name, attributes: tag.attributes as Record<string, string>, text: '' };
    found.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const last = open.at(-1);
    if (last !== undefined) last.text += text;
  });
  parser.on('closetag', () => open.pop());
  parser.write(read(name)).close();
  return found;
}

const DEFAULTS = loadConfig({});
const SETTINGS_FILE = String.raw`%ProgramData%\school-notifications\settings.env`;
const MAIN = String.raw`node_modules\school-notifications\dist\main.js`;

describe('the service definition of WinSW', () => {
  const all = elements('school-notifications.xml');
  const textOf = (name: string): string | undefined => all.find((each) => each.name === name)?.text;

  it('starts the program with the settings that the command script names', () => {
    expect(textOf('arguments')).toBe(`"%BASE%\\${MAIN}" start`);
    const variables = all
      .filter(({ name }) => name === 'env')
      .map(({ attributes }) => [attributes['name'], attributes['value']]);
    expect(Object.fromEntries(variables)).toMatchObject({ SETTINGS_FILE });
    const script = read('school-notifications.cmd');
    expect(script).toContain(`set "SETTINGS_FILE=${SETTINGS_FILE}"`);
    expect(script).toContain(`"%~dp0${MAIN}" %*`);
    const { bin } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
      readonly bin: Readonly<Record<string, string>>;
    };
    expect(MAIN.replaceAll('\\', '/')).toBe(
      `node_modules/school-notifications/${String(bin['school-notifications'])}`,
    );
  });

  it('waits longer for a stop than the service takes', () => {
    expect(Number.parseInt(textOf('stoptimeout') ?? '', 10)).toBeGreaterThan(DEFAULTS.SHUTDOWN_SECONDS);
  });
});

describe('web.config', () => {
  const all = elements('web.config');
  const attributesOf = (name: string): Readonly<Record<string, string>> =>
    all.find((each) => each.name === name)?.attributes ?? {};

  it('passes on paths, queries and answers as they are, and sets the forwarded headers itself', () => {
    expect(attributesOf('action')).toMatchObject({
      url: `http://127.0.0.1:${String(DEFAULTS.PORT)}{UNENCODED_URL}`,
      appendQueryString: 'false',
    });
    const set = all.filter(({ name }) => name === 'set').map(({ attributes }) => attributes['name']);
    expect(set).toEqual(['HTTP_X_FORWARDED_PROTO', 'HTTP_X_FORWARDED_HOST']);
    expect(attributesOf('httpErrors')).toEqual({ existingResponse: 'PassThrough' });
    expect(all.map(({ name }) => name)).not.toContain('outboundRules');
    const page = readFileSync(join(packageRoot(), 'docs', 'windows.md'), 'utf8');
    for (const name of set) expect(page).toContain(`allowedServerVariables /+[name='${String(name)}']`);
  });

  it('lets through what only the service finds too long', () => {
    const { maxAllowedContentLength, maxUrl, maxQueryString } = attributesOf('requestLimits');
    expect(Number(maxAllowedContentLength)).toBeGreaterThan(DEFAULTS.MAX_BODY_BYTES);
    expect(Number(maxUrl)).toBeGreaterThan(DEFAULTS.MAX_PATH_CHARACTERS);
    expect(Number(maxQueryString)).toBeGreaterThan(DEFAULTS.MAX_QUERY_CHARACTERS);
  });
});

describe('the settings for Windows', () => {
  const settings = readSettings({ SETTINGS_FILE: join(FOLDER, 'settings.env') });

  it('are valid, and name the folder that the script prepares', () => {
    expect(settings.findings).toEqual([]);
    const { DATA_DIR, HOST, TRUST_PROXY, RELOAD_ON_CHANGE } = settings.config;
    expect({ HOST, TRUST_PROXY, RELOAD_ON_CHANGE }).toEqual({
      HOST: '127.0.0.1',
      TRUST_PROXY: ['loopback'],
      RELOAD_ON_CHANGE: true,
    });
    expect(DATA_DIR).toBe(String.raw`C:\ProgramData\school-notifications\data`);
    expect(read('install.ps1')).toContain("Set-Right (Join-Path $state 'data') 'M'");
  });

  it('put the database into that folder by the rules of Windows', () => {
    const file = databaseFile(settings.config) ?? '';
    expect(win32.isAbsolute(file)).toBe(true);
    expect(win32.normalize(file)).toBe(String.raw`C:\ProgramData\school-notifications\data\service.db`);
  });

  it('expect no modes of files', () => {
    expect(looseness(['/', packageRoot()], { platform: 'win32' })).toEqual([]);
  });
});
