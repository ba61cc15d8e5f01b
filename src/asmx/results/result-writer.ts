import {
  type AttemptedCall,
  type Binding,
  type OperationContract,
  type OperationHandler,
  type OperationResult,
  RawResponse,
} from '../contract/operation';
import {
  type ElementContract,
  type OperationArguments,
  type Value,
  DateTime,
  type RecordValue,
} from '../contract/values';
import type { BodyRefusal } from '../http/request-body';
import type { HttpResponse } from '../http/response';
import type { FormReading } from '../types/compiled-types';
import { escapeText, escapeAttribute } from '../xml/xml-characters';
import {
  type AnswerLayout,
  Container,
  NodeCompiler,
  Place,
  type AnswerNode,
  type AttributeNode,
  type Entry,
  type ListNode,
  type RecordNode,
  type StringNode,
  type TextNode,
} from './answer-node';
import { encodeMarkup, MarkupBuffer } from './markup-buffer';

/** Text for an error without a message, or one whose message callers must not see. */
const GENERIC_MESSAGE = 'An error occurred on the server.';

// Causes may be circular.
const MAX_CAUSES = 16;

/** Returns the messages of a thrown value and of its causes, outermost first, as ASP.NET shows them. */
export function errorMessages(error: unknown): readonly string[] {
  const messages: string[] = [];
  let link: unknown = error;
  while (link instanceof Error && messages.length < MAX_CAUSES) {
    messages.push(link.message);
    link = link.cause;
  }
  return messages.length > 0 ? messages : [GENERIC_MESSAGE];
}

/** A parameter over HTTP GET and POST. */
export interface FormParameter extends FormReading {
  readonly name: string;
  /** Its name in lower case, for look-ups. */
  readonly key: string;
}

/** An operation with everything needed to serve it, prepared once at start. */
export interface ServedOperation {
  readonly contract: OperationContract;
  /** Readers of its parameters over HTTP GET and POST. */
  readonly formParameters: readonly FormParameter[];
  readonly invoke: Readonly<Record<Binding, OperationHandler>>;
  readonly writeResult: Readonly<Record<Binding, (result: OperationResult) => HttpResponse>>;
}

/** A request for an operation, read without an error. */
export interface Invocation {
  readonly operation: ServedOperation;
  readonly binding: Binding;
  readonly args: OperationArguments;
}

/** Outcome of reading a request: an operation to run, or an answer already. */
export type ReadOutcome = { readonly invocation: Invocation } | { readonly response: HttpResponse };

/** A call whose head has been read, but not its body. */
export interface UnreadCall {
  /** Identifies the call by its head alone. */
  attempt(): AttemptedCall;
  /** Answers a call whose body is refused. */
  refuse(reason: BodyRefusal): HttpResponse;
  /** @param body empty for a GET */
  read(body: Buffer): ReadOutcome;
}

/** Markup of one binding around an operation's result. */
interface ResultMarkup {
  /** Markup before the result's element. */
  readonly start: string;
  readonly end: string;
  readonly name: string;
  /** Namespace declarations for the element's start tag: for a text, and the additional ones for a value with parts. */
  readonly declarations: { readonly text: string; readonly schemas: string };
  readonly layout: AnswerLayout;
  /** Complete answer for a null result. */
  readonly none: string;
}

type ResponseBody = Pick<HttpResponse, 'body' | 'release'>;

/**
 * Prepares the writer of an operation's results: all markup except the values is assembled once.
 *
 * @param dotNetNamespace namespace of the service's own types
 * @returns the writer, which throws a TypeError for a value that is not of the result's type
 */
export function resultWriter(
  operation: string,
  result: ElementContract,
  { start, end, name, declarations, layout, none }: ResultMarkup,
  dotNetNamespace: string | undefined,
): (result: OperationResult) => ResponseBody {
  const { text: declared, schemas } = declarations;
  const compiler = new NodeCompiler(layout, dotNetNamespace);
  const answer = new Container('', '', compiler.entry(''), undefined);
  const dressing = { head: schemas, tail: declared, newline: '' };
  const node = compiler.compile({ ...result, name }, answer, 0, dressing);
  const requireValue = (value: OperationResult): Value => {
    if (value !== undefined && !(value instanceof RawResponse)) return value;
    throw mismatch(operation, node.expected);
  };
  if (node.kind === 'text' || node.kind === 'string') {
    const open = `${start}<${name}${declared}>`;
    const close = `</${name}>${end}`;
    const empty = `${start}<${name}${declared} />${end}`;
    return (given) => {
      const value = requireValue(given);
      if (value === null && !node.isRequired) return { body: none };
      const text = value === null ? undefined : node.text.write(value);
      if (text === undefined) throw mismatch(operation, node.expected);
      return { body: text === '' ? empty : open + escapeText(text) + close };
    };
  }
  const write = valueWriter(node, new Place(start, answer), compiler.entry(end));
  return (given) => {
    const value = requireValue(given);
    return value === null ? { body: none } : write(value);
  };
}

function mismatch(operation: string, expected: string): TypeError {
  return new TypeError(`The handler of ${operation} returned no ${expected}.`);
}

const buffer = new MarkupBuffer();

/** Characters that attributes escape differently than text, or in a way that the buffer does not support. */
const NEEDS_ESCAPE = /[&<>"]|[^\t\n\r -\ufffd]/;

/**
 * Prepares the writer of answers that contain a record or a list (wire contract, section 2.3): a null element is
 * omitted, or nil if the type allows it.
 *
 * @param start the place before the element
 * @param last markup after the element
 * @returns the writer, which throws a TypeError for a value that is not of its type
 */
function valueWriter(
  node: RecordNode | ListNode,
  start: Place,
  last: Entry,
): (value: Value) => Pick<HttpResponse, 'body' | 'release'> {
  /** Bodies of lists that a handler may return again, by the list. */
  const written = new WeakMap<readonly unknown[], Buffer>();
  return (value) => {
    const list = Array.isArray(value) && Object.isFrozen(value) ? value : undefined;
    const known = list && written.get(list);
    if (known !== undefined) return { body: known };
    buffer.begin();
    const place = writeElement(node, value, start);
    buffer.markup(place.to(last));
    const answer = buffer.take();
    if (list !== undefined) written.set(list, Buffer.from(answer.body));
    return answer;
  };
}

/** Writes an element at a place; returns the place where it ends. */
function writeElement(node: AnswerNode, value: Value | undefined, place: Place): Place {
  if (value === null || value === undefined) {
    if (node.nil === undefined) {
      if (node.isRequired) throw fieldMismatch(node);
      return place;
    }
    buffer.markup(place.to(node.nil));
    return node.parent.clear;
  }
  if (node.kind === 'text') return writeText(node, value, place);
  if (node.kind === 'string') return writeString(node, value, place);
  if (node.kind === 'list') return writeList(node, value, place);
  return writeRecord(node, value, place);
}

function writeText(node: TextNode, value: Value, place: Place): Place {
  const { put, write } = node.text;
  if (put !== undefined) {
    buffer.markup(place.to(node.start));
    if (!buffer.put(put, value)) buffer.text(toText(node, write(value)));
    return node.behind;
  }
  return writeString(node, toText(node, write(value)), place);
}

function writeString(node: StringNode | TextNode, value: Value, place: Place): Place {
  if (typeof value !== 'string') throw fieldMismatch(node);
  const isEmpty = value.length === 0;
  buffer.markup(place.to(isEmpty ? node.empty : node.start));
  if (isEmpty) return node.parent.clear;
  buffer.text(value);
  return node.behind;
}

function writeList(node: ListNode, value: Value, place: Place): Place {
  if (!Array.isArray(value)) throw fieldMismatch(node);
  let at = place.in(node.container);
  // Array.isArray loses the type of the items.
  for (const item of value as readonly (Value | undefined)[]) {
    if (item === undefined) throw fieldMismatch(node.item);
    at = writeElement(node.item, item, at);
  }
  return leave(at);
}

function writeRecord(node: RecordNode, given: Value, place: Place): Place {
  // An object with the first field counts as a record; anything else is checked below.
  const value = given as RecordValue;
  const { fields, attributes } = node;
  let at = attributes === 0 ? place.in(node.container) : place;
  let index = 0;
  // Reading fields in the record's own order, nearly always the contract's, costs half of reading them by name.
  for (const name in value) {
    const field = fields[index];
    if (field?.name !== name) break;
    at = writeField(node, field, value[name], at);
    index += 1;
    if (index === attributes) at = content(node, at, place);
  }
  if (index === 0 && !isRecord(given)) throw fieldMismatch(node);
  for (; index < fields.length; index += 1) {
    const field = fields[index];
    if (field === undefined) break;
    if (index === attributes && attributes > 0) at = content(node, at, place);
    at = writeField(node, field, value[field.name], at);
  }
  return leave(attributes === 0 ? at : content(node, at, place));
}

function writeField(
  node: RecordNode,
  field: AttributeNode | AnswerNode,
  value: Value | undefined,
  place: Place,
): Place {
  // Most values are strings.
  if (field.kind === 'string' && typeof value === 'string') return writeString(field, value, place);
  return field.kind === 'attribute'
    ? writeAttribute(node, field, value, place)
    : writeElement(field, value, place);
}

/** Returns the place where a record's elements begin; all of its attributes may have been omitted. */
function content({ container }: RecordNode, at: Place, before: Place): Place {
  return at === before ? before.in(container) : at;
}

function writeAttribute(
  { container }: RecordNode,
  node: AttributeNode,
  value: Value | undefined,
  place: Place,
): Place {
  if ((value === null || value === undefined) && !node.isRequired) return place;
  if (value === null || value === undefined) throw fieldMismatch(node);
  const { put, write } = node.text;
  buffer.markup(place.container === container ? node.next : place.to(node.first));
  if (put !== undefined && buffer.put(put, value)) return node.behind;
  const text = toText(node, write(value));
  if (NEEDS_ESCAPE.test(text)) buffer.markup(encodeMarkup(escapeAttribute(text)));
  else buffer.text(text);
  return node.behind;
}

/** Closes the open element and returns the place after it; an empty element is written whole. */
function leave(at: Place): Place {
  if (at.before === undefined) return at.behind;
  const { empty } = at.container;
  buffer.markup(at.before.to(empty));
  return at.before.container.clear;
}

function isRecord(value: Value): value is RecordValue {
  return (
    typeof value === 'object' &&
    !Array.isArray(value) &&
    !(value instanceof DateTime) &&
    !(value instanceof Uint8Array)
  );
}

function toText(
  node: { readonly name: string; readonly expected: string },
  text: string | undefined,
): string {
  if (text === undefined) throw fieldMismatch(node);
  return text;
}

function fieldMismatch({ name, expected }: { readonly name: string; readonly expected: string }): TypeError {
  return new TypeError(`The field ${name} holds no ${expected}.`);
}
