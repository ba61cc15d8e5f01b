import { type ElementContract, type OperationResult, RawResponse, type Value } from '../contract';
import type { HttpResponse } from '../http';
import { escapeText } from '../xml';
import { type AnswerLayout, NodeCompiler } from './answer-node';
import { Container, Place } from './answer-place';
import { valueWriter } from './value-markup';

/** The markup of one binding around an operation's result. */
export interface ResultMarkup {
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
