import { type HttpResponse, CACHE_RESULT } from '../../http';
import type { ServiceContract } from '../../contract';
import type { ServiceHelp } from '../help';
import { html, type Html, NOTHING } from './html';
import { page } from './page';
import { breakable } from './page-parts';

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

/** An endpoint as the front page shows it. */
export interface ShownService {
  readonly contract: ServiceContract;
  readonly help: ServiceHelp | undefined;
}

/** The front page: what this server is, how it is, and where its endpoints are. */
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
${server === undefined ? NOTHING : html`<p>${server.description}</p>\n`}${state(server, readiness)}<h2 id="services">Services</h2>
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
