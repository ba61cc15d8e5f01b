// Beyond the wire contract, section 7: what the pages are put together from.

import { Linter } from 'eslint';
import js from '@eslint/js';

import { html, Html } from '../../../src/support/html';
import { breakable, choices } from '../../../src/asmx/documents/pages/page';
import { gap, MessageTemplate } from '../../../src/asmx/documents/pages/samples';
import { anyShellWord } from '../../../src/asmx/documents/pages/commands';
import { useReference } from '../../harness/use-server';

describe('html', () => {
  it('escapes interpolated text', () => {
    expect(html`<p title="${'"<&>'}">${"</p>'"}</p>`.text).toBe(
      `<p title="&quot;&lt;&amp;&gt;">&lt;/p&gt;'</p>`,
    );
  });

  it('keeps markup and lists of markup unescaped', () => {
    const rows = ['a', '<b>'].map((text) => html`<li>${text}</li>`);
    expect(html`<ul>${rows}</ul>${new Html('<hr>')}`.text).toBe('<ul><li>a</li><li>&lt;b&gt;</li></ul><hr>');
  });
});

describe('a message with gaps', () => {
  const template = new MessageTemplate(`${gap('length')}: id=${gap('string', 'id')}&c=${gap('char', 'c')}`);

  it('has parts in order', () => {
    expect(template.parts).toEqual([
      { placeholder: 'length', parameter: undefined },
      ': id=',
      { placeholder: 'string', parameter: 'id' },
      '&c=',
      { placeholder: 'char', parameter: 'c' },
    ]);
  });

  it('can be filled in', () => {
    expect(template.fill(({ placeholder, parameter }) => parameter ?? placeholder)).toBe('length: id=id&c=c');
  });
});

describe('a name on a narrow screen', () => {
  it.each([
    ['GetTokenDevice', ['Get', 'Token', 'Device']],
    ['X2Y.asmx?WSDL', ['X2', 'Y.', 'asmx?WSDL']],
    ['a_b/../c', ['a_', 'b/../', 'c']],
    ['plain', ['plain']],
  ])('breaks between its words: %s', (name, words) => {
    expect(breakable(name).text).toBe(words.join('<wbr>'));
  });
});

describe('a group of options', () => {
  it('has the first one selected', () => {
    const offered = ['a', 'b', 'c'].map((value) => ({ value, text: value.toUpperCase() }));
    const { text } = choices('id', 'Label', 'name', offered);
    expect(text.match(/<input[^>]*>/g)).toEqual([
      '<input type="radio" name="name" value="a" checked>',
      '<input type="radio" name="name" value="b">',
      '<input type="radio" name="name" value="c">',
    ]);
  });
});

describe('a word for a command line', () => {
  it.each(['http://localhost:8080/X.asmx?wsdl', '*,Name'])(
    'works in the shells of Windows if possible: %s',
    (text) => {
      expect(anyShellWord(text)).toBe(`"${text}"`);
    },
  );
});

describe('the scripts of the pages', () => {
  const reference = useReference();
  const globals = Object.fromEntries(
    [
      'document',
      'navigator',
      'getSelection',
      'setTimeout',
      'fetch',
      'performance',
      'DOMParser',
      'FormData',
      'TextDecoder',
      'TextEncoder',
      'URL',
      'Node',
      'location',
      'addEventListener',
      'globalThis',
    ].map((name) => [name, 'readonly' as const]),
  );

  it('pass the linter and create no markup', async () => {
    const config = [js.configs.recommended, { languageOptions: { globals, sourceType: 'script' as const } }];
    const page = await reference.send({ path: '/NotificationNotes.asmx?op=GetStudentSchool' });
    const scripts = [...page.text.matchAll(/<script>(.*?)<\/script>/gs)].map(([, text = '']) => text);
    // For copying, for the samples, and for the test form.
    expect(scripts).toHaveLength(3);
    for (const text of scripts) {
      expect(new Linter().verify(text, config)).toEqual([]);
      expect(text).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/);
    }
  });
});
