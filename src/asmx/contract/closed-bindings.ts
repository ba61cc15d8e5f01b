/** The bindings that an operation can be closed for, by what names of ports, port types and messages hold. */
const PARTS = { get: 'HttpGet', post: 'HttpPost' } as const;

export type ClosableBinding = keyof typeof PARTS;

/**
 * Leaves operations out of bindings of a service description, and bindings in which nothing is left: a document as
 * ASP.NET would publish it of a service without them.
 *
 * @param closed bindings by operation
 */
export function withoutBindings(
  document: string,
  closed: Readonly<Record<string, readonly ClosableBinding[]>>,
): string {
  const cuts = Object.entries(closed).flatMap(([operation, bindings]) =>
    bindings.map((binding) => ({ operation, part: PARTS[binding] })),
  );
  const left = cuts.reduce(
    (text, { operation, part }) =>
      ['portType', 'binding']
        .reduce((whole, section) => cutOperation(whole, section, part, operation), text)
        .replace(elementOf('message', `${operation}${part}In`), '')
        .replace(elementOf('message', `${operation}${part}Out`), ''),
    document,
  );
  return Object.values(PARTS).reduce(cutEmptyPort, left);
}

function cutOperation(document: string, section: string, part: string, operation: string): string {
  return document.replace(elementOf(section, `\\w+${part}`), (element) =>
    element.replace(elementOf('operation', operation), ''),
  );
}

function cutEmptyPort(document: string, part: string): string {
  const portType = elementOf('portType', `\\w+${part}`).exec(document)?.[0];
  if (portType === undefined || portType.includes('operation')) return document;
  return ['portType', 'binding', 'port'].reduce(
    (text, name) => text.replace(elementOf(name, `\\w+${part}`), ''),
    document,
  );
}

/** An element of WSDL by its name, with the blanks before it; its content holds no other of the same element. */
function elementOf(element: string, name: string): RegExp {
  return new RegExp(
    `[ \\t]*<wsdl:${element} name="${name}"(?:[^>]*/>|[^>]*>[^]*?</wsdl:${element}>)[ \\t]*\\r?\\n?`,
  );
}
