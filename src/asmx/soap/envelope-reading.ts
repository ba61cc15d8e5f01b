import type { OperationArguments, OperationContract } from '../contract';
import type { XmlBounds, XmlLimits } from '../xml';

/** How far the search for the operation's element came: the first child of Body names it. */
export type BodyElement =
  | { readonly found: 'element' }
  /** Body holds no element, or text before it. */
  | { readonly found: 'none' }
  | { readonly found: 'missing-envelope' }
  | { readonly found: 'missing-body' }
  /** The text ended or broke before Body's first child. */
  | { readonly found: 'broken' };

export const FOUND_ELEMENT: BodyElement = { found: 'element' };
export const FOUND_NONE: BodyElement = { found: 'none' };

/** What one pass over a request body yields. */
export interface EnvelopeReading {
  /** Namespace of the root element; undefined when no root element could be read. */
  readonly rootNamespace: string | undefined;
  readonly bodyElement: BodyElement;
  /** The operation that the request names: the one given, or the one of Body's first child. */
  readonly operation: OperationContract | undefined;
  readonly parameters: OperationArguments;
  /** Local name of the first header block that must be understood, or undefined. */
  readonly mustUnderstand: string | undefined;
  readonly error: EnvelopeError | undefined;
}

/** Finds the operation of a Body's first child by local name; the namespace is the reader's business. */
export type FindOperation = (name: string) => OperationContract | undefined;

/** Why an envelope could not be read to its end; at most one is found in a request, the first in its text. */
export type EnvelopeError =
  /** Not well-formed, or a value that no reader of strings would take; `message` is the parser's. */
  | { readonly kind: 'malformed'; readonly message: string }
  /** Well-formed but unusable, told to the caller as it stands. */
  | { readonly kind: 'unreadable'; readonly message: string };

/** A value that holds another kind of node than text. */
export const UNEXPECTED_NODE: EnvelopeError = {
  kind: 'malformed',
  message:
    'Unexpected node type. ReadElementString method can only be called on elements with simple or empty content.',
};

/** Carries an {@link EnvelopeError} out of the parser's event handlers. */
export class EnvelopeException extends Error {
  override readonly name = 'EnvelopeException';

  constructor(readonly error: EnvelopeError) {
    super(error.message);
  }
}

/** @throws EnvelopeException always */
export function refuseUnreadable(message: string): never {
  throw new EnvelopeException({ kind: 'unreadable', message });
}

/** The bounds of the reader of XML, which refuses what is beyond them as unreadable. */
export function boundsOf(limits: XmlLimits): XmlBounds {
  const tooMuch = {
    attributes: `The request has an element with more than ${String(limits.xmlAttributes)} attributes.`,
    name: `The request has a name of more than ${String(limits.xmlNameCharacters)} characters.`,
  };
  return { ...limits, refuse: (what) => refuseUnreadable(tooMuch[what]) };
}
