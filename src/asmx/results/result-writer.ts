import {
  type AttemptedCall,
  type Binding,
  type OperationContract,
  type OperationHandler,
  type OperationResult,
  RawResponse,
} from '../contract/operation';
import { type ElementContract, type OperationArguments, type Value } from '../contract/values';
import type { BodyRefusal } from '../http/request-body';
import type { HttpResponse } from '../http/response';
import type { FormReading } from '../types/compiled-types';
import { escapeText } from '../xml/xml-characters';
import {
  type AnswerLayout,
  ElementCompiler,
  expectedOf,
  type WriteElement,
  type WriteText,
} from './element-writer';
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
