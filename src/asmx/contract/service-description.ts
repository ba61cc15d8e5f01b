import { escapeAttribute } from '../xml';

/** Namespace of the documents as they stand; an installation may give another. */
export const DOCUMENT_NAMESPACE = 'http://tempuri.org/';

/**
 * The action of an operation: namespace, one slash, name, whether or not the namespace ends in a slash.
 */
export function soapAction(namespace: string, operation: string): string {
  return `${namespace.replace(/\/$/, '')}/${operation}`;
}

/**
 * Puts an installation's namespace into a service description, soapAction values included.
 *
 * @param document the hand-written document, in {@link DOCUMENT_NAMESPACE}
 */
export function withNamespace(document: string, namespace: string): string {
  return document
    .replace(
      /(soapAction=")http:\/\/tempuri\.org\/([^"]*)(")/g,
      (_match, open: string, name: string, close: string) =>
        [open, escapeAttribute(soapAction(namespace, name)), close].join(''),
    )
    .replaceAll(`"${DOCUMENT_NAMESPACE}"`, () => `"${escapeAttribute(namespace)}"`);
}

/** A service description, ready to be published under any address. */
export class ServiceDescription {
  readonly #pieces: readonly string[];

  /** @param document the document in the installation's namespace, with absolute addresses */
  constructor(document: string) {
    // Addresses are absolute; an http:operation's location ("/AuthCode") is not one.
    this.#pieces = document.split(/(?<= location=")[a-z]+:\/\/[^"]*(?=")/);
  }

  /** @param address absolute URL of the endpoint */
  publish(address: string): string {
    return this.#pieces.join(escapeAttribute(address));
  }
}
