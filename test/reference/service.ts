import { type AsmxServer, type AsmxServerOptions, startAsmxServer } from '../harness/asmx-server';
import { REFERENCE_ENDPOINTS } from './endpoints';
import { TYPES_ENDPOINT } from './types-endpoint';

/**
 * Starts the service behind the recorded exchanges: the same protocol as the school's service, with handlers
 * of fixed answers. It reads char parameters strictly, as ASP.NET does, unless an option says otherwise.
 */
export function startReference(options: Omit<AsmxServerOptions, 'endpoints'> = {}): Promise<AsmxServer> {
  return startAsmxServer({
    charReading: 'strict',
    ...options,
    endpoints: [...REFERENCE_ENDPOINTS, TYPES_ENDPOINT],
  });
}
