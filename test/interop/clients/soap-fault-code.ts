import { SOAP_11, SOAP_12 } from '../../../scripts/harness';
import type { ClientBinding, SoapBinding } from '../client';

/** The code of a fault that the caller caused, as a qualified name: `{namespace}local`. */
export const CALLER_FAULT: Readonly<Record<SoapBinding, string>> = {
  soap11: `{${SOAP_11}}Client`,
  soap12: `{${SOAP_12}}Sender`,
};

/** Returns what proxies on WCF, .NET's and Mono's, make of a call that the service refuses. */
export function wcfFault(binding: SoapBinding): ClientBinding['fault'] {
  return (text) => ({
    kind: 'fault',
    type: 'System.ServiceModel.FaultException',
    code: CALLER_FAULT[binding],
    text,
    detail: null,
  });
}
