import { type HttpResponse, CACHE_RESULT } from '../../http';
import type { ServiceContract } from '../../contract';
import { examplesOf, type OperationHelp, type ServiceHelp } from '../help';
import { clientSection } from './client-section';
import { breakable, codeBlock, COPY_SCRIPT } from './page-parts';
import { html, type Html, NOTHING } from './html';
import { signatureLine } from './signature';
import { page } from './page';
import { documentLinks, type EndpointAddress, pageFile, serviceTitle, TOP } from './endpoint-address';

/** What ASP.NET takes for the namespace of a service that names none of its own, and tells its developers to change. */
const DEFAULT_NAMESPACE = 'http://tempuri.org/';

/** The page of an endpoint: its operations, its documents, and how to make a proxy. */
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
<p>The following operations are supported. For a formal definition, please review the <a href="${file}?WSDL">Service Description</a>.</p>
<h2 id="operations">Operations</h2>
<ul class="cards" aria-labelledby="operations">
${operations}</ul>
<h2>Address</h2>
<div class="card">
${codeBlock('address', 'Endpoint', address.url)}${codeBlock('namespace', 'Namespace', service.namespace)}${documentLinks(file)}</div>
${service.operations
  .slice(0, 1)
  .map((operation) =>
    clientSection(service.name, operation, address.url, examplesOf(help?.[operation.name])),
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
