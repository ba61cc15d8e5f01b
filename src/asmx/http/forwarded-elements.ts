import { splitOutsideQuotes } from './split-outside-quotes';

/** One element of a Forwarded header: what one proxy says of the request it got. */
export interface ForwardedElement {
  /** Address of the sender, without port and brackets; undefined where it is hidden or left out. */
  readonly for: string | undefined;
  readonly proto: string | undefined;
  readonly host: string | undefined;
}

/** Reads a Forwarded header (RFC 7239, section 4); several header lines arrive joined with commas. */
export function readForwardedElements(header: string): readonly ForwardedElement[] {
  return splitOutsideQuotes(header, ',').map((element) => {
    const pairs = new Map(splitOutsideQuotes(element, ';').map(readPair));
    const sender = pairs.get('for');
    return {
      for: sender === undefined ? undefined : withoutPort(sender),
      proto: pairs.get('proto'),
      host: pairs.get('host'),
    };
  });
}

function readPair(pair: string): readonly [name: string, value: string] {
  const equals = pair.indexOf('=');
  const value = pair.slice(equals + 1).trim();
  const text = value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
  return [pair.slice(0, Math.max(equals, 0)).trim().toLowerCase(), text];
}

// An IPv6 address stands in brackets, an IPv4 address may carry a port (RFC 7239, section 6).
function withoutPort(node: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(node)?.[1];
  return bracketed ?? node.replace(/:[^:]*$/, '');
}
