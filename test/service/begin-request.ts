import type { ConnectionOptions } from 'node:tls';

import {
  formatRequest,
  RawConnection,
  type RawRequest,
  type ServiceProcess,
  token11,
  withHeaders,
} from '../../scripts/harness';

/**
 * Begins a request: its head is with the service, its body, the rest, is not.
 *
 * @param request - one with a body
 */
export async function beginRequest(
  service: Pick<ServiceProcess, 'port'>,
  { request = token11('DEV-1'), tls }: { request?: RawRequest; tls?: ConnectionOptions } = {},
): Promise<{ readonly connection: RawConnection; readonly rest: Buffer }> {
  const connection = await RawConnection.open(service.port, tls);
  const expecting = withHeaders(request, ['Expect', '100-continue'], ['Connection', 'keep-alive']);
  const bytes = formatRequest(expecting, `127.0.0.1:${String(service.port)}`);
  const headEnd = bytes.indexOf('\r\n\r\n') + 4;
  connection.write(bytes.subarray(0, headEnd));
  expect((await connection.read()).status).toBe(100);
  return { connection, rest: bytes.subarray(headEnd) };
}
