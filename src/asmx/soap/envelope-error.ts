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
