import { type OperationResult, RawResponse } from '../contract/operation';
import type { ElementContract, Value } from '../contract/values';
import type { HttpResponse } from '../http/response';
import { escapeText } from '../xml/xml-characters';
import {
  type AnswerLayout,
  ElementCompiler,
  expectedOf,
  type WriteElement,
  type WriteText,
} from './element-writer';
import { encodeMarkup, MarkupBuffer } from './markup-buffer';

/** Markup of one binding around an operation's result. */
interface ResultMarkup {
  /** Markup before the result's element. */
  readonly start: string;
  readonly end: string;
  readonly name: string;
  /**
   * Namespace declarations for the element's start tag: for a text, and the additional ones for a value with
   * parts.
   */
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
  const compiler = new ElementCompiler(layout, dotNetNamespace);
  const { type, nillable, optional } = result;
  const isText = type.kind === 'plain' || type.kind === 'enumeration';
  const mismatch = (): TypeError =>
    new TypeError(`The handler of ${operation} returned no ${expectedOf(type)}.`);
  const write = isText
    ? textWriter(
        compiler.text(type),
        `${start}<${name}${declarations.text}`,
        `</${name}>${end}`,
        end,
        mismatch,
      )
    : elementWriter(
        compiler.compile({ ...result, name }, 0, {
          head: declarations.schemas,
          tail: declarations.text,
          newline: '',
        }),
        start,
        end,
      );
  const takesNull = !isText || nillable || optional;
  return (value) => {
    if (value === undefined || value instanceof RawResponse) throw mismatch();
    if (value !== null) return write(value);
    if (takesNull) return { body: none };
    throw mismatch();
  };
}

/** Returns the writer of answers that are a text. */
function textWriter(
  text: WriteText,
  startTag: string,
  close: string,
  end: string,
  mismatch: () => TypeError,
): (value: Value) => ResponseBody {
  const [open, empty] = [`${startTag}>`, `${startTag} />${end}`];
  return (value) => {
    const written = text(value);
    if (written === undefined) throw mismatch();
    return { body: written === '' ? empty : open + escapeText(written) + close };
  };
}

const buffer = new MarkupBuffer();

/** Returns the writer of answers with a record or a list; what was written of a frozen list is remembered. */
function elementWriter(write: WriteElement, start: string, end: string): (value: Value) => ResponseBody {
  const written = new WeakMap<readonly unknown[], Buffer>();
  const [before, behind] = [encodeMarkup(start), encodeMarkup(end)];
  return (value) => {
    const list = Array.isArray(value) && Object.isFrozen(value) ? value : undefined;
    const known = list && written.get(list);
    if (known !== undefined) return { body: known };
    buffer.begin();
    buffer.markup(before);
    write(value, buffer);
    buffer.markup(behind);
    const answer = buffer.take();
    if (list !== undefined) written.set(list, Buffer.from(answer.body));
    return answer;
  };
}
