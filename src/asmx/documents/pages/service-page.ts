import { type HttpResponse, CACHE_RESULT } from '../../http';
import type { ServiceContract } from '../../contract';
import { codeBlock, COPY_SCRIPT, operationSignature, proxySection } from './page-parts';
import { html, type Html, NOTHING } from './html';
import { page } from './page';
import { documentLinks, type EndpointAddress, pageFile, serviceTitle, TOP } from './endpoint-address';

/** What ASP.NET takes for the namespace of a service that names none of its own, and tells its developers to change. */
const DEFAULT_NAMESPACE = 'http://tempuri.org/';

/** The page of an endpoint: its operations, its documents, and how to make a proxy. */
export function servicePage(service: ServiceContract, address: EndpointAddress): HttpResponse {
  const file = pageFile(address);
  const operations = service.operations.map(
    (operation) => html`<li class="card">
<h3><a href="${file}?op=${encodeURIComponent(operation.name)}">${operation.name}</a></h3>
${operationSignature(operation)}</li>
`,
  );
  return page({
    status: 200,
    cacheControl: CACHE_RESULT,
    title: serviceTitle(service),
    trail: [TOP],
    content: html`<h1>${service.name}</h1>
<p>The following operations are supported. For a formal definition, please review the <a href="${file}?WSDL">Service Description</a>.</p>
<h2 id="operations">Operations</h2>
<ul class="cards" aria-labelledby="operations">
${operations}</ul>
<h2>Address</h2>
<div class="card">
${codeBlock('address', 'Endpoint', address.url)}${codeBlock('namespace', 'Namespace', service.namespace)}${documentLinks(file)}</div>
${proxySection(service.name, address.url)}${notice(service)}`,
    scripts: [COPY_SCRIPT],
  });
}

function notice({ namespace }: ServiceContract): Html {
  if (namespace !== DEFAULT_NAMESPACE) return NOTHING;
  return html`<p class="quiet">This web service is using ${namespace} as its default namespace.</p>\n`;
}
