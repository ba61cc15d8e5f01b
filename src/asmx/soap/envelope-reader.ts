import {
  type BodyElement,
  toBounds,
  type EnvelopeError,
  EnvelopeException,
  type EnvelopeReading,
  type FindOperation,
  FOUND_ELEMENT,
  FOUND_NONE,
  refuseUnreadable,
  ValueReader,
} from './value-reader';
import type { OperationContract } from '../contract/operation';
import { errorMessages } from '../error-messages';
import { compileParts, type RecordParts } from '../types/compiled-types';
import type { ReadingRules } from '../types/plain-types';
import { SOAP11_ENVELOPE, SOAP12_ENVELOPE, type ValueFault, ValueFaultException } from './soap-fault';
import { textPosition, type XmlLimits, XmlSyntaxError } from '../xml/xml-syntax-error';
import type { XmlAttributes } from '../xml/xml-attributes';
import { type XmlHandler, XmlReader } from '../xml/xml-reader';

type EnvelopePart = 'none' | 'header' | 'body' | 'other';

/**
 * The strict reader that parses every SOAP request first: namespace-aware, one pass, no DTD, with limits on
 * depth, attributes, elements and names enforced while reading. It implements the wire contract, sections 3
 * and 5, and only collects findings: the binding decides which one takes precedence.
 *
 * An instance reads one request after the other, synchronously.
 */
export class EnvelopeReader implements XmlHandler {
  readonly #namespace: string;
  readonly #limits: XmlLimits;
  readonly #values: ValueReader;
  readonly #xml: XmlReader;
  readonly #parameters: ReadonlyMap<OperationContract, RecordParts>;

  // State of the current request.
  #text = '';
  #find: FindOperation = () => undefined;
  #operation: OperationContract | undefined;
  #rootNamespace: string | undefined;
  #bodyElement: BodyElement | undefined;
  #mustUnderstand: string | undefined;
  #section: EnvelopePart = 'none';
  #headerSeen = false;
  #bodySeen = false;
  #inOperation = false;
  #elements = 0;
  #depth = 0;

  /** @param operations the callable operations */
  constructor(
    namespace: string,
    limits: XmlLimits,
    rules: ReadingRules,
    operations: readonly OperationContract[],
  ) {
    this.#namespace = namespace;
    this.#limits = limits;
    this.#xml = new XmlReader(this, toBounds(limits));
    this.#values = new ValueReader(namespace, this.#xml);
    this.#parameters = new Map(
      operations.map((operation) => [
        operation,
        compileParts({ elements: operation.parameters, attributes: [] }, rules),
      ]),
    );
  }

  /**
   * Reads a request body.
   *
   * @param text the decoded body, without a byte order mark
   * @param operation the operation, if the headers name it
   * @param find finds the operation by Body's first child otherwise
   */
  read(text: string, operation: OperationContract | undefined, find: FindOperation): EnvelopeReading {
    this.#reset(text, operation, find);
    const error = this.#read(text);
    const reading = {
      rootNamespace: this.#rootNamespace,
      bodyElement: this.#bodyElement ?? { found: 'broken' as const },
      operation: this.#operation,
      parameters: this.#values.arguments,
      mustUnderstand: this.#mustUnderstand,
      error,
    };
    this.#forget();
    return reading;
  }

  /** @returns the reason why the envelope could not be read to its end */
  #read(text: string): EnvelopeError | undefined {
    try {
      this.#xml.read(text);
      this.#bodyElement ??= { found: 'missing-body' };
    } catch (exception) {
      if (exception instanceof XmlSyntaxError) return { kind: 'malformed', message: exception.message };
      if (exception instanceof EnvelopeException) return exception.error;
      if (exception instanceof ValueFaultException) return this.#unreadable(exception.fault);
      throw exception;
    }
    return undefined;
  }

  /** Forgets the request, so that the longest one does not stay until the next. */
  #forget(): void {
    this.#text = '';
    this.#rootNamespace = undefined;
    this.#mustUnderstand = undefined;
    this.#values.forget();
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
    this.#elements = 0;
    this.#depth = 0;
    this.#choose(operation);
  }

  #choose(operation: OperationContract | undefined): void {
    this.#operation = operation;
    this.#values.reset(operation && this.#parameters.get(operation));
  }

  startElement(local: string, namespace: string, attributes: XmlAttributes): void {
    this.#failOnFault();
    this.#elements += 1;
    if (this.#elements > this.#limits.xmlElements) {
      refuseUnreadable(`The request has more than ${String(this.#limits.xmlElements)} elements.`);
    }
    this.#depth += 1;
    const depth = this.#depth;
    if (depth > this.#limits.xmlDepth) {
      refuseUnreadable(`The request is nested deeper than ${String(this.#limits.xmlDepth)} elements.`);
    }
    if (depth === 1) this.#openRoot(local, namespace);
    else if (depth === 2) this.#openSection(local, namespace);
    else if (depth === 3 && this.#section === 'header') this.#openHeaderBlock(local, attributes);
    else if (depth === 3 && this.#section === 'body') this.#openBodyChild(local, namespace);
    else if (depth >= 4 && this.#inOperation) this.#values.openElement(local, namespace, attributes);
  }

  #openRoot(local: string, namespace: string): void {
    this.#rootNamespace = namespace;
    if (local !== 'Envelope') this.#bodyElement = { found: 'missing-envelope' };
  }

  // Only the first Header, and only before Body, belongs to the envelope; anything after Body is ignored.
  #openSection(local: string, namespace: string): void {
    this.#section = 'other';
    if (this.#bodySeen || namespace !== this.#rootNamespace) return;
    if (local === 'Body') {
      this.#section = 'body';
      this.#bodySeen = true;
    } else if (local === 'Header' && !this.#headerSeen) {
      this.#section = 'header';
      this.#headerSeen = true;
    }
  }

  // Regardless of its actor or role, and in either SOAP namespace (wire contract, section 3, step 6).
  #openHeaderBlock(local: string, attributes: XmlAttributes): void {
    if (this.#mustUnderstand !== undefined) return;
    attributes.forEach((name, namespace, value) => {
      if (name !== 'mustUnderstand') return;
      if (namespace !== SOAP11_ENVELOPE && namespace !== SOAP12_ENVELOPE) return;
      if (/^[ \t\r\n]*(?:1|true)[ \t\r\n]*$/.test(value)) this.#mustUnderstand = local;
    });
  }

  #openBodyChild(local: string, namespace: string): void {
    if (this.#bodyElement === undefined) {
      this.#bodyElement = FOUND_ELEMENT;
      if (this.#operation === undefined && namespace === this.#namespace) this.#choose(this.#find(local));
    }
    this.#inOperation = namespace === this.#namespace && local === this.#operation?.name;
    this.#values.openOperation();
  }

  endElement(isEmptyTag: boolean): void {
    this.#failOnFault();
    const depth = this.#depth;
    this.#depth = depth - 1;
    if (depth === 2 && this.#section === 'body') {
      this.#section = 'other';
      this.#bodyElement ??= FOUND_NONE;
    } else if (depth === 3) this.#inOperation = false;
    else if (depth >= 4 && this.#inOperation) this.#values.closeElement(isEmptyTag);
  }

  // ASP.NET's reader has moved to the next node by the time it detects an invalid value.
  #failOnFault(): void {
    const { fault } = this.#values;
    if (fault !== undefined) throw new ValueFaultException(fault);
  }

  #unreadable({ error, offset }: ValueFault): EnvelopeError {
    const { line, column } = textPosition(this.#text, skipOpening(this.#text, offset));
    const place = `There is an error in XML document (${String(line)}, ${String(column)}).`;
    return { kind: 'unreadable', message: [place, ...errorMessages(error)].join(' ---> ') };
  }

  characters(text: string, isCData: boolean): void {
    this.#failOnFault();
    if (this.#values.characters(text)) return;
    if (this.#bodyElement === undefined && this.#section === 'body' && this.#depth === 2) {
      if (isCData || /[^ \t\r\n]/.test(text)) this.#bodyElement = FOUND_NONE;
    }
  }

  interruption(): void {
    this.#failOnFault();
    this.#values.interruption();
  }
}

const OPENINGS = ['<!--', '<![CDATA[', '<?', '</', '<'];

/** Returns the position that .NET reports for a node: after its opening characters. */
function skipOpening(text: string, offset: number): number {
  return offset + (OPENINGS.find((opening) => text.startsWith(opening, offset))?.length ?? 0);
}
