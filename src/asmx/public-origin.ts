import type { Request } from 'express';

/**
 * The origin under which a caller reached this server: `http://host:port`. Forwarded headers count only where
 * the application's "trust proxy" setting says so; a default port is left out.
 */
export function publicOrigin(request: Request): string {
  // HTTP/1.0 knows requests without a Host header.
  const host = request.host as string | undefined;
  const { localAddress = 'localhost', localPort = 0 } = request.socket;
  const authority =
    host ?? `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${String(localPort)}`;
  const defaultPort = request.protocol === 'https' ? ':443' : ':80';
  return `${request.protocol}://${authority.endsWith(defaultPort) ? authority.slice(0, -defaultPort.length) : authority}`;
}
