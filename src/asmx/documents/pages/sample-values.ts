import type { Binding, OperationContract } from '../../contract/operation';
import { type ElementContract, isValueType, type ValueType } from '../../contract/values';
import { escapeText } from '../../xml/xml-characters';
import type { ExampleValues, OperationHelp, ParameterHelp } from '../help';
import { type Content, html, type Html, NOTHING } from '../../../support/html';
import { breakable } from './page';
import { type Gap, type MessageTemplate, placeholderFor } from './samples';

/** Values that every service accepts, by type, as written over HTTP GET; other types have none. */
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

/** Returns the text for a gap in a message. */
type FillGap = (gap: Gap) => string;

/** Fills gaps with examples, or else with ASP.NET's placeholder word. */
export function exampleOrPlaceholder(binding: Binding, examples: ExampleValues): FillGap {
  return (gap) => writtenExample(gap, binding, examples) ?? gap.placeholder;
}

/** Fills gaps with examples, or else with a valid value. */
export function exampleOrAny(binding: Binding, examples: ExampleValues): FillGap {
  return (gap) =>
    writtenExample(gap, binding, examples) ?? writtenValue(anyValue(gap.placeholder), gap, binding);
}

export function marked(message: MessageTemplate, fill: FillGap): Content {
  return message.parts.map((part) => (typeof part === 'string' ? part : html`<var>${fill(part)}</var>`));
}

/**
 * Returns a value for a parameter without an example, as written over HTTP GET: for an enumeration the first
 * name.
 */
export function anyValue(placeholder: Gap['placeholder']): string {
  return ANY[placeholder] ?? placeholder.split(' or ', 1)[0] ?? placeholder;
}

function writtenExample(gap: Gap, binding: Binding, examples: ExampleValues): string | undefined {
  const example = gap.parameter === undefined ? undefined : examples[gap.parameter];
  return example === undefined ? undefined : writtenValue(example, gap, binding);
}

/** Returns a value in a binding's form: over SOAP a character is its decimal number. */
function writtenValue(value: string, { placeholder }: Gap, binding: Binding): string {
  if (binding === 'get' || binding === 'post') return encodeURIComponent(value);
  return placeholder === 'char' ? String(value.charCodeAt(0)) : escapeText(value);
}

/** Returns the signature of an operation in one or two lines. */
export function signatureLine({ parameters, result }: OperationContract): Html {
  const taken = parameters.map(
    (parameter, index) =>
      html`${index === 0 ? '' : ', '}<code>${breakable(parameter.name)}</code> (${typeText(parameter)})`,
  );
  return html`<p>Takes ${taken.length === 0 ? 'no parameters' : taken}. ${returnsText(result)}</p>\n`;
}

export function signature({ parameters, result }: OperationContract, help: OperationHelp | undefined): Html {
  const entries = parameters.map((parameter) => parameterEntry(parameter, help?.parameters[parameter.name]));
  const list =
    entries.length === 0
      ? html`<p>Takes no parameters.</p>\n`
      : html`<dl class="card parameters" aria-label="Parameters">\n${entries}</dl>\n`;
  const refusal =
    help === undefined || entries.length === 0
      ? NOTHING
      : html`<p>A refused call gets status 500 and the reason: over SOAP as a fault, over HTTP GET and POST \
as plain text.</p>\n`;
  return html`${list}<p>${returnsText(result)} ${help?.result ?? ''}</p>\n${refusal}`;
}

function parameterEntry(parameter: ElementContract, help: ParameterHelp | undefined): Html {
  const { name, type } = parameter;
  return html`<dt><code>${breakable(name)}</code> <span class="quiet">${typeText(parameter)}</span></dt>
<dd>${help?.meaning ?? ''} ${exampleText(type, help?.example)} ${refusedText(help?.refused)}</dd>
`;
}

/** Returns the type in the words of the samples; types that are always nullable in .NET are not marked so. */
function typeText({ type, nillable }: ElementContract): string {
  if (type.kind === 'list') return `list of ${typeText(type.item)}`;
  return placeholderFor(type) + (nillable && isValueType(type) ? ', or null' : '');
}

function exampleText({ name }: ValueType, example: string | undefined): Html {
  if (name === 'char') return charText(example);
  return example === undefined ? NOTHING : html`Example: <code>${breakable(example)}</code>.`;
}

/** Explains both forms of a character; only the binding decides between them. */
function charText(example = 'Y'): Html {
  const number = String(example.charCodeAt(0));
  return html`Over SOAP it is the decimal number of its UTF-16 code unit, <code>${number}</code> for <code>\
${example}</code>; over HTTP GET and POST it is the character itself.`;
}

function refusedText(refused: ParameterHelp['refused']): Html {
  if (refused === undefined) return NOTHING;
  const value = refused.value === '' ? 'An empty value' : html`<code>${refused.value}</code>`;
  return html`${value} is refused: “${refused.text}”`;
}

function returnsText(result: ElementContract | undefined): Html {
  if (result === undefined) return html`Returns nothing.`;
  const { type } = result;
  if (type.kind !== 'list') return html`Returns ${/^[aeiou]/i.test(type.name) ? 'an' : 'a'} ${type.name}.`;
  const { item } = type;
  if (item.type.kind !== 'record') return html`Returns a list of <code>${breakable(item.name)}</code>.`;
  const fields = item.type.elements.map(
    ({ name }, index) => html`${index === 0 ? '' : ', '}<code>${breakable(name)}</code>`,
  );
  const kinds = item.type.elements.every((field) => field.type.name === 'string') ? ', all strings' : '';
  return html`Returns a list of <code>${breakable(item.name)}</code> with ${fields}${kinds}.`;
}
