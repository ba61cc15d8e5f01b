import { findDecoder, readMediaType } from '../../asmx';
import { headerOf, headersOf, type HttpAnswer, type HttpRequest } from '../messages';
import { isPage } from './bodies';
import type { Difference, Part } from './verdict';

/** A request, and what both sides answered. */
interface JudgedExchange {
  readonly request: HttpRequest;
  readonly old: HttpAnswer;
  readonly ours: HttpAnswer;
}

/** One way in which the service differs on purpose from the servers that it replaces. */
interface KnownDifference {
  /** As the table in README.md calls it: the words of its first column. */
  readonly what: string;
  readonly reason: string;
  /** How pairs of answers show it; none where no pair does. */
  readonly shown: readonly KnownSigns[];
}

/** By what a difference is known. */
interface KnownSigns {
  /** Which exchanges have it. */
  readonly exchange: (exchange: JudgedExchange) => boolean;
  /** Which parts of those answers, and what there, differ so; all of them unless said. */
  readonly parts?: readonly Part[];
  readonly places?: RegExp;
}

/** Says of each difference that is one of a catalogue why it is there. */
export function withReasons(
  differences: readonly Difference[],
  exchange: JudgedExchange,
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

/** What is here is on purpose; the table in README.md has the same rows, in the same order. */
export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    what: 'A failure inside the service',
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
    reason: 'One request must not take the service down',
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
    reason: 'One request must not take the service down',
    shown: [
      {
        exchange: ({ ours }) => has(ours, 'Operation is not valid due to the current state of the object.'),
      },
    ],
  },
  {
    what: 'Names in XML, Content-Type',
    reason: 'One request must not take the service down',
    shown: [
      {
        exchange: ({ request, ours }) =>
          (ours.status === 500 && hasMatch(ours, /has a name of more than \d+ characters\./)) ||
          (ours.status === 400 && (headerOf(request, 'content-type') ?? '').length > 1024),
      },
    ],
  },
  {
    what: 'Bodies over 64 KB',
    reason: 'Memory has a bound; no good request is over 4 KB',
    shown: [
      {
        exchange: ({ request, ours }) => ours.status === 503 && request.body.length > 64 * 1024,
      },
    ],
  },
  {
    what: 'Requests of one connection sent at once',
    reason: 'One caller must not stop the others',
    shown: [],
  },
  {
    what: 'Callers that do not read, idle connections',
    reason: 'One caller must not stop the others',
    shown: [],
  },
  {
    what: '405; two Host headers',
    reason: 'As HTTP asks',
    shown: [
      {
        exchange: ({ old, ours }) => old.status === 405 && ours.status === 405,
        places: /^allow$/,
      },
      {
        exchange: ({ request, ours }) => ours.status === 400 && headersOf(request, 'host').length > 1,
      },
    ],
  },
  {
    what: 'Raw bytes above 0x7F in a URL, folded headers, `Transfer-Encoding: identity`',
    reason: 'Node.js refuses what HTTP forbids',
    shown: [
      {
        exchange: ({ request, ours }) =>
          ours.status === 400 &&
          (/[\u0080-\uffff]/.test(request.target) || headersOf(request, 'transfer-encoding').length > 0),
      },
    ],
  },
  {
    what: 'Text in `text/xml` without a charset',
    reason: 'Nothing readable is lost',
    shown: [
      {
        exchange: ({ request }) => isTextWithoutCharset(request),
        parts: ['body'],
      },
    ],
  },
  {
    what: 'Markup in a GET or POST value',
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
    reason: 'There are no script services',
    shown: [
      {
        exchange: ({ request }) =>
          readMediaType(headerOf(request, 'content-type')).name.trim() === 'application/json',
      },
    ],
  },
  {
    what: 'Case of `X.asmx` in a path',
    reason: 'As on Windows, on every system',
    shown: [
      {
        // Names of endpoints begin with a capital; a server that has none of them is not one to compare with.
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
    reason: "WCF's tools ask for it",
    shown: [
      {
        exchange: ({ request }) => /\?singlewsdl$/i.test(request.target),
      },
    ],
  },
  {
    what: 'Pages, descriptions, discovery documents',
    reason: 'Cheaper for proxies and browsers',
    shown: [
      {
        // What only differs in how it is compressed is compared as it reads.
        exchange: ({ ours }) => headerOf(ours, 'etag') !== undefined,
        places: /^(?:content-encoding|vary|etag)$/,
      },
      {
        exchange: ({ request, ours }) =>
          ours.status === 304 && headerOf(request, 'if-none-match') !== undefined,
      },
    ],
  },
  {
    what: 'Forwarded headers',
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
    reason: 'A page anywhere could use the browsers inside the network',
    shown: [
      {
        exchange: ({ request, ours }) =>
          request.headers.some(([name]) => /^(?:origin|sec-fetch-site)$/i.test(name)) &&
          (ours.status === 403 || hasMatch(ours, /another site/)),
      },
      // The CORS headers for an allowed site.
      {
        exchange: ({ request }) => headersOf(request, 'origin').length > 0,
        parts: ['header'],
        places: /^(?:access-control-.*|vary)$/,
      },
      {
        exchange: ({ request, ours }) =>
          request.method === 'OPTIONS' &&
          ours.status === 204 &&
          headersOf(request, 'access-control-request-method').length > 0,
      },
    ],
  },
  {
    what: '`Server`, `X-Powered-By`',
    reason: 'Nobody needs them',
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

/** Error texts are short: no more than this of a body is looked through. */
const MOST = 16 * 1024;

function hasMatch({ body }: HttpAnswer, pattern: RegExp): boolean {
  return pattern.test(body.toString('latin1', 0, MOST));
}

/** A body that ASP.NET reads as US-ASCII, and that is not. */
function isTextWithoutCharset(request: HttpRequest): boolean {
  const { name, charset } = readMediaType(headerOf(request, 'content-type'));
  const isUnnamed = charset === undefined || findDecoder(charset) === undefined;
  return name.startsWith('text/') && isUnnamed && request.body.some((byte) => byte >= 0x80);
}
