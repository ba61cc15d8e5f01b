import {
  decodeXmlBody,
  readMediaType,
  SOAP11_ENVELOPE,
  SOAP12_ENVELOPE,
  type XmlHandler,
  XmlReader,
} from '../asmx';
import { headersOf, type HttpRequest } from './messages';

const VERSIONS: Readonly<Record<string, 'soap11' | 'soap12'>> = {
  [SOAP11_ENVELOPE]: 'soap11',
  [SOAP12_ENVELOPE]: 'soap12',
};

/** What the beginning of a SOAP request says. */
interface EnvelopeStart {
  /** By the namespace of its envelope; undefined for no envelope, or another's. */
  readonly version: 'soap11' | 'soap12' | undefined;
  /** Local name of the first element in its body; undefined where it is not well-formed up to there, or has none. */
  readonly operation: string | undefined;
}

/** Thrown when the first element of the body has been told of. */
const FOUND = new Error('The rest is not read.');

/** Reads a SOAP request up to the element that names the operation. */
function readEnvelopeStart(text: string): EnvelopeStart {
  const start = new Start();
  try {
    new XmlReader(start).read(text);
  } catch {
    // The reader's errors, and ours: what was told up to there counts.
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
    // Of no interest.
  }

  interruption(): void {
    // Of no interest.
  }
}

/** How a request comes to an operation; `document` asks for a description or a page, `other` for nothing of these. */
export type CallBinding = 'soap11' | 'soap12' | 'get' | 'post' | 'document' | 'other';

/** What a request asks for, as far as it says. */
export interface Call {
  /** Name of the `.asmx` file, in lower case; empty where the path leads to none, or not plainly to one. */
  readonly endpoint: string;
  /** Empty where it is none, or none is named. */
  readonly operation: string;
  readonly binding: CallBinding;
  /** Every name that head and body give the operation: a server goes by one of them. Empty where one cannot be read. */
  readonly names: readonly string[];
}

const ENDPOINT = /^(?:\/[^/]*)*?\/([^/]+\.asmx)(\/.*)?$/is;
/** What servers read in different ways: dot segments, and what IIS takes for a slash or an end. */
const UNCLEAR = /\/\.{1,2}(?:\/|$)|[\\;\0]|\.asmx.*\.asmx/is;
const DOCUMENT_METHODS = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];

/** Finds out from path, head and body which operation a request calls, and by which binding. */
export function callOf(request: HttpRequest): Call {
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

/** Escapes decoded once, runs of slashes as one. */
function decodedPath(path: string): string {
  return path
    .replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\/{2,}/g, '/');
}

function soapCall(request: HttpRequest): Omit<Call, 'endpoint'> {
  const { name, charset, action } = readMediaType(headersOf(request, 'content-type').at(-1));
  const start = readEnvelopeStart(decodeXmlBody(request.body, charset));
  const actions = [...headersOf(request, 'soapaction'), ...(action === undefined ? [] : [action])].map(
    actionName,
  );
  const named = actions.filter((one) => one !== '');
  const binding = versionOf(start, name);
  // Servers of SOAP 1.2 go by the body alone.
  const [first, second] =
    binding === 'soap12' ? [start.operation, named.at(-1)] : [named.at(-1), start.operation];
  return {
    operation: first ?? second ?? '',
    binding,
    names: start.operation === undefined ? [] : [...named, start.operation],
  };
}

function versionOf({ version }: EnvelopeStart, mediaType: string): 'soap11' | 'soap12' {
  return version ?? (mediaType.trim() === 'application/soap+xml' ? 'soap12' : 'soap11');
}

/** What stands behind the namespace in an action, decoded, without its quotes. */
function actionName(action: string): string {
  const plain = decodedPath(action.replace(/^[\s"]+|(?<![\s"])[\s"]+$/g, ''));
  return plain.slice(plain.lastIndexOf('/') + 1);
}

/** The operations of an endpoint, by whether calling them sends something to people. */
interface EndpointOperations {
  /** Name of its file, such as `Scheduals.asmx`. */
  readonly file: string;
  readonly reads: readonly string[];
  readonly sends: readonly string[];
}

/**
 * `read` sends nothing; `send` sends something, or may do so; `foreign` is for none of the endpoints, so that nobody
 * knows what it does.
 */
type CallClass = 'read' | 'send' | 'foreign';

/** Knows which requests can be sent again without anybody getting a message. */
export class Sends {
  readonly #endpoints: ReadonlyMap<string, EndpointOperations>;

  constructor(endpoints: readonly EndpointOperations[]) {
    this.#endpoints = new Map(endpoints.map((endpoint) => [endpoint.file.toLowerCase(), endpoint]));
  }

  /** The operation as far as it is one of the endpoint's: a name that nobody knows may hold anything. */
  operationOf({ endpoint, operation }: Call): string {
    const { reads = [], sends = [] } = this.#endpoints.get(endpoint) ?? {};
    return [...reads, ...sends].includes(operation) ? operation : '';
  }

  /**
   * Of an endpoint that has operations that send, a call is one of them unless all that it says names one that reads:
   * servers may go by the head, the body or the path.
   */
  classOf({ endpoint, binding, names }: Call): CallClass {
    const operations = this.#endpoints.get(endpoint);
    if (operations === undefined) return 'foreign';
    if (binding === 'document' || operations.sends.length === 0) return 'read';
    const isRead = names.length > 0 && names.every((name) => operations.reads.includes(name));
    return isRead ? 'read' : 'send';
  }
}
