import type { ServiceContract } from '../../contract';
import { markup, type Markup } from './markup';
import type { Link } from './page';
import type { EndpointAddress } from './endpoint-address';

// Links are relative, so that they hold under any path that a proxy gives this server.

/** The front page, seen from an endpoint's page. */
export const TOP: Link = { text: 'All services', href: './' };

/** An endpoint's page, seen from itself and from its operations' pages. */
export function pageFile({ path }: EndpointAddress): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function serviceTitle({ name }: ServiceContract): string {
  return `${name} Web Service`;
}

/** The documents of an endpoint. */
export function documentLinks(file: string): Markup {
  return markup`<p class="links"><span class="quiet">Documents</span>
<a href="${file}?WSDL">Service Description</a>
<a href="${file}?disco">Discovery document</a></p>
`;
}
