import type { XmlNode } from '../trees';
import { type Fact, fact, plainFact } from './facts';

export const SCHEMA = 'http://www.w3.org/2001/XMLSchema';
/** Types in types that are followed, for a type may hold itself; and how many in all, for each may hold many. */
const DEEPEST = 12;
const MOST = 20_000;

/** The schemas of a description: what its elements and types look like to a caller. */
export class Schemas {
  /** Global declarations by kind and `{namespace}name`. */
  readonly #declared = new Map<string, { readonly node: XmlNode; readonly schema: XmlNode }>();

  #followed = 0;

  constructor(schemas: readonly XmlNode[]) {
    for (const schema of schemas) {
      const namespace = attributeOf(schema, 'targetNamespace') ?? '';
      for (const node of schema.children) {
        const name = attributeOf(node, 'name');
        if (name !== undefined) this.#declared.set(`${kindOf(node)} {${namespace}}${name}`, { node, schema });
      }
    }
  }

  /** The shape of a global element, by its `{namespace}name`; its name alone where nothing declares it. */
  element(name: string): Fact {
    const found = this.#declared.get(`element ${name}`);
    return found === undefined ? plainFact(name) : this.#elementFact(found.node, found.schema, name, 0);
  }

  /** The shape of a type, by its `{namespace}name`; its name alone where nothing declares it. */
  type(name: string, depth = 0): Fact {
    this.#followed += 1;
    const isBounded = depth < DEEPEST && this.#followed < MOST;
    const found = isBounded ? this.#declared.get(`type ${name}`) : undefined;
    if (found === undefined) return plainFact(name);
    // The name of a type is the caller's class: one of another name is another.
    const content = this.#content(found.node, found.schema, depth);
    return { ...content, value: [name, content.value ?? ''].join(' ').trimEnd() };
  }

  #elementFact(node: XmlNode, schema: XmlNode, name: string, depth: number): Fact {
    const inline = node.children.find((child) => kindOf(child) === 'type');
    const type = attributeOf(node, 'type');
    const shape =
      inline === undefined
        ? this.type(type ?? `{${SCHEMA}}anyType`, depth + 1)
        : this.#content(inline, schema, depth);
    const isNillable = ['true', '1'].includes(attributeOf(node, 'nillable') ?? '');
    const value = [name, shape.value ?? '', occurs(node), ...(isNillable ? ['nillable'] : [])];
    return { ...shape, value: value.filter((word) => word !== '').join(' ') };
  }

  /** What is in a type: elements, attributes, the type that it restricts or extends, the values that it takes. */
  #content(type: XmlNode, schema: XmlNode, depth: number): Fact {
    const parts: (readonly [string, Fact])[] = [];
    const words: string[] = [];
    const walk = (node: XmlNode): void => {
      for (const child of node.children) {
        if (child.namespace !== SCHEMA || child.local === 'annotation') continue;
        const name = attributeOf(child, 'name') ?? '';
        if (child.local === 'element') parts.push(this.#member(child, schema, depth));
        else if (child.local === 'attribute')
          parts.push([`@${name}`, plainFact(attributeOf(child, 'type') ?? '')]);
        else {
          const base = attributeOf(child, 'base');
          const value = attributeOf(child, 'value');
          if (base !== undefined) words.push(child.local, base);
          else if (value !== undefined) words.push(`${child.local}=${value}`);
          else if (
            child.local !== 'sequence' &&
            child.local !== 'simpleContent' &&
            child.local !== 'complexContent'
          ) {
            words.push(child.local);
          }
          walk(child);
        }
      }
    };
    walk(type);
    return fact(parts, words.join(' '), true);
  }

  /** An element inside a type: in the schema's namespace where its local elements are. */
  #member(node: XmlNode, schema: XmlNode, depth: number): readonly [string, Fact] {
    const ref = attributeOf(node, 'ref');
    if (ref !== undefined) return [localOf(ref), plainFact(`${ref} ${occurs(node)}`)];
    const local = attributeOf(node, 'name') ?? '';
    const form = attributeOf(node, 'form') ?? attributeOf(schema, 'elementFormDefault');
    const namespace = form === 'qualified' ? (attributeOf(schema, 'targetNamespace') ?? '') : '';
    return [local, this.#elementFact(node, schema, `{${namespace}}${local}`, depth)];
  }
}

function kindOf({ local }: XmlNode): string {
  return local === 'complexType' || local === 'simpleType' ? 'type' : local;
}

function occurs(node: XmlNode): string {
  return `${attributeOf(node, 'minOccurs') ?? '1'}..${attributeOf(node, 'maxOccurs') ?? '1'}`;
}

/** The value of an attribute in no namespace. */
export function attributeOf({ attributes }: XmlNode, wanted: string): string | undefined {
  return attributes.find(({ local, namespace }) => local === wanted && namespace === '')?.value;
}

/** The name of `{namespace}name`. */
export function localOf(name: string): string {
  return name.slice(name.lastIndexOf('}') + 1);
}
