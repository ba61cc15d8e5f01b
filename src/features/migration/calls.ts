import {
  decodeXmlBody,
  readMediaType,
  SOAP11_ENVELOPE,
  SOAP12_ENVELOPE,
  type XmlHandler,
  XmlReader,
} from '../../asmx/internal';
import { findHeaders, type HttpRequest } from './messages';

const VERSIONS: Readonly<Record<string, 'soap11' | 'soap12'>> = {
  [SOAP11_ENVELOPE]: 'soap11',
  [SOAP12_ENVELOPE]: 'soap12',
};

/** Beginning of a SOAP request. */
interface EnvelopeStart {
  /** SOAP version by the envelope's namespace; undefined for no envelope, or an unknown one. */
  readonly version: 'soap11' | 'soap12' | undefined;
  /**
   * Local name of the first element in the body; undefined without one, or if the text is malformed before
   * it.
   */
  readonly operation: string | undefined;
}

/** Thrown once the first element of the body has been found. */
const FOUND = new Error('The rest is not read.');

/** Reads a SOAP request up to the element that names the operation. */
function readEnvelopeStart(text: string): EnvelopeStart {
  const start = new Start();
  try {
    new XmlReader(start).read(text);
  } catch {
    // The reader's errors, and ours: the results so far count.
  }
  return start;
}

class Start implements XmlHandler {
  version: EnvelopeStart['version'];
  operation: string | undefined;
  #namespace = '';
  #depth = 0;
  #inBody = false;

  startElement(local: string, namespace: string): void {
    this.#depth += 1;
    if (this.#depth === 1) [this.#namespace, this.version] = [namespace, VERSIONS[namespace]];
    else if (this.#depth === 2) this.#inBody = local === 'Body' && namespace === this.#namespace;
    else if (this.#depth === 3 && this.#inBody) {
      this.operation = local;
      throw FOUND;
    }
  }

  endElement(): void {
    this.#depth -= 1;
  }

  characters(): void {
    // Ignored.
  }

  interruption(): void {
    // Ignored.
  }
}

/**
 * Binding over which a request calls an operation; `document` is a request for a description or a page,
 * `other` anything else.
 */
export type CallBinding = 'soap11' | 'soap12' | 'get' | 'post' | 'document' | 'other';

/** Target of a request, as far as the request names it. */
export interface Call {
  /** Name of the `.asmx` file, in lower case; empty if the path leads to none, or is ambiguous. */
  readonly endpoint: string;
  /** Empty if there is none, or none is named. */
  readonly operation: string;
  readonly binding: CallBinding;
  /** Every operation name in head and body: the server uses one of them. Empty if one cannot be read. */
  readonly names: readonly string[];
}

const ENDPOINT = /^(?:\/[^/]*)*?\/([^/]+\.asmx)(\/.*)?$/is;
/**
 * Matches paths that servers interpret differently: with dot segments, or characters that IIS takes for a
 * slash or an end.
 */
const UNCLEAR = /\/\.{1,2}(?:\/|$)|[\\;\0]|\.asmx.*\.asmx/is;
const DOCUMENT_METHODS = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];

/** Determines from path, head and body which operation a request calls, and over which binding. */
export function parseCall(request: HttpRequest): Call {
  const { method, target } = request;
  const path = decodedPath(target.split('?', 1)[0] ?? '');
  const [, file = '', pathInfo = ''] = UNCLEAR.test(path) ? [] : (ENDPOINT.exec(path) ?? []);
  const endpoint = file.toLowerCase();
  if (pathInfo !== '') {
    const operation = pathInfo.slice(1);
    const binding = method === 'GET' ? 'get' : method === 'POST' ? 'post' : 'other';
    return { endpoint, operation, binding, names: [operation] };
  }
  if (endpoint !== '' && method === 'POST') return { endpoint, ...soapCall(request) };
  const binding = DOCUMENT_METHODS.includes(method) ? 'document' : 'other';
  return { endpoint, operation: '', binding, names: [] };
}

/** Decodes escapes once, and merges runs of slashes. */
function decodedPath(path: string): string {
  return path
    .replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\/{2,}/g, '/');
}

function soapCall(request: HttpRequest): Omit<Call, 'endpoint'> {
  const { name, charset, action } = readMediaType(findHeaders(request, 'content-type').at(-1));
  const start = readEnvelopeStart(decodeXmlBody(request.body, charset));
  const actions = [...findHeaders(request, 'soapaction'), ...(action === undefined ? [] : [action])].map(
    actionName,
  );
  const named = actions.filter((one) => one !== '');
  const binding = findVersion(start, name);
  // SOAP 1.2 servers use the body alone.
  const [first, second] =
    binding === 'soap12' ? [start.operation, named.at(-1)] : [named.at(-1), start.operation];
  return {
    operation: first ?? second ?? '',
    binding,
    names: start.operation === undefined ? [] : [...named, start.operation],
  };
}

function findVersion({ version }: EnvelopeStart, mediaType: string): 'soap11' | 'soap12' {
  return version ?? (mediaType.trim() === 'application/soap+xml' ? 'soap12' : 'soap11');
}

/** Returns the operation name in an action, decoded, without namespace and quotes. */
function actionName(action: string): string {
  const plain = decodedPath(action.replace(/^[\s"]+|(?<![\s"])[\s"]+$/g, ''));
  return plain.slice(plain.lastIndexOf('/') + 1);
}

/** Operations of an endpoint, by whether they send something to people. */
interface EndpointOperations {
  /** Name of its file, such as `Scheduals.asmx`. */
  readonly file: string;
  readonly reads: readonly string[];
  readonly sends: readonly string[];
}

/**
 * `read` sends nothing; `send` sends something, or may do so; `foreign` is for none of the endpoints, so its
 * effect is unknown.
 */
type CallClass = 'read' | 'send' | 'foreign';

/** Decides which requests can be repeated without sending anyone a message. */
export class Sends {
  readonly #endpoints: ReadonlyMap<string, EndpointOperations>;

  constructor(endpoints: readonly EndpointOperations[]) {
    this.#endpoints = new Map(endpoints.map((endpoint) => [endpoint.file.toLowerCase(), endpoint]));
  }

  /** Returns the operation if the endpoint has it, else empty: an unknown name may contain anything. */
  findOperation({ endpoint, operation }: Call): string {
    const { reads = [], sends = [] } = this.#endpoints.get(endpoint) ?? {};
    // The endpoint's own text: the caller's is a part of its request, which a metric would keep in memory.
    return [...reads, ...sends].find((name) => name === operation) ?? '';
  }

  /**
   * Classifies a call. At an endpoint with sending operations, it counts as sending unless every name in
   * head, body and path is that of a reading one: servers may use any of them.
   */
  classify({ endpoint, binding, names }: Call): CallClass {
    const operations = this.#endpoints.get(endpoint);
    if (operations === undefined) return 'foreign';
    if (binding === 'document' || operations.sends.length === 0) return 'read';
    const isRead = names.length > 0 && names.every((name) => operations.reads.includes(name));
    return isRead ? 'read' : 'send';
  }
}
