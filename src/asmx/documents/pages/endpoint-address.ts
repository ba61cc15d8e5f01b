import type { ServiceContract } from '../../contract';
import type { PublicAddress } from '../../http';
import { html, type Html } from './html';
import type { Link } from './page';

/** Where an endpoint is, as its page names it. */
export interface EndpointAddress extends PublicAddress {
  /** Path of the endpoint, prefix included. */
  readonly path: string;
  /** All of it, as one absolute URL. */
  readonly url: string;
}

/** @param path the endpoint's path on this server, as requested */
export function endpointAddress(server: PublicAddress, path: string): EndpointAddress {
  const { protocol, authority, prefix } = server;
  const fullPath = prefix + encodeURI(path);
  return { ...server, path: fullPath, url: `${protocol}://${authority}${fullPath}` };
}

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
export function documentLinks(file: string): Html {
  return html`<p class="links"><span class="quiet">Documents</span>
<a href="${file}?WSDL">Service Description</a>
<a href="${file}?disco">Discovery document</a></p>
`;
}
