import { escapeAttribute } from '../xml';

/**
 * The action of an operation: namespace, one slash, name, whether or not the namespace ends in a slash.
 */
export function soapAction(namespace: string, operation: string): string {
  return `${namespace.replace(/\/$/, '')}/${operation}`;
}

/**
 * Puts another namespace into a service description, soapAction values included.
 *
 * @param own the namespace that the document has
 */
export function withNamespace(document: string, own: string, namespace: string): string {
  // The name of an operation, which ends an action, is a name of XML: nothing in it is escaped.
  const actionsIn = (uri: string): string => `soapAction="${escapeAttribute(soapAction(uri, ''))}`;
  return document
    .replaceAll(actionsIn(own), () => actionsIn(namespace))
    .replaceAll(`"${escapeAttribute(own)}"`, () => `"${escapeAttribute(namespace)}"`);
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
