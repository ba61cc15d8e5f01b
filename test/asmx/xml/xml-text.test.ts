// The wire contract, section 2.5: the escaping of text.

import { escapeAttribute, escapeText, literalText } from '../../../src/asmx/xml/xml-characters';

describe('text content', () => {
  it.each([
    ['', ''],
    ['plain', 'plain'],
    ['&<>', '&amp;&lt;&gt;'],
    ['a && b << c >> d', 'a &amp;&amp; b &lt;&lt; c &gt;&gt; d'],
    ['&amp;', '&amp;amp;'],
    [']]>', ']]&gt;'],
    [`"it's"`, `"it's"`],
    ['\t\n\r', '\t\n\r'],
    ['\u0000\u001f', '&#x0;&#x1F;'],
    ['a\u000bb', 'a&#xB;b'],
    ['\ufffe\uffff', '&#xFFFE;&#xFFFF;'],
    ['\u007f\u0085\u00a0\u2028\ufffd', '\u007f\u0085\u00a0\u2028\ufffd'],
    ['ş 😀', 'ş 😀'],
  ])('%j is written as %j', (text, written) => {
    expect(escapeText(text)).toBe(written);
    expect(escapeAttribute(text)).toBe(written.replaceAll('"', '&quot;'));
  });
});

it('text that looks like a reference is kept as text by xmlbuilder2', () => {
  expect(literalText('a&lt;b && "c"')).toBe('a&amp;lt;b &amp;&amp; "c"');
});
