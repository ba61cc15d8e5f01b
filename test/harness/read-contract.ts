import { descendants, parseXml, type XmlElement } from './xml-tree';

/** Name and type of a parameter or field; the type without its prefix, `[]` behind one that repeats. */
export type Typed = readonly [name: string, type: string];

export interface ContractOperation {
  readonly parameters: readonly Typed[];
  /** Fields of the response element; none for an operation without a result. */
  readonly results: readonly Typed[];
}

/** Operations by name. */
export type ContractOperations = Readonly<Record<string, ContractOperation>>;

/** Describes what a service description says, read without the help of the code under test. */
export interface Contract {
  /** Operations of every port type, by its name. */
  readonly portTypes: Readonly<Record<string, ContractOperations>>;
  /** Operation names of every binding, by its name. */
  readonly bindings: Readonly<Record<string, readonly string[]>>;
  /** Fields of every complex type, by its name. */
  readonly types: Readonly<Record<string, readonly Typed[]>>;
  /** Binding of every port, by its name. */
  readonly ports: Readonly<Record<string, string>>;
  /** SOAPAction of every SOAP operation. */
  readonly actions: readonly string[];
}

export function readContract(description: string): Contract {
  const root = parseXml(description);
  const named = (name: string): readonly XmlElement[] => root.children.filter((child) => child.name === name);
  return {
    portTypes: Object.fromEntries(named('portType').map((type) => [nameOf(type), operationsOf(type, root)])),
    bindings: Object.fromEntries(
      named('binding').map((binding) => [nameOf(binding), childNames(binding, 'operation')]),
    ),
    types: Object.fromEntries(namedTypes(root).map((type) => [nameOf(type), fieldsOf(type)])),
    ports: Object.fromEntries(
      descendants(root, 'port').map((port) => [nameOf(port), localName(port.attributes['binding'])]),
    ),
    actions: descendants(root, 'operation').flatMap(({ attributes }) => attributes['soapAction'] ?? []),
  };
}

function operationsOf(portType: XmlElement, root: XmlElement): ContractOperations {
  const operations = portType.children.filter(({ name }) => name === 'operation');
  return Object.fromEntries(
    operations.map((operation) => {
      const [input, output] = ['input', 'output'].map((direction) => {
        const reference = operation.children.find(({ name }) => name === direction);
        return partsOf(localName(reference?.attributes['message']), root);
      });
      return [nameOf(operation), { parameters: input ?? [], results: output ?? [] }];
    }),
  );
}

/** The parts of a message; a part that names a wrapper element stands for the fields of that element. */
function partsOf(message: string, root: XmlElement): readonly Typed[] {
  const found = root.children.find((child) => child.name === 'message' && nameOf(child) === message);
  if (found === undefined) throw new Error(`No message ${message}`);
  return found.children.flatMap((part): readonly Typed[] => {
    const { element, type } = part.attributes;
    if (element === undefined) return [[nameOf(part), localName(type)]];
    const declared = rootElement(localName(element), root);
    const inner = declared.children.find(({ name }) => name === 'complexType');
    return inner === undefined ? [[nameOf(part), localName(declared.attributes['type'])]] : fieldsOf(inner);
  });
}

function rootElement(name: string, root: XmlElement): XmlElement {
  const elements = descendants(root, 'schema').flatMap(({ children }) => children);
  const found = elements.find((element) => element.name === 'element' && nameOf(element) === name);
  if (found === undefined) throw new Error(`No element ${name}`);
  return found;
}

function namedTypes(root: XmlElement): readonly XmlElement[] {
  return descendants(root, 'complexType').filter(({ attributes }) => attributes['name'] !== undefined);
}

function fieldsOf(type: XmlElement): readonly Typed[] {
  return descendants(type, 'element').map(({ attributes }) => {
    const repeats = attributes['maxOccurs'] === 'unbounded' ? '[]' : '';
    return [attributes['name'] ?? '', localName(attributes['type']) + repeats];
  });
}

function childNames(element: XmlElement, name: string): readonly string[] {
  return element.children.filter((child) => child.name === name).map(nameOf);
}

function nameOf({ attributes }: XmlElement): string {
  return attributes['name'] ?? '';
}

function localName(qualified = ''): string {
  return qualified.slice(qualified.indexOf(':') + 1);
}
