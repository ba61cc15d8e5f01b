import type { XmlNode } from '../trees';

/** How the children of one element go with those of the other. */
export interface Pairing {
  /** Of the same local name; equal ones are one object. */
  readonly pairs: readonly (readonly [old: XmlNode, ours: XmlNode])[];
  readonly missing: readonly XmlNode[];
  readonly added: readonly XmlNode[];
  /** Whether the pairs stand in the same order on both sides. */
  readonly isInOrder: boolean;
}

/** Undefined where a child is not looked for. */
type Key = number | string | undefined;

/** The children of one side that have no partner yet. */
class Waiting {
  readonly #at: Map<number | string, number[]>;
  readonly #taken: Set<number>;

  constructor(nodes: readonly XmlNode[], taken: Set<number>, keyOf: (node: XmlNode) => Key) {
    this.#taken = taken;
    this.#at = new Map();
    // From the last, so that taking from the end takes the first.
    for (let index = nodes.length - 1; index >= 0; index -= 1) {
      const node = nodes[index];
      if (node === undefined || taken.has(index)) continue;
      const key = keyOf(node);
      if (key === undefined) continue;
      const others = this.#at.get(key);
      if (others === undefined) this.#at.set(key, [index]);
      else others.push(index);
    }
  }

  take(key: number | string): number | undefined {
    const index = this.#at.get(key)?.pop();
    if (index !== undefined) this.#taken.add(index);
    return index;
  }
}

/**
 * By what children find each other: equal ones, those equal but for order, those of one name that begin with the same
 * (an item of a list with its id), those of one name, of one local name.
 */
const KEYS: readonly ((node: XmlNode) => Key)[] = [
  ({ id }) => id,
  ({ unordered }) => unordered,
  ({ namespace, local, children: [first] }) =>
    first === undefined ? undefined : `${namespace}\0${local}\0${String(first.id)}`,
  ({ namespace, local }) => `${namespace}\0${local}`,
  ({ local }) => local,
];

/** Pairs the children of two elements; the time is in proportion to their number. */
export function pairUp(old: readonly XmlNode[], ours: readonly XmlNode[]): Pairing {
  const partners = new Map<number, number>();
  const taken = new Set<number>();
  for (const keyOf of KEYS) {
    if (partners.size === old.length) break;
    const waiting = new Waiting(ours, taken, keyOf);
    old.forEach((node, index) => {
      const key = partners.has(index) ? undefined : keyOf(node);
      const partner = key === undefined ? undefined : waiting.take(key);
      if (partner !== undefined) partners.set(index, partner);
    });
  }
  const pairs: [XmlNode, XmlNode][] = [];
  let last = -1;
  let isInOrder = true;
  old.forEach((node, index) => {
    const partner = partners.get(index);
    const other = partner === undefined ? undefined : ours[partner];
    if (partner === undefined || other === undefined) return;
    pairs.push([node, other]);
    if (partner < last) isInOrder = false;
    last = partner;
  });
  return {
    pairs,
    missing: old.filter((_, index) => !partners.has(index)),
    added: ours.filter((_, index) => !taken.has(index)),
    isInOrder,
  };
}
