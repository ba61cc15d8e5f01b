import type { Exchange } from '../../src/asmx';

/** A call that was answered. */
export const AN_EXCHANGE: Exchange = {
  requestId: 'r-1',
  method: 'GET',
  endpoint: 'AuthCodeSending',
  operation: 'AuthCode',
  binding: 'get',
  caller: undefined,
  refusal: undefined,
  reason: undefined,
  status: 200,
  outcome: 'ok',
  durationMs: 20,
  fields: {},
  error: undefined,
};
