import { type Header, type HttpRequest, NO_BODY } from '../messages';
import { actionOf, callElement, envelope, form, pairsOf, type SoapVersion, type Subject } from './subject';

/** A request of the probe, and what is special about it. */
export type Probe = readonly [name: string, request: HttpRequest];

export const FORM = 'application/x-www-form-urlencoded';

/** What a SOAP request has instead of what it should. `undefined` for a header leaves that out. */
export interface SoapChoice {
  readonly contentType?: string | undefined;
  /** The SOAPAction header, or all of them, as they stand. */
  readonly actions?: readonly string[];
  readonly body?: string | Buffer;
  /** Put behind the path. */
  readonly query?: string;
}

/** A SOAP request as .NET's proxies send it (wire contract, section 9), but for what is chosen. */
export function soapRequest(subject: Subject, version: SoapVersion, choice: SoapChoice = {}): HttpRequest {
  const action = actionOf(subject);
  const usual =
    version === 'soap11'
      ? 'text/xml; charset=utf-8'
      : `application/soap+xml; charset=utf-8; action="${action}"`;
  const contentType = 'contentType' in choice ? choice.contentType : usual;
  const actions = choice.actions ?? (version === 'soap11' ? [`"${action}"`] : []);
  const headers: Header[] = [
    ...(contentType === undefined ? [] : [['Content-Type', contentType] as const]),
    ...actions.map((value) => ['SOAPAction', value] as const),
  ];
  const body = choice.body ?? envelope(version, callElement(subject));
  return { method: 'POST', target: subject.path + (choice.query ?? ''), headers, body: Buffer.from(body) };
}

/** A call by a query. */
export function getRequest({ path }: Subject, name: string, query: string): HttpRequest {
  return request('GET', `${path}/${name}${query === '' ? '' : `?${query}`}`);
}

/** A call by a form. */
export function postRequest(
  { path }: Subject,
  name: string,
  body: string,
  contentType: string | undefined = FORM,
): HttpRequest {
  const headers: Header[] = contentType === '' ? [] : [['Content-Type', contentType]];
  return { method: 'POST', target: `${path}/${name}`, headers, body: Buffer.from(body, 'latin1') };
}

export function request(method: string, target: string): HttpRequest {
  return { method, target, headers: [], body: NO_BODY };
}

/** The calls that every client makes: the operation by each binding that offers it. */
export function plainCalls(subject: Subject): readonly Probe[] {
  const { name, bindings } = subject.operation;
  const fields = form(pairsOf(subject));
  const calls: readonly Probe[] = [
    ['soap11', soapRequest(subject, 'soap11')],
    ['soap12', soapRequest(subject, 'soap12')],
    ['get', getRequest(subject, name, fields)],
    ['post', postRequest(subject, name, fields)],
  ];
  return calls.filter(([binding]) => [...bindings].some((offered) => offered === binding));
}
