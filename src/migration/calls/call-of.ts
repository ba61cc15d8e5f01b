import { decodeXmlBody, readMediaType } from '../../asmx';
import { headersOf, type HttpRequest } from '../messages';
import { type EnvelopeStart, readEnvelopeStart } from './envelope-start';

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
