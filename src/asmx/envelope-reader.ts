import { SaxesParser, type SaxesTagNS } from 'saxes';
import { readCharParameter, type CharReading } from './char-parameter';
import { EnvelopeException, type EnvelopeError } from './envelope-error';
import type { AsmxLimits } from './limits';
import { ParameterCapture } from './parameter-capture';
import { parserMessage } from './parser-message';
import type { OperationContract, ParameterContract } from './service-contract';
import { SOAP11_ENVELOPE, SOAP12_ENVELOPE } from './soap-version';
import { textPosition } from './text-position';

/** How far the search for the operation's element came: the first child of Body names it. */
export type BodyElement =
  | { readonly found: 'element'; readonly namespace: string; readonly name: string }
  /** Body holds no element, or text before it. */
  | { readonly found: 'none' }
  | { readonly found: 'missing-envelope' }
  | { readonly found: 'missing-body' }
  /** The text ended or broke before Body's first child. */
  | { readonly found: 'broken' };

/** What one pass over a request body yields. */
export interface EnvelopeReading {
  /** Namespace of the root element; undefined when no root element could be read. */
  readonly rootNamespace: string | undefined;
  readonly bodyElement: BodyElement;
  /** The operation that the request names: the one given, or the one of Body's first child. */
  readonly operation: OperationContract | undefined;
  /** Values by parameter name; `null` where the request has no such element. */
  readonly parameters: Readonly<Record<string, string | null>>;
  /** Local name of the first header block that must be understood, or undefined. */
  readonly mustUnderstand: string | undefined;
  readonly error: EnvelopeError | undefined;
}

/** Finds the operation of a Body's first child by local name; the namespace is the reader's business. */
export type FindOperation = (name: string) => OperationContract | undefined;

type Parser = SaxesParser<{ xmlns: true }>;
type Section = 'none' | 'header' | 'body' | 'other';

const XML10 = '1.0';

/**
 * The strict reader that every SOAP request meets first: namespace-aware, one pass, no DTD, bounded in depth,
 * attributes and elements while it reads. It knows the rules of the wire contract, sections 3 and 5, and
 * decides nothing: which of its findings matters first is the binding's business.
 *
 * One reader serves one request after the other; reading is synchronous.
 */
export class EnvelopeReader {
  readonly #namespace: string;
  readonly #limits: AsmxLimits;
  readonly #charReading: CharReading;
  readonly #capture = new ParameterCapture();
  #parser: Parser;

  // The state of one reading.
  #text = '';
  #find: FindOperation = () => undefined;
  #operation: OperationContract | undefined;
  #rootNamespace: string | undefined;
  #bodyElement: BodyElement | undefined;
  #values: Record<string, string | null> = {};
  #mustUnderstand: string | undefined;
  #section: Section = 'none';
  #headerSeen = false;
  #bodySeen = false;
  #inOperation = false;
  #seen = new Set<string>();
  #charError: string | undefined;
  #elements = 0;
  #attributes = 0;
  /** Names of the open elements and the offsets behind their start tags, outermost first, up to the depth. */
  readonly #openNames: string[] = [];
  readonly #openEnds: number[] = [];
  #depth = 0;
  #bodyEnd = -1;

  constructor(namespace: string, limits: AsmxLimits, charReading: CharReading) {
    this.#namespace = namespace;
    this.#limits = limits;
    this.#charReading = charReading;
    this.#parser = this.#createParser();
  }

  /**
   * Reads a request body.
   *
   * @param text the decoded body, without a byte order mark
   * @param operation the operation, where the headers name it already
   * @param find finds it by Body's first child otherwise
   */
  read(text: string, operation: OperationContract | undefined, find: FindOperation): EnvelopeReading {
    this.#reset(text, operation, find);
    let error: EnvelopeError | undefined;
    try {
      this.#parser.write(text).close();
      if (this.#bodyElement === undefined) this.#bodyElement = { found: 'missing-body' };
    } catch (exception) {
      // A parser that threw is left in the middle of a document.
      this.#parser = this.#createParser();
      if (!(exception instanceof EnvelopeException)) throw exception;
      error = exception.error;
    }
    return {
      rootNamespace: this.#rootNamespace,
      bodyElement: this.#bodyElement ?? { found: 'broken' },
      operation: this.#operation,
      parameters: this.#values,
      mustUnderstand: this.#mustUnderstand,
      error,
    };
  }

  #reset(text: string, operation: OperationContract | undefined, find: FindOperation): void {
    this.#text = text;
    this.#find = find;
    this.#rootNamespace = undefined;
    this.#bodyElement = undefined;
    this.#mustUnderstand = undefined;
    this.#section = 'none';
    this.#headerSeen = false;
    this.#bodySeen = false;
    this.#inOperation = false;
    this.#charError = undefined;
    this.#elements = 0;
    this.#attributes = 0;
    this.#depth = 0;
    this.#bodyEnd = -1;
    this.#capture.stop();
    this.#values = {};
    this.#choose(operation);
  }

  #choose(operation: OperationContract | undefined): void {
    this.#operation = operation;
    for (const parameter of operation?.parameters ?? []) this.#values[parameter.name] = null;
  }

  #createParser(): Parser {
    const parser: Parser = new SaxesParser({ xmlns: true, position: false });
    parser.on('error', (error) => {
      throw this.#parserFailure(error.message, parser.position);
    });
    parser.on('xmldecl', (declaration) => {
      if (declaration.version !== XML10) {
        throw this.#malformed(
          `Version number '${declaration.version ?? ''}' is invalid. Line 1, position 16.`,
        );
      }
    });
    parser.on('doctype', () => {
      throw this.#malformed('DTD is prohibited in this XML document.');
    });
    parser.on('attribute', () => {
      this.#attributes += 1;
      if (this.#attributes > this.#limits.xmlAttributes) {
        throw this.#unreadable(
          `The request has an element with more than ${String(this.#limits.xmlAttributes)} attributes.`,
        );
      }
    });
    parser.on('opentag', (tag) => {
      this.#open(tag);
    });
    parser.on('closetag', (tag) => {
      this.#close(tag);
    });
    parser.on('text', (text) => {
      this.#characters(text);
    });
    parser.on('cdata', (text) => {
      this.#characters(text, true);
    });
    parser.on('comment', () => {
      this.#interrupt();
    });
    parser.on('processinginstruction', () => {
      this.#interrupt();
    });
    return parser;
  }

  #open(tag: SaxesTagNS): void {
    if (this.#charError !== undefined) this.#failChar();
    this.#attributes = 0;
    this.#elements += 1;
    if (this.#elements > this.#limits.xmlElements) {
      throw this.#unreadable(`The request has more than ${String(this.#limits.xmlElements)} elements.`);
    }
    this.#openNames[this.#depth] = tag.name;
    this.#openEnds[this.#depth] = this.#parser.position;
    this.#depth += 1;
    const depth = this.#depth;
    if (depth > this.#limits.xmlDepth) {
      throw this.#unreadable(`The request is nested deeper than ${String(this.#limits.xmlDepth)} elements.`);
    }
    if (depth === 1) this.#openRoot(tag);
    else if (depth === 2) this.#openSection(tag);
    else if (depth === 3 && this.#section === 'header') this.#openHeaderBlock(tag);
    else if (depth === 3 && this.#section === 'body') this.#openBodyChild(tag);
    else if (depth >= 4 && this.#inOperation) this.#openInOperation(tag, depth);
  }

  #openRoot(tag: SaxesTagNS): void {
    this.#rootNamespace = tag.uri;
    if (tag.local !== 'Envelope') this.#bodyElement = { found: 'missing-envelope' };
  }

  // Only the first Header, and only one before Body, is the envelope's; what follows Body is ignored.
  #openSection(tag: SaxesTagNS): void {
    this.#section = 'other';
    if (this.#bodySeen || tag.uri !== this.#rootNamespace) return;
    if (tag.local === 'Body') {
      this.#section = 'body';
      this.#bodySeen = true;
    } else if (tag.local === 'Header' && !this.#headerSeen) {
      this.#section = 'header';
      this.#headerSeen = true;
    }
  }

  // Whatever its actor or role, and in either SOAP namespace (wire contract, section 3, step 6).
  #openHeaderBlock(tag: SaxesTagNS): void {
    if (this.#mustUnderstand !== undefined) return;
    for (const attribute of Object.values(tag.attributes)) {
      if (attribute.local !== 'mustUnderstand') continue;
      if (attribute.uri !== SOAP11_ENVELOPE && attribute.uri !== SOAP12_ENVELOPE) continue;
      const value = attribute.value.trim();
      if (value === '1' || value === 'true') this.#mustUnderstand = tag.local;
    }
  }

  #openBodyChild(tag: SaxesTagNS): void {
    if (this.#bodyElement === undefined) {
      this.#bodyElement = { found: 'element', namespace: tag.uri, name: tag.local };
      if (this.#operation === undefined && tag.uri === this.#namespace) this.#choose(this.#find(tag.local));
    }
    this.#inOperation = tag.uri === this.#namespace && tag.local === this.#operation?.name;
    this.#seen.clear();
  }

  #openInOperation(tag: SaxesTagNS, depth: number): void {
    if (depth > 4) {
      if (!this.#capture.openChild(depth - 4)) this.#interrupt();
      return;
    }
    if (tag.uri !== this.#namespace || this.#seen.has(tag.local)) return;
    const parameter = this.#operation?.parameters.find((candidate) => candidate.name === tag.local);
    if (parameter !== undefined) {
      this.#seen.add(tag.local);
      this.#capture.start(parameter);
    }
  }

  #close(tag: SaxesTagNS): void {
    if (this.#charError !== undefined) this.#failChar();
    const depth = this.#depth;
    this.#depth -= 1;
    if (depth === 2 && this.#section === 'body') this.#closeBody();
    else if (depth === 3) this.#inOperation = false;
    else if (depth === 4) this.#finishParameter();
    else if (depth === 5 && !this.#capture.closeChild(tag.isSelfClosing)) this.#interrupt();
  }

  #closeBody(): void {
    this.#section = 'other';
    if (this.#bodyElement !== undefined) return;
    this.#bodyElement = { found: 'none' };
    this.#bodyEnd = this.#parser.position;
  }

  #finishParameter(): void {
    const parameter = this.#capture.parameter;
    if (parameter === undefined) return;
    this.#values[parameter.name] = this.#convert(parameter, this.#capture.value);
    this.#capture.stop();
  }

  #convert(parameter: ParameterContract, value: string): string {
    if (parameter.type === 'string') return value;
    const reading = readCharParameter(value, this.#charReading);
    if ('character' in reading) return reading.character;
    this.#charError = reading.error;
    return '';
  }

  // ASP.NET's reader stands on the next tag's name when it reports a bad number.
  #failChar(): never {
    const tag = this.#text.lastIndexOf('<', this.#parser.position - 1);
    const { line, column } = textPosition(this.#text, this.#text[tag + 1] === '/' ? tag + 2 : tag + 1);
    throw this.#unreadable(
      `There is an error in XML document (${String(line)}, ${String(column)}). ---> ${this.#charError ?? ''}`,
    );
  }

  #characters(text: string, cdata = false): void {
    if (this.#capture.parameter !== undefined) {
      this.#capture.add(text);
    } else if (this.#bodyElement === undefined && this.#section === 'body' && this.#depth === 2) {
      if (cdata || /[^ \t\r\n]/.test(text)) this.#bodyElement = { found: 'none' };
    }
  }

  // A comment, an instruction or an element inside a value is where a reader of strings gives up.
  #interrupt(): void {
    if (this.#capture.isReading) {
      throw this.#malformed(
        'Unexpected node type. ReadElementString method can only be called on elements with simple or empty content.',
      );
    }
  }

  #parserFailure(saxMessage: string, offset: number): EnvelopeException {
    // The parser closes an element before it finds that the end tag has another name.
    if (this.#bodyEnd === offset) this.#bodyElement = undefined;
    const message = parserMessage({
      text: this.#text,
      offset,
      saxMessage,
      openNames: this.#openNames.slice(0, this.#depth),
      lastClosed: {
        name: this.#openNames[this.#depth] ?? '',
        startTagEnd: this.#openEnds[this.#depth] ?? 0,
      },
    });
    return this.#malformed(message);
  }

  #malformed(message: string): EnvelopeException {
    return new EnvelopeException({ kind: 'malformed', message });
  }

  #unreadable(message: string): EnvelopeException {
    return new EnvelopeException({ kind: 'unreadable', message });
  }
}
