import { readFileSync } from 'node:fs';
import { join, win32 } from 'node:path';

import { SaxesParser } from 'saxes';

import { PACKAGE_ROOT } from '../../scripts/harness';
import { DEFAULT_LIMITS } from '../../src/asmx';
import { databaseFile, loadConfig, readSettings, timeLimits } from '../../src/config';
import { exposedFiles } from '../../src/support/private-files';

const FOLDER = join(PACKAGE_ROOT, 'packaging', 'windows');
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

interface XmlElement {
  readonly name: string;
  /** Names of the element and of those around it, from the outermost. */
  readonly path: string;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
}

/** Returns the elements of a document in the order of their start tags, and fails unless it is well-formed. */
function elements(document: string): readonly XmlElement[] {
  const parser = new SaxesParser();
  const found: XmlElement[] = [];
  const open: XmlElement[] = [];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', (tag) => {
    const path = [...open, tag].map(({ name }) => name).join('/');
    const element = { name: tag.name, path, attributes: tag.attributes as Record<string, string>, text: '' };
    found.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const last = open.at(-1);
    if (last !== undefined) last.text += text;
  });
  parser.on('closetag', () => open.pop());
  parser.write(document).close();
  return found;
}

const DEFAULTS = loadConfig({});
const SETTINGS_FILE = String.raw`%ProgramData%\school-notifications\settings.env`;
const MAIN = String.raw`node_modules\school-notifications\dist\main.js`;

const DURATION = /^\d+ ?(?:sec|secs|min|mins|hour|hours|day|days)$/;
const LINE = /^\S[^\n]*$/;
const TRUTH = /^(?:true|false)$/;
/**
 * Elements of a definition with the form of their text or of their attributes, as xmlConfigFile.md and
 * loggingAndErrorReporting.md in the folder doc of winsw/winsw describe them for version 2; it has no XML schema.
 */
const WINSW: Readonly<Record<string, RegExp | Readonly<Record<string, RegExp>>>> = {
  'service/id': /^[\w-]+$/,
  'service/name': LINE,
  'service/description': LINE,
  'service/executable': LINE,
  'service/arguments': LINE,
  'service/env': { name: /^[A-Z_]+$/, value: LINE },
  'service/workingdirectory': LINE,
  'service/startmode': /^(?:Boot|System|Automatic|Manual)$/,
  'service/delayedAutoStart': TRUTH,
  'service/stoptimeout': DURATION,
  'service/onfailure': { action: /^(?:restart|reboot|none)$/, delay: DURATION },
  'service/resetfailure': DURATION,
  'service/logpath': LINE,
  'service/log': { mode: /^(?:append|reset|none|roll|roll-by-size|roll-by-time|roll-by-size-time)$/ },
  'service/log/sizeThreshold': /^\d+$/,
  'service/log/keepFiles': /^\d+$/,
};

function isOfWinSw(path: string, text: string, attributes: Readonly<Record<string, string>>): boolean {
  const form = WINSW[path];
  if (form === undefined) return false;
  const names = Object.keys(attributes);
  if (form instanceof RegExp) return names.length === 0 && form.test(text);
  return (
    names.sort().join() === Object.keys(form).sort().join() &&
    names.every((name) => form[name]?.test(attributes[name] ?? '') === true)
  );
}

describe('the service definition of WinSW', () => {
  const all = elements(read('school-notifications.xml'));
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
    const { bin } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as {
      readonly bin: Readonly<Record<string, string>>;
    };
    expect(MAIN.replaceAll('\\', '/')).toBe(
      `node_modules/school-notifications/${String(bin['school-notifications'])}`,
    );
  });

  it('has only elements and values that WinSW 2 describes, each once', () => {
    const own = all.slice(1);
    expect(all[0]?.path).toBe('service');
    expect(own.filter(({ path, text, attributes }) => !isOfWinSw(path, text, attributes))).toEqual([]);
    const single = own.map(({ path }) => path).filter((path) => !/\/(?:env|onfailure)$/.test(path));
    expect(single).toEqual([...new Set(single)]);
    for (const name of ['id', 'executable']) expect(textOf(name)).toBeTruthy();
  });

  it.each([
    ['<delayedAutoStart>true', '<delayedAutoStart>yes'],
    ['35 sec', '35 seconds'],
    ['action="restart" delay="2 sec"', 'action="again" delay="2 sec"'],
    ['mode="roll-by-size"', 'mode="size"'],
    ['<sizeThreshold>10240</sizeThreshold>', '<threshold>10240</threshold>'],
  ])('is not understood by WinSW with %s as %s', (text, wrong) => {
    const changed = elements(read('school-notifications.xml').replaceAll(text, wrong)).slice(1);
    expect(changed.every(({ path, text: of, attributes }) => isOfWinSw(path, of, attributes))).toBe(false);
  });

  it('waits longer for a stop than the service takes', () => {
    expect(Number.parseInt(textOf('stoptimeout') ?? '', 10)).toBeGreaterThan(
      timeLimits(DEFAULTS).stopMs / 1000,
    );
  });
});

const ANY = /^[^]*$/;
const TEXT = /^[^]+$/;
const BOOLEAN = /^(?:true|false)$/;
const UINT = /^\d{1,9}$/;

/**
 * Attributes of each element that the file may have, with their values. IIS fails with 500.19 on what its schema lacks,
 * which comes with Windows only: no package of npm, NuGet or Debian has it. This table follows Microsoft's references of
 * the sections of system.webServer and of URL Rewrite 2.
 */
const ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  configuration: {},
  'configuration/system.webServer': {},
  ...under('configuration/system.webServer', {
    rewrite: {},
    'rewrite/rewriteMaps': {},
    'rewrite/rewriteMaps/rewriteMap': { name: TEXT, defaultValue: ANY, ignoreCase: BOOLEAN },
    'rewrite/rewriteMaps/rewriteMap/add': { key: TEXT, value: ANY },
    'rewrite/rules': { useOriginalURLEncoding: BOOLEAN },
    'rewrite/rules/clear': {},
    'rewrite/rules/rule': {
      ...{ name: TEXT, enabled: BOOLEAN, stopProcessing: BOOLEAN },
      patternSyntax: /^(?:ECMAScript|Wildcard|ExactMatch)$/,
    },
    'rewrite/rules/rule/match': { url: TEXT, ignoreCase: BOOLEAN, negate: BOOLEAN },
    'rewrite/rules/rule/serverVariables': {},
    'rewrite/rules/rule/serverVariables/set': {
      ...{ name: /^HTTP_[A-Z_]+$/, value: ANY, replace: BOOLEAN },
    },
    'rewrite/rules/rule/action': {
      type: /^(?:None|Rewrite|Redirect|CustomResponse|AbortRequest)$/,
      ...{ url: TEXT, appendQueryString: BOOLEAN, logRewrittenUrl: BOOLEAN },
    },
    security: {},
    'security/requestFiltering': {
      ...{ allowDoubleEscaping: BOOLEAN, allowHighBitCharacters: BOOLEAN },
      ...{ unescapeQueryString: BOOLEAN, removeServerHeader: BOOLEAN },
    },
    'security/requestFiltering/requestLimits': {
      ...{ maxAllowedContentLength: UINT, maxUrl: UINT, maxQueryString: UINT },
    },
    httpErrors: {
      errorMode: /^(?:DetailedLocalOnly|Custom|Detailed)$/,
      existingResponse: /^(?:Auto|Replace|PassThrough)$/,
    },
    urlCompression: {
      ...{ doStaticCompression: BOOLEAN, doDynamicCompression: BOOLEAN },
      dynamicCompressionBeforeCache: BOOLEAN,
    },
    caching: {
      ...{ enabled: BOOLEAN, enableKernelCache: BOOLEAN, maxCacheSize: UINT, maxResponseSize: UINT },
    },
  }),
};
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  rewriteMap: ['name'],
  rule: ['name'],
  match: ['url'],
  set: ['name', 'value'],
  action: ['type', 'url'],
};
/** Elements that may stand beside others of their name. */
const REPEATED = ['rewriteMap', 'add', 'rule', 'set'];
/** Server variables of IIS that describe a request as it came. */
const VARIABLES = ['HTTPS', 'HTTP_HOST', 'UNENCODED_URL', 'REMOTE_ADDR', 'SERVER_PORT', 'REQUEST_METHOD'];

function under<T>(path: string, table: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [`${path}/${name}`, value]));
}

/** Lists what IIS would not understand in a configuration. */
function faultsOf(all: readonly XmlElement[]): readonly string[] {
  const maps = all.filter(({ name }) => name === 'rewriteMap').map(({ attributes }) => attributes['name']);
  return all.flatMap(({ name, path, attributes }, at) => {
    const known = ATTRIBUTES[path];
    if (known === undefined) return [`element ${path}`];
    const values = Object.entries(attributes);
    const bad = values.filter(([attribute, value]) => known[attribute]?.test(value) !== true);
    const missing = (REQUIRED[name] ?? []).filter((attribute) => attributes[attribute] === undefined);
    const isTwice = !REPEATED.includes(name) && all.findIndex((each) => each.path === path) !== at;
    const unknown = values
      .flatMap(([, value]) => [...value.matchAll(/\{([^{}:]+)/g)].map(([, used = '']) => used))
      .filter((used) => !VARIABLES.includes(used) && !maps.includes(used));
    return [
      ...bad.map(([attribute, value]) => `${path} ${attribute}=${value}`),
      ...missing.map((attribute) => `${path} without ${attribute}`),
      ...(isTwice ? [`${path} twice`] : []),
      ...unknown.map((used) => `${path} {${used}}`),
    ];
  });
}

describe('web.config', () => {
  const all = elements(read('web.config'));
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
    const page = readFileSync(join(PACKAGE_ROOT, 'docs', 'windows.md'), 'utf8');
    for (const name of set) expect(page).toContain(`allowedServerVariables /+[name='${String(name)}']`);
  });

  it('waits longer, by the command of the page, than an operation may take', () => {
    const page = readFileSync(join(PACKAGE_ROOT, 'docs', 'windows.md'), 'utf8');
    const [, minutes, seconds] = /system\.webServer\/proxy .*\/timeout:00:(\d\d):(\d\d) /.exec(page) ?? [];
    expect(Number(minutes) * 60 + Number(seconds)).toBeGreaterThan(timeLimits(DEFAULTS).operationMs / 1000);
  });

  it('has only elements, attributes, values and server variables that IIS knows', () => {
    expect(faultsOf(all)).toEqual([]);
  });

  it.each([
    ['<caching ', '<cacheing ', 'element configuration/system.webServer/cacheing'],
    ['enableKernelCache="false"', 'kernelCache="false"', '/caching kernelCache=false'],
    ['"PassThrough"', '"Pass"', '/httpErrors existingResponse=Pass'],
    ['maxUrl="8192"', 'maxUrl="8 KB"', '/requestLimits maxUrl=8 KB'],
    ['<match url=".*" />', '<match />', '/match without url'],
    ['<clear />', '<clear /><clear />', '/clear twice'],
    ['{HTTPS}', '{HTTP_S}', '/set {HTTP_S}'],
    ['{scheme:', '{schema:', '/set {schema}'],
  ])('is not understood by IIS with %s as %s', (text, wrong, fault) => {
    const faults = faultsOf(elements(read('web.config').replace(text, wrong)));
    expect(faults.map((each) => each.endsWith(fault))).toEqual([true]);
  });

  it('lets through what only the service finds too long', () => {
    const { maxAllowedContentLength, maxUrl, maxQueryString } = attributesOf('requestLimits');
    expect(Number(maxAllowedContentLength)).toBeGreaterThan(DEFAULTS.MAX_BODY_BYTES);
    expect(Number(maxUrl)).toBeGreaterThan(DEFAULT_LIMITS.pathCharacters);
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
    expect(exposedFiles(['/', PACKAGE_ROOT], { platform: 'win32' })).toEqual([]);
  });
});
