const NAMES: ReadonlyMap<string, string> = new Map([
  ['soap11', 'SOAP 1.1'],
  ['soap12', 'SOAP 1.2'],
  ['get', 'GET'],
  ['post', 'POST'],
  ['document', 'page'],
]);

/** How a report calls the way in which a call came. */
export function bindingName(binding: string): string {
  return NAMES.get(binding) ?? binding;
}
