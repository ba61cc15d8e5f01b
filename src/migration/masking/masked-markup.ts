import { maskedWords } from './masked-text';

// Comments, CDATA sections, instructions and tags; what is not closed goes to the end of the text.
const MARKUP = /<!--|<!\[CDATA\[|<[?/A-Za-z_!]/g;
const ENDS: Readonly<Record<string, string>> = { '<!--': '-->', '<![CDATA[': ']]>', '<?': '?>' };
const ATTRIBUTE = /(?<![^\s=<>"'/])([^\s=<>"'/]+)(\s*=\s*)("[^"]*"|'[^']*')/g;
const REFERENCE = /&(?:amp|lt|gt|quot|apos|#x?[0-9a-f]{1,6});/gi;
/** Attributes of the protocol, whose values are none of a person's. */
const PROTOCOL =
  /^(?:xmlns(?::.*)?|version|encoding|standalone|[^:]+:(?:mustUnderstand|type|nil|encodingStyle|lang))$/;

/** XML, well-formed or not: names and the protocol's own attributes stay, texts and other values keep their shape. */
export function maskedMarkup(text: string): string {
  let result = '';
  let from = 0;
  for (;;) {
    MARKUP.lastIndex = from;
    const open = MARKUP.exec(text);
    if (open === null) return result + maskedContent(text.slice(from));
    result += maskedContent(text.slice(from, open.index));
    const start = ENDS[open[0]] === undefined ? '<' : open[0];
    const end = ENDS[open[0]] ?? '>';
    const close = text.indexOf(end, open.index + start.length);
    const inside = text.slice(open.index + start.length, close < 0 ? text.length : close);
    result +=
      start +
      (end === '>' || end === '?>' ? maskedTag(inside) : maskedWords(inside)) +
      (close < 0 ? '' : end);
    if (close < 0) return result;
    from = close + end.length;
  }
}

/** References stay references: whether a text is escaped may be what the example shows. */
function maskedContent(text: string): string {
  let result = '';
  let from = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const isNamed = !match[0].startsWith('&#');
    result += maskedWords(text.slice(from, match.index)) + (isNamed ? match[0] : '&#120;');
    from = match.index + match[0].length;
  }
  return result + maskedWords(text.slice(from));
}

function maskedTag(inside: string): string {
  const name = /^[/!]?[^\s=<>"']{0,256}/.exec(inside)?.[0] ?? '';
  const rest = inside.slice(name.length);
  let result = name;
  let from = 0;
  for (const match of rest.matchAll(ATTRIBUTE)) {
    const [all, attribute = '', equals = '', value = ''] = match;
    result += maskedWords(rest.slice(from, match.index));
    const isProtocol = PROTOCOL.test(attribute) && value.length < 200;
    result += attribute + equals + (isProtocol ? value : maskedContent(value));
    from = match.index + all.length;
  }
  return result + maskedWords(rest.slice(from));
}
