import type { Random } from '../../harness/random';

/** Documents that are well-formed, before they are mutated. */
export const DOCUMENTS: readonly [string, ...string[]] = [
  '<a/>',
  '<?xml version="1.0" encoding="utf-8" standalone="no"?>\n<!-- c --><?pi x?><a b="1" c=\'2\'><b>x &amp; y</b><c/></a>\n<!-- d -->',
  '<s:E xmlns:s="urn:s" xmlns="urn:d"><s:B s:a="1" a="2"><Op><id>&#x130;&#13;\r\nş 😀</id></Op></s:B></s:E>',
  '<a xmlns:p="urn:1"><b xmlns:p="urn:2" p:x="&lt;\t&quot;"><p:c/></b><p:c xmlns=""><![CDATA[<]] >]]></p:c></a>',
  '<a xml:lang="tr" xmlns:x="urn:x" xmlns:y="urn:x" x:b="1" y:c="2">]] &gt; é</a>',
  '<?p?><a>&#x20;&#xE000;&#xFFFD;&#x10000;&#x10FFFF;<b xmlns:p="urn:p" p:x="1"/><c xml:d="😀 \u{10000}\u{10ffff}&amp;"/></a>',
  `<a b='&apos;"' c="'&quot;" d=''/>`,
  '<a xmlns:p="urn:p" xmlns:q="urn:q" p:px="1" px="2" q:px="3" xmlnsp="4"/>',
];
/** Pieces that readers stumble over. */
export const FRAGMENTS: readonly [string, ...string[]] = [
  '<',
  '>',
  '/',
  '&',
  ';',
  '"',
  "'",
  '=',
  ' ',
  '\n',
  '\r',
  '\t',
  ':',
  '!',
  '?',
  '-',
  '--',
  ']',
  ']]>',
  '\u0000',
  '\u0001',
  '\u007f',
  '\u0085',
  '\ufffe',
  '\uffff',
  '\u00e9',
  '\u0300',
  '\u00b7',
  '😀',
  'a',
  '1',
  '.',
  '<a>',
  '</a>',
  '<b/>',
  '<!--',
  '-->',
  '<![CDATA[',
  '<?x y?>',
  '<?xml version="1.0"?>',
  '<!DOCTYPE a>',
  '&amp;',
  '&apos;',
  '&#0;',
  '&#x1;',
  '&#xD800;',
  '&#x110000;',
  '&#10;',
  '&nbsp;',
  '&#;',
  'xmlns:p="urn:p"',
  ' xmlns=""',
  ' xmlns:p=""',
  'p:',
  'xml:',
  'xmlns:',
  ' a="1"',
  ' p:x="1"',
  'version="1.1"',
  '\ufeff',
];

/** Makes a mutant of one of the documents. */
export function mutate(random: Random): string {
  let document = random.pick(DOCUMENTS);
  for (let times = random.below(4); times >= 0; times -= 1) {
    const at = random.below(document.length + 1);
    const removed = random.below(3) === 0 ? random.below(6) : 0;
    const added = random.below(4) === 0 ? '' : random.pick(FRAGMENTS);
    document = document.slice(0, at) + added + document.slice(at + removed);
  }
  // Decoded text holds no lone surrogates.
  return document.toWellFormed();
}
