import {
  chunked,
  formatRequest,
  type RawRequest,
  type RawResponse,
  withConnection,
} from '../../../scripts/harness';
import type { Binding } from '../../../src/asmx';
import type { Client, ClientBinding } from '../client';
import { faultByHand, readExactAnswer } from './exact-answer';
import { type Manner, sendByHand } from './hand-written-request';

const BINDINGS: readonly Binding[] = ['soap11', 'soap12', 'get', 'post'];
const SOAP: readonly Binding[] = ['soap11', 'soap12'];
const WITH_BODY: readonly Binding[] = ['soap11', 'soap12', 'post'];
const XSD_STRING = ' xsi:type="xsd:string"';

/** Requests as the contract's samples show them, and nothing else in the answers. */
export const asTheContractShows: Client = manner('as the contract shows them', BINDINGS, {});

/** Portals that write their requests themselves: as the contract shows them, and as real stacks do. */
export const handWritten: readonly Client[] = [
  asTheContractShows,
  manner('SOAPAction unquoted', ['soap11'], {
    change: (request, action) => withHeader(request, 'SOAPAction', action),
  }),
  manner('SOAPAction absent', ['soap11'], { change: (request) => withHeader(request, 'SOAPAction') }),
  manner('action only in SOAPAction', ['soap12'], {
    change: (request, action) =>
      withHeader(
        withContentType(request, 'application/soap+xml; charset=utf-8'),
        'SOAPAction',
        `"${action}"`,
      ),
  }),
  manner('action unquoted', ['soap12'], {
    change: (request, action) =>
      withContentType(request, `application/soap+xml; charset=utf-8; action=${action}`),
  }),
  manner('no action', ['soap12'], {
    change: (request) => withContentType(request, 'application/soap+xml; charset=utf-8'),
  }),
  manner('charset=ISO-8859-1', SOAP, { change: inLatin1 }),
  manner('byte order mark', SOAP, {
    change: (request) => ({ ...request, body: `\uFEFF${textOf(request)}` }),
  }),
  manner('xsi:type on parameters', SOAP, { attributes: XSD_STRING }),
  manner('empty Header', SOAP, { header: '' }),
  manner('xsi:nil on parameters', SOAP, { absent: (name) => `<${name} xsi:nil="true" />` }),
  manner('chunked body', WITH_BODY, {
    change: (request) => ({
      ...withHeader(request, 'Transfer-Encoding', 'chunked'),
      body: chunked(...halves(textOf(request))),
    }),
  }),
  manner('Expect: 100-continue', WITH_BODY, {
    change: (request) => withHeader(request, 'Expect', '100-continue'),
    send: sendAfterContinue,
  }),
  manner('HTTP/1.0', BINDINGS, { change: (request) => ({ ...request, httpVersion: '1.0' }) }),
  manner('%uXXXX', ['get', 'post'], { encode: encodeAsUnits }),
  manner('form type with a charset', ['post'], {
    change: (request) => withContentType(request, 'application/x-www-form-urlencoded; charset=utf-8'),
  }),
];

function manner(name: string, bindings: readonly Binding[], how: Manner): Client {
  return {
    name: `by hand: ${name}`,
    tools: [],
    bindings: bindings.map((binding): ClientBinding => ({
      name: binding,
      leavesOut: how.absent === undefined,
      fault: (reason) => faultByHand(binding, reason),
      open: (address) => {
        const port = Number(new URL(address).port);
        return Promise.resolve({
          call: async (operation, args) =>
            readExactAnswer(binding, operation, await sendByHand(port, binding, operation, args, how)),
          close: () => Promise.resolve(),
        });
      },
    })),
  };
}

function textOf({ body = '' }: RawRequest): string {
  if (typeof body !== 'string') throw new Error('The body is not a text any more');
  return body;
}

/** The request with one header of that name, or with none. */
function withHeader(request: RawRequest, name: string, value?: string): RawRequest {
  const others = (request.headers ?? []).filter(([key]) => key !== name);
  return { ...request, headers: value === undefined ? others : [...others, [name, value]] };
}

function withContentType(request: RawRequest, value: string): RawRequest {
  return withHeader(request, 'Content-Type', value);
}

/** ISO-8859-1, with character references for what it does not have. */
function inLatin1(request: RawRequest): RawRequest {
  const [, type = ''] = request.headers?.find(([name]) => name === 'Content-Type') ?? [];
  const body = textOf(request)
    .replace('encoding="utf-8"', 'encoding="ISO-8859-1"')
    .replace(/[^\0-\u00FF]/gu, (character) => `&#${String(character.codePointAt(0))};`);
  return {
    ...withContentType(request, type.replace('charset=utf-8', 'charset=ISO-8859-1')),
    body: Buffer.from(body, 'latin1'),
  };
}

function halves(text: string): readonly string[] {
  const characters = Array.from(text);
  const middle = Math.floor(characters.length / 2);
  return [characters.slice(0, middle), characters.slice(middle)]
    .filter(({ length }) => length > 0) // An empty chunk would be the last.
    .map((part) => part.join(''));
}

/** As proxies of .NET do: every UTF-16 unit outside ASCII as `%uXXXX`. */
function encodeAsUnits(value: string): string {
  return value.replace(/[^]/g, (unit) => {
    const code = unit.charCodeAt(0);
    return code < 0x80 ? encodeURIComponent(unit) : `%u${code.toString(16).padStart(4, '0').toUpperCase()}`;
  });
}

/** Sends the head, and the body not before the server has asked for it. */
function sendAfterContinue(port: number, request: RawRequest): Promise<RawResponse> {
  return withConnection(port, async (connection) => {
    const bytes = formatRequest(request, `127.0.0.1:${String(port)}`);
    const headEnd = bytes.indexOf('\r\n\r\n') + 4;
    connection.write(bytes.subarray(0, headEnd));
    const { status } = await connection.read('POST');
    if (status !== 100) throw new Error(`HTTP ${String(status)} instead of 100 Continue`);
    connection.write(bytes.subarray(headEnd));
    return connection.readFinal('POST');
  });
}
