import type { PublicAddress } from '../../http';

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
