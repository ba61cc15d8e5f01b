/** Error of Node's parser for a request that it rejects. */
export type ParserError = NodeJS.ErrnoException & {
  readonly rawPacket?: Buffer;
  /** Offset in the packet at which the parser stopped. */
  readonly bytesParsed?: number;
};

const NOT_HTTP = 'The request is not HTTP.';

/**
 * Returns why a request could not be read, for the log: IIS accepts some requests that Node's parser rejects, and an
 * operator who migrates from IIS must be able to find them. The texts are fixed and quote nothing from the request.
 */
export function unreadableReason(error: ParserError): string {
  const { code = '', rawPacket = NO_BYTES, bytesParsed = 0 } = error;
  return REASONS[code]?.(rawPacket, bytesParsed) ?? NOT_HTTP;
}

const NO_BYTES = Buffer.alloc(0);

type Reason = (packet: Buffer, stoppedAt: number) => string | undefined;

const REASONS: Readonly<Record<string, Reason>> = {
  HPE_INVALID_URL: rawBytes,
  HPE_INVALID_HEADER_TOKEN: foldedHeader,
  HPE_INVALID_TRANSFER_ENCODING: identityCoding,
  HPE_INVALID_CONTENT_LENGTH: identityCoding,
};

/**
 * Finds raw non-ASCII bytes, which old browsers, VB6 and hand-written clients send; http.sys and ASP.NET read them as
 * UTF-8.
 */
function rawBytes(packet: Buffer, stoppedAt: number): string | undefined {
  if ((packet[stoppedAt] ?? 0) < 0x80) return undefined;
  const line = packet.subarray(packet.lastIndexOf('\n', stoppedAt) + 1, stoppedAt);
  return line.includes('?') ? 'The query holds raw non-ASCII bytes.' : 'The path holds raw non-ASCII bytes.';
}

/** Finds a folded header, as Java 6 to 8 write long ones (RFC 9112, section 5.2). */
function foldedHeader(packet: Buffer, stoppedAt: number): string | undefined {
  const isBlank = packet[stoppedAt] === 0x20 || packet[stoppedAt] === 0x09;
  const isLineStart = stoppedAt === 0 || packet[stoppedAt - 1] === 0x0a;
  return isBlank && isLineStart ? 'A header is folded over two lines.' : undefined;
}

/** Finds the transfer coding `identity`, which RFC 2616 had and RFC 9112 no longer has. */
function identityCoding(packet: Buffer): string | undefined {
  const isIdentity = /^transfer-encoding:[ \t]*identity[ \t]*$/im.test(packet.toString('latin1', 0, 16_384));
  return isIdentity ? 'The request has Transfer-Encoding: identity.' : undefined;
}
