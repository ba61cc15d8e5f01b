import type { RawRequest, RawResponse } from '../../../../scripts/harness';
import type { HttpAnswer, HttpRequest } from '../../../../src/features/migration/messages';
import { type RecordedCase, requestOf } from '../../../conformance/recorded-case';

/** The host that requests name, so that documents of two servers have the same addresses. */
export const HOST = 'school.example';

/** A recorded request as it goes to any server. */
export function wireRequest(recordedCase: RecordedCase): RawRequest {
  const request = requestOf(recordedCase);
  const hasHost = (request.headers ?? []).some(([name]) => name.toLowerCase() === 'host');
  return hasHost ? request : { ...request, headers: [['Host', HOST], ...(request.headers ?? [])] };
}

/** Returns the same request as the verdict sees it. */
export function judgedRequest({ method = 'GET', path, headers = [], body = '' }: RawRequest): HttpRequest {
  return { method, target: path, headers, body: Buffer.from(body) };
}

/** A response as those who judge see it. */
export function answerOver({ status, headers, body }: RawResponse): HttpAnswer {
  return { status, headers, body };
}
