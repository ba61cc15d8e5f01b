import type { EnvelopeError } from './envelope-error';
import type { OperationContract } from '../contract';

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
  /** Values by parameter name; `null` where the request has no such element. */
  readonly parameters: Readonly<Record<string, string | null>>;
  /** Local name of the first header block that must be understood, or undefined. */
  readonly mustUnderstand: string | undefined;
  readonly error: EnvelopeError | undefined;
}

/** Finds the operation of a Body's first child by local name; the namespace is the reader's business. */
export type FindOperation = (name: string) => OperationContract | undefined;
