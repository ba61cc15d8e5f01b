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
  const actions = `soapAction="${escapeAttribute(soapAction(own, ''))}`;
  return document
    .split(actions)
    .map((piece, index) => (index === 0 ? piece : withAction(piece, namespace)))
    .join('soapAction="')
    .replaceAll(`"${escapeAttribute(own)}"`, () => `"${escapeAttribute(namespace)}"`);
}

// The name of an operation is a name of XML: nothing in it is escaped.
function withAction(piece: string, namespace: string): string {
  const end = piece.indexOf('"');
  return escapeAttribute(soapAction(namespace, piece.slice(0, end))) + piece.slice(end);
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
