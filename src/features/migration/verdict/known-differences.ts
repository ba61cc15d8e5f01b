import { findDecoder, readMediaType } from '../../../asmx/internal';
import { findHeader, findHeaders, type HttpAnswer, type HttpRequest } from '../messages';
import { isPage } from './bodies';
import type { Difference, Part } from './verdict';

interface ComparedExchange {
  readonly request: HttpRequest;
  readonly old: HttpAnswer;
  readonly ours: HttpAnswer;
}

/** An intended difference of the service from the servers that it replaces. */
interface KnownDifference {
  /** Heading in docs/reference/differences-from-asmx.md. */
  readonly what: string;
  /** Behaviour of ASMX, and of this service. */
  readonly asmx: string;
  readonly here: string;
  readonly reason: string;
  /** Signs in pairs of answers; empty if it is not visible there. */
  readonly shown: readonly KnownSigns[];
}

interface KnownSigns {
  /** Returns true for an exchange that has it. */
  readonly exchange: (exchange: ComparedExchange) => boolean;
  /** Parts of the answers that differ, and how; default: all parts. */
  readonly parts?: readonly Part[];
  readonly places?: RegExp;
}

/** Adds the reasons to the differences in the catalogue. */
export function withReasons(
  differences: readonly Difference[],
  exchange: ComparedExchange,
  catalogue: readonly KnownDifference[],
): readonly Difference[] {
  if (differences.length === 0) return differences;
  const known = catalogue.flatMap(({ shown, reason }) =>
    shown.filter((signs) => signs.exchange(exchange)).map((signs) => ({ ...signs, reason })),
  );
  return differences.map((difference) => {
    const found = known.find(
      ({ parts, places }) =>
        (parts?.includes(difference.part) ?? true) && (places?.test(difference.place) ?? true),
    );
    return found === undefined ? difference : { ...difference, known: found.reason };
  });
}

/** All intended differences; `npm run docs` writes docs/reference/differences-from-asmx.md from them. */
export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    what: 'A failure inside the service',
    asmx: "Shows the exception's message.",
    here: 'Shows `An error occurred on the server.` and logs the cause.',
    reason: 'Messages reveal internals and data',
    shown: [
      {
        exchange: ({ old, ours }) =>
          old.status === 500 && ours.status === 500 && has(ours, 'An error occurred on the server.'),
        parts: ['body'],
        places: /^\/$|\/(?:faultstring|Text)$/,
      },
    ],
  },
  {
    what: '`show_active` over SOAP',
    asmx: 'Accepts only a decimal code unit (`89` for `Y`).',
    here: 'Also accepts the character itself (`Y`). A single digit is read as that digit.',
    reason: 'Hand-written callers send the character',
    shown: [
      {
        exchange: ({ old, ours }) =>
          old.status === 500 && ours.status === 200 && has(old, 'Input string was not in a correct format.'),
      },
    ],
  },
  {
    what: 'XML depth, attributes, elements',
    asmx: 'Has no limit of its own.',
    here: 'At most 64 levels, 128 attributes of one and 100,000 elements. Beyond a limit: a client fault that names it.',
    reason: 'One request must not bring the service down',
    shown: [
      {
        exchange: ({ ours }) =>
          ours.status === 500 &&
          hasMatch(ours, /is nested deeper than \d+ elements|more than \d+ (?:attributes|elements)\./),
      },
    ],
  },
  {
    what: 'More than 1,000 keys in a query or form',
    asmx: 'Refuses the request.',
    here: 'Refuses the request with the same text.',
    reason: 'One request must not bring the service down',
    shown: [
      {
        exchange: ({ ours }) => has(ours, 'Operation is not valid due to the current state of the object.'),
      },
    ],
  },
  {
    what: 'Names in XML, Content-Type',
    asmx: 'Has no limit of its own.',
    here: 'Limits a name to 256 characters (client fault) and Content-Type to 1,024 (page with status 400).',
    reason: 'One request must not bring the service down',
    shown: [
      {
        exchange: ({ request, ours }) =>
          (ours.status === 500 && hasMatch(ours, /has a name of more than \d+ characters\./)) ||
          (ours.status === 400 && (findHeader(request, 'content-type') ?? '').length > 1024),
      },
    ],
  },
  {
    what: 'Bodies over 64 KB',
    asmx: 'Accepts any number at once.',
    here: 'Accepts 8 at once. The next one gets 503 with Retry-After.',
    reason: 'Bounds memory; no valid request is over 4 KB',
    shown: [
      {
        exchange: ({ request, ours }) => ours.status === 503 && request.body.length > 64 * 1024,
      },
    ],
  },
  {
    what: 'Requests of one connection sent at once',
    asmx: 'Depends on the host.',
    here: 'Processes one at a time. A malformed one is answered after those before it.',
    reason: 'One caller must not stop the others',
    shown: [],
  },
  {
    what: 'Callers that do not read, idle connections',
    asmx: 'Depends on the host.',
    here: 'Closes them after a time limit or when they hold too much. When all connections are busy: 503 with Retry-After.',
    reason: 'One caller must not stop the others',
    shown: [],
  },
  {
    what: '405; two Host headers',
    asmx: 'Sends no `Allow`; two Host headers depend on the host.',
    here: 'Sends `Allow: GET, POST`; answers two Host headers with 400.',
    reason: 'Required by HTTP',
    shown: [
      {
        exchange: ({ old, ours }) => old.status === 405 && ours.status === 405,
        places: /^allow$/,
      },
      {
        exchange: ({ request, ours }) => ours.status === 400 && findHeaders(request, 'host').length > 1,
      },
    ],
  },
  {
    what: 'Raw bytes above 0x7F in a URL, folded headers, `Transfer-Encoding: identity`',
    asmx: 'Reads them.',
    here: 'Answers 400 and logs the reason. A reverse proxy can encode raw queries before they arrive.',
    reason: 'Node.js refuses what HTTP forbids',
    shown: [
      {
        exchange: ({ request, ours }) =>
          ours.status === 400 &&
          (/[\u0080-\uffff]/.test(request.target) || findHeaders(request, 'transfer-encoding').length > 0),
      },
    ],
  },
  {
    what: 'Text in `text/xml` without a charset',
    asmx: 'Reads US-ASCII; other bytes become `?`.',
    here: 'Uses the byte order mark, then the XML declaration, then UTF-8.',
    reason: 'No readable text is lost',
    shown: [
      {
        exchange: ({ request }) => isTextWithoutCharset(request),
        parts: ['body'],
      },
    ],
  },
  {
    what: 'Markup in a GET or POST value',
    asmx: 'Request validation refuses it.',
    here: 'Accepts it like any other text.',
    reason: 'Names and notes may contain `<`',
    shown: [
      {
        exchange: ({ old }) =>
          old.status === 500 && hasMatch(old, /A potentially dangerous Request\.(?:QueryString|Form) value/),
      },
    ],
  },
  {
    what: '`%uXXXX` in a query',
    asmx: 'Depends on the host.',
    here: 'Decodes it, as in forms.',
    reason: '.NET proxies write it',
    shown: [
      {
        exchange: ({ request }) => /%u[0-9a-f]{4}/i.test(request.target.split('?').slice(1).join('?')),
        parts: ['body'],
      },
    ],
  },
  {
    what: '`application/json`',
    asmx: 'Passes it to the AJAX handler.',
    here: 'Answers 415 on the endpoint. On an operation: ignored over GET, refused over POST like any other wrong form type.',
    reason: 'Script services are not supported',
    shown: [
      {
        exchange: ({ request }) =>
          readMediaType(findHeader(request, 'content-type')).name.trim() === 'application/json',
      },
    ],
  },
  {
    what: 'Case of `X.asmx` in a path',
    asmx: 'Depends on the file system: ignored on Windows.',
    here: 'Ignores it.',
    reason: 'As on Windows, on every system',
    shown: [
      {
        // Names of endpoints begin with a capital; a server without any is not worth comparing.
        exchange: ({ request, old, ours }) =>
          old.status === 404 &&
          ours.status !== 404 &&
          /^[^?]*\.asmx(?:[/?]|$)/i.test(request.target) &&
          !/^[^?]*\/[A-Z][^/?]*\.asmx(?:[/?]|$)/.test(request.target),
      },
    ],
  },
  {
    what: '`?singleWsdl`',
    asmx: 'Answers with the page.',
    here: 'Answers with the service description.',
    reason: "WCF's tools ask for it",
    shown: [
      {
        exchange: ({ request }) => /\?singlewsdl$/i.test(request.target),
      },
    ],
  },
  {
    what: 'Pages, descriptions, discovery documents',
    asmx: 'Ignores Accept-Encoding.',
    here: 'Sends an entity tag, 304 to callers that have the document, and gzip to callers that accept it.',
    reason: 'Cheaper for proxies and browsers',
    shown: [
      {
        // Answers that differ only in their compression are compared decompressed.
        exchange: ({ ours }) => findHeader(ours, 'etag') !== undefined,
        places: /^(?:content-encoding|vary|etag)$/,
      },
      {
        exchange: ({ request, ours }) =>
          ours.status === 304 && findHeader(request, 'if-none-match') !== undefined,
      },
    ],
  },
  {
    what: 'Forwarded headers',
    asmx: 'Ignores them.',
    here: 'Uses them for addresses if `TRUST_PROXY` trusts the sender.',
    reason: 'Descriptions name the public address',
    shown: [
      {
        exchange: ({ request }) =>
          request.headers.some(([name]) => /^(?:x-forwarded-.*|forwarded)$/i.test(name)),
        parts: ['body'],
        places: /\/@(?:location|address|ref|docRef)$/,
      },
    ],
  },
  {
    what: 'HTML pages, `GET /`',
    asmx: "Shows ASP.NET's pages, and nothing at `/`.",
    here: 'Shows its own pages, and its endpoints at `/`.',
    reason: "ASP.NET's template is not public",
    shown: [
      {
        exchange: ({ old, ours }) => isPage(old) && isPage(ours),
        parts: ['body'],
      },
      { exchange: ({ request }) => request.target === '/' },
      // A server whose own page for an operation failed.
      {
        exchange: ({ request, old, ours }) =>
          old.status === 500 && isPage(ours) && /\?op=/i.test(request.target),
      },
    ],
  },
  {
    what: 'Security headers',
    asmx: 'Sends none.',
    here: 'Sends `X-Content-Type-Options` and a Content-Security-Policy with text and pages, `Referrer-Policy` with pages.',
    reason: 'They may contain text from a request',
    shown: [
      {
        exchange: () => true,
        parts: ['header'],
        places: /^(?:x-content-type-options|content-security-policy|referrer-policy)$/,
      },
    ],
  },
  {
    what: 'Calls from a page of another site',
    asmx: 'Serves them.',
    here: 'Answers 403, judged by `Sec-Fetch-Site` and `Origin`. Sites in `ALLOWED_ORIGINS` may call and read (CORS, without credentials).',
    reason: 'Any web page could use browsers inside the network',
    shown: [
      {
        exchange: ({ request, ours }) =>
          request.headers.some(([name]) => /^(?:origin|sec-fetch-site)$/i.test(name)) &&
          (ours.status === 403 || hasMatch(ours, /another site/)),
      },
      // The CORS headers for an allowed site.
      {
        exchange: ({ request }) => findHeaders(request, 'origin').length > 0,
        parts: ['header'],
        places: /^(?:access-control-.*|vary)$/,
      },
      {
        exchange: ({ request, ours }) =>
          request.method === 'OPTIONS' &&
          ours.status === 204 &&
          findHeaders(request, 'access-control-request-method').length > 0,
      },
    ],
  },
  {
    what: '`Server`, `X-Powered-By`',
    asmx: 'Sends them.',
    here: 'Does not send them.',
    reason: 'Not needed',
    shown: [
      {
        exchange: () => true,
        parts: ['header'],
        places: /^(?:server|x-powered-by)$/,
      },
    ],
  },
];

function has({ body }: HttpAnswer, text: string): boolean {
  return body.includes(text);
}

/** Maximum number of characters examined of a body: error texts are short. */
const MAX_SEARCHED_BYTES = 16 * 1024;

function hasMatch({ body }: HttpAnswer, pattern: RegExp): boolean {
  return pattern.test(body.toString('latin1', 0, MAX_SEARCHED_BYTES));
}

/** Matches a body that ASP.NET reads as US-ASCII although it is not. */
function isTextWithoutCharset(request: HttpRequest): boolean {
  const { name, charset } = readMediaType(findHeader(request, 'content-type'));
  const isUnnamed = charset === undefined || findDecoder(charset) === undefined;
  return name.startsWith('text/') && isUnnamed && request.body.some((byte) => byte >= 0x80);
}
