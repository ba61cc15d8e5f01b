import {
  type Binding,
  type OperationContract,
  type OperationHandler,
  type OperationResult,
  RawResponse,
} from '../contract/operation';
import type { ElementContract, OperationArguments, Value } from '../contract/values';
import type { HttpResponse } from '../http/response';
import type { FormReading } from '../types/compiled-types';
import { escapeText } from '../xml/xml-characters';
import { type AnswerLayout, Container, NodeCompiler, Place } from './answer-node';
import { valueWriter } from './value-markup';

/** The text for what has no text of its own, or none that a caller may see. */
const GENERIC_MESSAGE = 'An error occurred on the server.';

// A chain of causes may be a circle.
const LONGEST_CHAIN = 16;

/** The messages of a thrown value and of its causes, outermost first, as ASP.NET shows them. */
export function errorMessages(error: unknown): readonly string[] {
  const messages: string[] = [];
  let link: unknown = error;
  while (link instanceof Error && messages.length < LONGEST_CHAIN) {
    messages.push(link.message);
    link = link.cause;
  }
  return messages.length > 0 ? messages : [GENERIC_MESSAGE];
}

/** A parameter as HTTP GET and POST carry it. */
export interface FormParameter extends FormReading {
  readonly name: string;
  /** Its name in lower case, by which it is found. */
  readonly key: string;
}

/** An operation with everything that serving it needs, put together once at start. */
export interface ServedOperation {
  readonly contract: OperationContract;
  /** How its parameters are read over HTTP GET and POST. */
  readonly formParameters: readonly FormParameter[];
  readonly invoke: Readonly<Record<Binding, OperationHandler>>;
  readonly writeResult: Readonly<Record<Binding, (result: OperationResult) => HttpResponse>>;
}

/** A request that named an operation and was read without an error. */
export interface Invocation {
  readonly operation: ServedOperation;
  readonly binding: Binding;
  readonly args: OperationArguments;
}

/** What reading a request comes to: an operation to run, or an answer already. */
export type ReadOutcome = { readonly invocation: Invocation } | { readonly response: HttpResponse };

/** The markup of one binding around an operation's result. */
interface ResultMarkup {
  /** What stands before the result's element, and behind it. */
  readonly start: string;
  readonly end: string;
  /** The element's name. */
  readonly name: string;
  /** What the element's start tag holds where its value is a text, and what beside where it has parts. */
  readonly declarations: { readonly text: string; readonly schemas: string };
  readonly layout: AnswerLayout;
  /** The whole answer where the result is null. */
  readonly none: string;
}

type Written = Pick<HttpResponse, 'body' | 'release'>;

/**
 * Prepares the writer of an operation's results: everything but the values is put together once.
 *
 * @param dotNetNamespace of the types that are the service's own
 * @returns the writer, which throws a TypeError for what is not of the result's type
 */
export function resultWriter(
  operation: string,
  result: ElementContract,
  { start, end, name, declarations, layout, none }: ResultMarkup,
  dotNetNamespace: string | undefined,
): (result: OperationResult) => Written {
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
