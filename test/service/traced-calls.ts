import { call, envelope11, form, soap11 } from '../../scripts/harness';

/** A caller's trace, as its headers carry it. */
export const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
export const CALLER = '00f067aa0ba902b7';
export const PARENT = ['traceparent', `00-${TRACE}-${CALLER}-01`] as const;
export const STATE = ['tracestate', 'vendor=1'] as const;

export const CODE = soap11(
  'AuthCodeSending',
  'AuthCode',
  envelope11(call('AuthCode', { code: '84021', phone: '+905551112233' })),
);
export const OTHER_CODE = form('AuthCodeSending', 'AuthCode', 'code=84022&phone=%2B905551112244');
