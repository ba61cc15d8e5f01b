// The wire contract, section 7: the pages.

import { createHash } from 'node:crypto';

import { REFERENCE_ENDPOINTS } from '../../reference/endpoints';
import { ENDPOINT_NAMES, type RawResponse } from '../../../scripts/harness';
import { useReference } from '../../harness/use-server';
import { OPERATIONS } from '../../harness/contract-operations';
import { plain, textOf } from './read-page';

const SERVER = { name: 'School <services>', description: 'Notes & tokens.', version: '1.2.3-test' };

let isReady = true;
const service = useReference({
  server: SERVER,
  readiness: () => Promise.resolve({ ready: isReady, text: isReady ? 'ready' : 'store unavailable' }),
});
const bare = useReference();

/** Every page there is, the error pages among them. */
const PATHS = [
  '/',
  ...ENDPOINT_NAMES.map((name) => `/${name}.asmx`),
  ...OPERATIONS.map(({ endpoint, name: operation }) => `/${endpoint}.asmx?op=${operation}`),
  '/GetNoteType.asmx?op=Nope',
  '/Nope.asmx',
  '/GetNoteType.asmx/',
];

describe('every page', () => {
  it.each(PATHS)('is self-contained and blocks everything else: %s', async (path) => {
    const page = await service.send({ path });
    expect(page.header('Content-Type')).toBe('text/html; charset=utf-8');
    expect(page.header('X-Content-Type-Options')).toBe('nosniff');
    expect(page.header('Referrer-Policy')).toBe('no-referrer');
    expect(page.header('Access-Control-Allow-Origin')).toBeUndefined();

    const policy = page.header('Content-Security-Policy') ?? '';
    for (const directive of [
      "default-src 'none'",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ])
      expect(policy.split('; ')).toContain(directive);
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(sourcesIn(page, 'style')).toEqual([directive(policy, 'style-src')]);
    expect(sourcesIn(page, 'script').join(' ')).toBe(directive(policy, 'script-src'));
    expect(page.text).not.toMatch(/ style="| on\w+="|javascript:| (?:src|action)="/);
    for (const [, href = ''] of page.text.matchAll(/ href="([^"]*)"/g))
      expect(href).not.toMatch(/^(?!data:)[a-z]+:|^\//);
  });

  it.each(PATHS)('declares its language and fits a phone: %s', async (path) => {
    const { text } = await service.send({ path });
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    expect(text.match(/<h1>/g)).toHaveLength(1);
  });
});

/** The hashes of the style sheets or scripts in a page, as a policy names them. */
function sourcesIn({ text }: RawResponse, element: 'style' | 'script'): string[] {
  const found = text.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'));
  return [...found].map(
    ([, content = '']) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`,
  );
}

function directive(policy: string, name: string): string {
  const found = policy.split('; ').find((text) => text.startsWith(`${name} `));
  return found?.slice(name.length + 1) ?? '';
}

describe('the page of an endpoint', () => {
  it('lists operations with their parameters, types and results', async () => {
    const { text } = await bare.send({ path: '/NotificationNotes.asmx' });
    const shown = plain(text).replace(/\s+/g, ' ');
    expect(shown).toMatch(
      /GetStudentSchool Takes school_base_url \(string\), show_active \(char\)\. Returns a list of StudentInfo/,
    );
    expect(shown).toMatch(
      /SendMarkNotes Takes id \(string\), id_class \(string\), baseUrlSchool \(string\)\. Returns nothing/,
    );
    for (const query of ['?WSDL', '?disco', '?op=GetStudentSchool', '?op=SendMarkNotes'])
      expect(text).toContain(`href="NotificationNotes.asmx${query}"`);
  });

  it('shows address, namespace and how to generate a proxy', async () => {
    const page = await bare.send({ path: '/GetNoteType.asmx' });
    const url = `http://${bare.host}/GetNoteType.asmx`;
    expect(textOf(page, 'address')).toBe(url);
    expect(textOf(page, 'namespace')).toBe('http://tempuri.org/');
    expect(textOf(page, 'dotnet-proxy')).toBe(`dotnet-svcutil "${url}?wsdl" --namespace "*,GetNoteType"`);
    expect(textOf(page, 'dotnet-framework-proxy')).toBe(
      `wsdl /language:CS /namespace:GetNoteType "${url}?wsdl"`,
    );
    expect(textOf(page, 'wsimport-proxy')).toBe(`wsimport -keep -p getnotetype "${url}?wsdl"`);
    expect(textOf(page, 'cxf-proxy')).toBe(`wsdl2java -p getnotetype "${url}?wsdl"`);
    expect(textOf(page, 'powershell-proxy')).toBe(`$service = New-WebServiceProxy -Uri '${url}?wsdl'`);
    expect(page.text).toContain('This web service is using http://tempuri.org/ as its default namespace.');
  });

  it('shows nothing from the request as markup', async () => {
    const headers = [['Host', `a"><script>alert(1)</script>'$(id)`]] as const;
    const page = await bare.send({ path: '/GetNoteType.asmx', headers });
    expect(page.text).not.toContain('<script>alert');
    expect(textOf(page, 'wsimport-proxy')).toContain(
      `'http://a"><script>alert(1)</script>'\\''$(id)/GetNoteType.asmx?wsdl'`,
    );
  });
});

describe('the page of an operation', () => {
  it.each(OPERATIONS)(
    'has its name and a link back: $name of $endpoint',
    async ({ endpoint, name: operation }) => {
      const { text } = await bare.send({ path: `/${endpoint}.asmx?op=${operation}` });
      expect(plain(/<h1>.*<\/h1>/.exec(text)?.[0] ?? '')).toBe(operation);
      expect(text).toContain(`href="${endpoint}.asmx"`);
      expect(text).toContain('href="./"');
    },
  );

  it.each(['Nope', 'gettokendevice', '<b>', 'AuthCode', ''])(
    'reports that there is no operation %s',
    async (name) => {
      const page = await bare.send({ path: `/PushNotificationMobile.asmx?op=${encodeURIComponent(name)}` });
      expect(page.status).toBe(200);
      expect(plain(page.text)).toContain(`Method '${name}' was not found in service PushNotificationMobile.`);
      expect(page.text).not.toContain('<b>');
      expect(page.text).toContain('<title>Unknown operation</title>');
      // In the trail and below the text.
      expect(page.text.match(/href="PushNotificationMobile\.asmx"/g)).toHaveLength(2);
    },
  );
});

describe('the front page', () => {
  it("shows the server's description, version, state and endpoints", async () => {
    isReady = true;
    const { status, text } = await service.send({ path: '/' });
    expect(status).toBe(200);
    expect(text).toContain('<h1>School &lt;services&gt;</h1>');
    expect(plain(text)).toContain(SERVER.description);
    expect(text).toContain(`State: <span class="good">ready</span> · Version: ${SERVER.version}</p>`);
    for (const name of ENDPOINT_NAMES) expect(text).toContain(`href="${name}.asmx"`);
    for (const { endpoint, name: operation } of OPERATIONS)
      expect(text).toContain(`href="${endpoint}.asmx?op=${operation}"`);
  });

  it('shows when the server is not ready', async () => {
    isReady = false;
    const { text } = await service.send({ path: '/' });
    expect(text).toContain('<p class="quiet">State: <span class="bad">store unavailable</span> ·');
  });

  it('leaves out what is not configured', async () => {
    const { status, text } = await bare.send({ path: '/' });
    expect(status).toBe(200);
    expect(text).toContain('<h1>Web Services</h1>');
    expect(plain(text)).not.toMatch(/Version|State/);
    expect(text).not.toContain('<p class="quiet"></p>');
    // And that of the types.
    expect(text.match(/\?WSDL"/g)).toHaveLength(REFERENCE_ENDPOINTS.length + 1);
    const links = [...text.matchAll(/<a [^>]*>(.*?)<\/a>/g)].map(([, shown = '']) => plain(shown));
    expect(links).toEqual([...new Set(links)]);
  });
});
