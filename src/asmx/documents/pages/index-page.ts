import { type HttpResponse, CACHE_RESULT } from '../../http';
import type { ServiceContract } from '../../contract';
import { html, type Html, NOTHING } from './html';
import { page } from './page';
import { documentLinks } from './endpoint-address';

/** What the front page says of the server as a whole. */
export interface ServerText {
  readonly name: string;
  /** One or two sentences. */
  readonly description: string;
  readonly version: string;
}

/** Whether the server can do its work, with a word that says so. */
export interface ServerState {
  readonly ready: boolean;
  readonly text: string;
}

/** The front page: what this server is, how it is, and where its endpoints are. */
export function indexPage(
  services: readonly ServiceContract[],
  server: ServerText | undefined,
  readiness: ServerState | undefined,
): HttpResponse {
  const title = server?.name ?? 'Web Services';
  return page({
    status: 200,
    cacheControl: CACHE_RESULT,
    title,
    content: html`<h1>${title}</h1>
${server === undefined ? NOTHING : html`<p>${server.description}</p>\n`}${state(server, readiness)}<h2 id="services">Services</h2>
<ul class="cards columns" aria-labelledby="services">
${services.map(serviceCard)}</ul>`,
  });
}

function state(server: ServerText | undefined, readiness: ServerState | undefined): Html {
  const rows = [
    readiness === undefined
      ? NOTHING
      : html`<tr><th scope="row">State</th><td class="${readiness.ready ? 'good' : 'bad'}">${readiness.text}</td></tr>\n`,
    server === undefined ? NOTHING : html`<tr><th scope="row">Version</th><td>${server.version}</td></tr>\n`,
    html`<tr><th scope="row">Bindings</th><td>SOAP 1.1, SOAP 1.2, HTTP GET, HTTP POST</td></tr>\n`,
  ];
  return html`<div class="card"><table aria-label="This server">
<tbody>
${rows}</tbody>
</table></div>
`;
}

function serviceCard({ name, path, operations }: ServiceContract): Html {
  const file = path.slice(1);
  const links = operations.map(
    (operation) => html`<a href="${file}?op=${encodeURIComponent(operation.name)}">${operation.name}</a>\n`,
  );
  return html`<li class="card">
<h3><a href="${file}">${name}</a></h3>
<p class="quiet"><code>${path}</code></p>
<p class="links"><span class="quiet">Operations</span>
${links}</p>
${documentLinks(file)}</li>
`;
}
