import { SOAP_11, SOAP_12 } from '../../../scripts/harness';
import type { SoapBinding } from '../client';

/** The code of a fault that the caller caused, as a qualified name: `{namespace}local`. */
export const CALLER_FAULT: Readonly<Record<SoapBinding, string>> = {
  soap11: `{${SOAP_11}}Client`,
  soap12: `{${SOAP_12}}Sender`,
};
