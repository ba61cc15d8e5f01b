import { escapeText } from '../../xml';
import type { Binding } from '../../contract';
import type { ExampleValues } from '../help';
import { html, type Content } from './html';
import type { Gap, MessageTemplate } from './message-template';

/** Values that every service takes, by type, as they are written over HTTP GET; other types have none of their own. */
const ANY: Readonly<Partial<Record<string, string>>> = {
  char: 'Y',
  ...Object.fromEntries(
    ['int', 'long', 'short', 'unsignedByte', 'decimal', 'double', 'float'].map((name) => [name, '1']),
  ),
  boolean: 'true',
  dateTime: '2026-11-30T09:00:00',
  guid: '01234567-89ab-cdef-0123-456789abcdef',
  base64Binary: 'AQID',
};

/** What goes into the gaps of messages over one binding. */
export type FillGap = (gap: Gap) => string;

/** An example where there is one, and otherwise the word that ASP.NET's help page shows. */
export function exampleOrPlaceholder(binding: Binding, examples: ExampleValues): FillGap {
  return (gap) => writtenExample(gap, binding, examples) ?? gap.placeholder;
}

/** An example where there is one, and otherwise something that can be sent. */
export function exampleOrAny(binding: Binding, examples: ExampleValues): FillGap {
  return (gap) =>
    writtenExample(gap, binding, examples) ?? writtenValue(anyValue(gap.placeholder), gap, binding);
}

/** A message as a page shows it, what is to be replaced in it marked. */
export function marked(message: MessageTemplate, fill: FillGap): Content {
  return message.parts.map((part) => (typeof part === 'string' ? part : html`<var>${fill(part)}</var>`));
}

/** A value for a parameter without an example, as it is written over HTTP GET: of an enumeration the first. */
export function anyValue(placeholder: Gap['placeholder']): string {
  return ANY[placeholder] ?? placeholder.split(' or ', 1)[0] ?? placeholder;
}

function writtenExample(gap: Gap, binding: Binding, examples: ExampleValues): string | undefined {
  const example = gap.parameter === undefined ? undefined : examples[gap.parameter];
  return example === undefined ? undefined : writtenValue(example, gap, binding);
}

/** A value as it stands in a message over a binding: over SOAP a character is its decimal number. */
function writtenValue(value: string, { placeholder }: Gap, binding: Binding): string {
  if (binding === 'get' || binding === 'post') return encodeURIComponent(value);
  return placeholder === 'char' ? String(value.charCodeAt(0)) : escapeText(value);
}
