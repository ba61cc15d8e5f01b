import type { Binding } from '../operation';

/** In the order of ASP.NET's help page. */
export const BINDINGS: readonly Binding[] = ['soap11', 'soap12', 'get', 'post'];

export const bindingTitle: Readonly<Record<Binding, string>> = {
  soap11: 'SOAP 1.1',
  soap12: 'SOAP 1.2',
  get: 'HTTP GET',
  post: 'HTTP POST',
};
