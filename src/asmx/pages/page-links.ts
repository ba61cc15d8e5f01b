import type { ServiceContract } from '../service-contract';
import type { Link } from './page';
import type { EndpointAddress } from './sample-messages';

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
