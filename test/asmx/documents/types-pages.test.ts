// The wire contract, section 7: the pages of operations with all of ASMX's types.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { loadDescription, readContract } from '../../../src/asmx';
import { PACKAGE_ROOT } from '../../../scripts/harness';
import { startAsmxServer } from '../../harness/asmx-server';
import { handlerOf } from '../../harness/recording-endpoints';
import { useServer } from '../../harness/use-server';
import { parseXml, type XmlElement } from '../../harness/xml-tree';
import { plain, textOf } from './read-page';

const DESCRIPTION = readFileSync(join(PACKAGE_ROOT, 'test/reference/Types.wsdl'), 'utf8').replaceAll(
  '{host}',
  'localhost',
);

const server = useServer(async () => {
  const { operations } = readContract(await loadDescription(DESCRIPTION));
  const nothing = handlerOf(() => undefined);
  const handlers = Object.fromEntries(operations.map(({ name }) => [name, nothing]));
  return startAsmxServer({ endpoints: [{ description: DESCRIPTION, handlers }] });
});

const pageOf = (operation: string) => server.send({ path: `/Types.asmx?op=${operation}` });

async function requestOf(operation: string, binding = 'soap11'): Promise<string> {
  return textOf(await pageOf(operation), `${binding}-request`);
}

/** Where a document has an element of a name, from its root. */
function placesOf({ name, children }: XmlElement, sought: string): readonly (readonly string[])[] {
  const inside = children.flatMap((child) => placesOf(child, sought)).map((place) => [name, ...place]);
  return name === sought ? [[name], ...inside] : inside;
}

const bodyOf = (message: string): string => message.slice(message.indexOf('\n\n') + 2);

describe('samples of a type', () => {
  it.each([
    ['EchoInt', '<v>int</v>'],
    ['EchoByte', '<v>unsignedByte</v>'],
    ['EchoDateTime', '<v>dateTime</v>'],
    ['EchoGuid', '<v>guid</v>'],
    ['EchoBytes', '<v>base64Binary</v>'],
    ['EchoGrade', '<v>Low or Middle or High</v>'],
    ['EchoMaybe', '<v>int</v>'],
    ['EchoInts', '<v>\n        <int>int</int>\n        <int>int</int>\n      </v>'],
    ['EchoEntry', '<v number="int">\n        <subject>string</subject>\n        <date>dateTime</date>'],
  ])('match the help page of ASP.NET: %s', async (operation, sample) => {
    expect(await requestOf(operation)).toContain(sample);
  });

  it('end four levels deep, like those of ASP.NET', async () => {
    const page = await pageOf('GetExams');
    const overSoap = bodyOf(textOf(page, 'soap11-response'));
    expect(overSoap).toContain('<Entry xsi:nil="true" />');
    expect(placesOf(parseXml(overSoap), 'subject').every((place) => place.includes('main'))).toBe(true);
    const overGet = bodyOf(textOf(page, 'get-response'));
    expect(overGet).not.toContain('nil=');
    expect(placesOf(parseXml(overGet), 'subject')).not.toEqual([]);
  });

  it.each([
    ['EchoChar', ' maxlength="1"'],
    ['EchoInt', ''],
  ])('are filled in fields: %s', async (operation, length) => {
    const { text } = await pageOf(operation);
    expect(text).toContain(`autocapitalize="off" spellcheck="false"${length}>`);
  });

  it('repeat the name of a list over HTTP GET and POST', async () => {
    expect(await requestOf('EchoInts', 'get')).toContain('/EchoInts?v=int&v=int HTTP');
    expect(await requestOf('EchoBytes', 'post')).toMatch(/\n\nv=unsignedByte&v=unsignedByte$/);
  });
});

describe('curl lines and programs', () => {
  it('contain values that can be sent', async () => {
    const page = await pageOf('Nothing');
    expect(textOf(page, 'get-curl')).toContain('?a=1&b=true');
    expect(textOf(page, 'dotnet-call')).toContain('(1, true)');
    expect(textOf(page, 'python-call')).toContain('(a=1, b=True)');
    expect(textOf(await pageOf('EchoGrade'), 'soap12-curl')).toContain('<v>Low</v>');
    expect(textOf(await pageOf('EchoInts'), 'post-curl')).toContain('v=1&v=1');
  });

  it.each([
    ['longer than a line', 'EchoEntry'],
    ['with null for a number', 'EchoMaybe'],
  ])('leave out calls %s, but show how to generate a proxy', async (_what, operation) => {
    const { text } = await pageOf(operation);
    expect(text).toContain('id="wsimport-proxy"');
    expect(text).not.toMatch(/id="\w+-call"/);
    expect(text).not.toContain('<summary>Python</summary>');
  });
});

describe('the test form', () => {
  it.each(['EchoInt', 'EchoGrade', 'EchoChar', 'EchoDateTime', 'GetExams', 'Nothing'])(
    'is shown for %s',
    async (operation) => {
      expect((await pageOf(operation)).text).toContain('id="test-form"');
    },
  );

  it.each(['EchoGuid', 'EchoMaybe', 'EchoEntry', 'EchoExam', 'EchoStrings', 'EchoBytes'])(
    'is not shown for %s, and the page gives the reason in the words of ASP.NET',
    async (operation) => {
      const page = await pageOf(operation);
      expect(page.text).not.toContain('id="test-form"');
      expect(page.header('Content-Security-Policy')).not.toContain('connect-src');
      expect(plain(page.text)).toContain(
        'The test form is only available for methods with primitive types as parameters.',
      );
    },
  );
});

describe('the list of operations', () => {
  it('contains the types', async () => {
    const shown = plain((await server.send({ path: '/Types.asmx' })).text).replace(/\s+/g, ' ');
    expect(shown).toContain('EchoInts Takes v (list of int). Returns a list of int.');
    expect(shown).toContain('EchoMaybe Takes v (int, or null). Returns an int.');
    expect(shown).toContain('EchoGrade Takes v (Low or Middle or High). Returns a Grade.');
  });
});
