import { METHODS } from 'node:http';

import type { Logger } from 'pino';

import type { RequestRecord } from './request-record';

/** Any other method is a caller's own text, as long as a caller likes. */
const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);

/**
 * Writes the one log line of a request: `error` where the service failed, `info` otherwise.
 *
 * @param failure - what went wrong on our side; goes into the line, undefined for nothing
 */
export function logRequest(logger: Logger, record: RequestRecord, failure: unknown): void {
  const line = {
    ...record.fields,
    requestId: record.requestId,
    method: KNOWN_METHODS.has(record.method) ? record.method : 'other',
    endpoint: record.endpoint,
    operation: record.operation,
    binding: record.binding,
    status: record.status,
    outcome: record.outcome,
    durationMs: Math.round(record.durationMs * 1000) / 1000,
    err: failure,
  };
  if (record.outcome === 'server_error') logger.error(line, 'request failed');
  else logger.info(line, 'request');
}
