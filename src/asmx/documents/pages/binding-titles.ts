import type { Binding } from '../../contract';

export const bindingTitle: Readonly<Record<Binding, string>> = {
  soap11: 'SOAP 1.1',
  soap12: 'SOAP 1.2',
  get: 'HTTP GET',
  post: 'HTTP POST',
};
