import { SOAP_11, SOAP_12 } from '../../../scripts/harness';
import type { SoapBindingName } from '../operations';

/** The code of a fault that the caller caused, as a qualified name: `{namespace}local`. */
export const CALLER_FAULT: Readonly<Record<SoapBindingName, string>> = {
  'SOAP 1.1': `{${SOAP_11}}Client`,
  'SOAP 1.2': `{${SOAP_12}}Sender`,
};
