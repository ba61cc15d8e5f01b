import { html, type Html, NOTHING } from '../../../support/html';
import type { ServiceContract } from '../../contract/operation';
import type { HttpResponse } from '../../http/response';
import { CACHE_RESULT } from '../../http/response-headers';
import { type OperationHelp, readExamples, type ServiceHelp } from '../help';
import { clientSection } from './client-lines';
import {
  breakable,
  codeBlock,
  COPY_SCRIPT,
  documentLinks,
  type EndpointAddress,
  page,
  pageFile,
  serviceTitle,
  TOP,
} from './page';
import { signatureLine } from './sample-values';

export interface ServerText {
  readonly name: string;
  /** One or two sentences. */
  readonly description: string;
  readonly version: string;
}

/** Readiness of the server, with a word for it. */
export interface ServerState {
  readonly ready: boolean;
  readonly text: string;
}

/** An endpoint for the front page. */
interface ShownService {
  readonly contract: ServiceContract;
  readonly help: ServiceHelp | undefined;
}

/** Returns the front page: the server's name, state and endpoints. */
export function indexPage(
  services: readonly ShownService[],
  server: ServerText | undefined,
  readiness: ServerState | undefined,
): HttpResponse {
  const title = server?.name ?? 'Web Services';
  return page({
    status: 200,
    cacheControl: CACHE_RESULT,
    title,
    content: html`<h1>${title}</h1>
${server === undefined ? NOTHING : html`<p>${server.description}</p>\n`}${state(server, readiness)}\
<h2 id="services">Services</h2>
<ul class="cards" aria-labelledby="services">
${services.map(serviceCard)}</ul>`,
  });
}

function state(server: ServerText | undefined, readiness: ServerState | undefined): Html {
  const parts = [
    ...(readiness === undefined
      ? []
      : [html`State: <span class="${readiness.ready ? 'good' : 'bad'}">${readiness.text}</span>`]),
    ...(server === undefined ? [] : [html`Version: ${server.version}`]),
  ];
  const line = parts.map((part, index) => html`${index === 0 ? '' : ' · '}${part}`);
  return parts.length === 0 ? NOTHING : html`<p class="quiet">${line}</p>\n`;
}

function serviceCard({ contract: { name, path, operations }, help }: ShownService): Html {
  const file = path.slice(1);
  const entries = operations.map(
    (
      operation,
    ) => html`<li><a href="${file}?op=${encodeURIComponent(operation.name)}">${breakable(operation.name)}</a>
<span class="quiet">${help?.[operation.name]?.summary ?? ''}</span></li>
`,
  );
  return html`<li class="card">
<h3><a href="${file}">${breakable(name)}</a></h3>
<ul class="operations">
${entries}</ul>
<p class="quiet"><a href="${file}?WSDL"><code>${breakable(`${file}?WSDL`)}</code></a></p>
</li>
`;
}

/** Namespace that ASP.NET gives a service without one of its own, and advises developers to change. */
const DEFAULT_NAMESPACE = 'http://tempuri.org/';

/** Returns the page of an endpoint: its operations, its documents, and how to generate a proxy. */
export function servicePage(
  service: ServiceContract,
  help: ServiceHelp | undefined,
  address: EndpointAddress,
): HttpResponse {
  const file = pageFile(address);
  const operations = service.operations.map(
    (operation) => html`<li class="card">
<h3><a href="${file}?op=${encodeURIComponent(operation.name)}">${breakable(operation.name)}</a></h3>
${summary(help?.[operation.name])}${signatureLine(operation)}</li>
`,
  );
  return page({
    status: 200,
    cacheControl: CACHE_RESULT,
    title: serviceTitle(service),
    trail: [TOP],
    content: html`<h1>${breakable(service.name)}</h1>
<p>The following operations are supported. For a formal definition, please review the \
<a href="${file}?WSDL">Service Description</a>.</p>
<h2 id="operations">Operations</h2>
<ul class="cards" aria-labelledby="operations">
${operations}</ul>
<h2>Address</h2>
<div class="card">
${codeBlock('address', 'Endpoint', address.url)}${codeBlock('namespace', 'Namespace', service.namespace)}\
${documentLinks(file)}</div>
${service.operations
  .slice(0, 1)
  .map((operation) =>
    clientSection(service.name, operation, address.url, readExamples(help?.[operation.name])),
  )}${notice(service)}`,
    scripts: [COPY_SCRIPT],
  });
}

function summary(help: OperationHelp | undefined): Html {
  return help === undefined ? NOTHING : html`<p>${help.summary}</p>\n`;
}

function notice({ namespace }: ServiceContract): Html {
  if (namespace !== DEFAULT_NAMESPACE) return NOTHING;
  return html`<p class="quiet">This web service is using ${namespace} as its default namespace.</p>\n`;
}
