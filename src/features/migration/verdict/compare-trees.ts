import { maskedValues, maskedText } from '../masking';
import type { XmlNode } from '../trees';
import type { Differences } from './verdict';

/** Pairing of the children of one element with those of the other. */
interface Pairing {
  /** Pairs with equal local names; equal nodes are the same object. */
  readonly pairs: readonly (readonly [old: XmlNode, ours: XmlNode])[];
  readonly missing: readonly XmlNode[];
  readonly added: readonly XmlNode[];
  /** True if the pairs are in the same order in both elements. */
  readonly isInOrder: boolean;
}

/** Undefined excludes a child. */
type Key = number | string | undefined;

/** Children of one element that have no partner yet. */
class Waiting {
  readonly #at: Map<number | string, number[]>;
  readonly #taken: Set<number>;

  constructor(nodes: readonly XmlNode[], taken: Set<number>, makeKey: (node: XmlNode) => Key) {
    this.#taken = taken;
    this.#at = new Map();
    // In reverse, so that pop() takes the first.
    for (let index = nodes.length - 1; index >= 0; index -= 1) {
      const node = nodes[index];
      if (node === undefined || taken.has(index)) continue;
      const key = makeKey(node);
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
 * Criteria for pairing children, strictest first: equal, equal except for order, the same name and beginning
 * (a list item with its id), the same name, the same local name.
 */
const KEYS: readonly ((node: XmlNode) => Key)[] = [
  ({ id }) => id,
  ({ unordered }) => unordered,
  ({ namespace, local, children: [first] }) =>
    first === undefined ? undefined : `${namespace}\0${local}\0${String(first.id)}`,
  ({ namespace, local }) => `${namespace}\0${local}`,
  ({ local }) => local,
];

/** Pairs the children of two elements in linear time. */
function pairUp(old: readonly XmlNode[], ours: readonly XmlNode[]): Pairing {
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

/** Maximum length of a displayed path. */
const MAX_PATH_CHARACTERS = 400;

/** Adds the differences of two documents of one forest. */
export function compareTrees(old: XmlNode, ours: XmlNode, differences: Differences): void {
  if (old === ours) return;
  if (old.local !== ours.local) {
    differences.add('body', '/', 'name', () => ({
      level: 'different',
      old: old.local.slice(0, MAX_PATH_CHARACTERS),
      ours: ours.local.slice(0, MAX_PATH_CHARACTERS),
    }));
    return;
  }
  compareNodes({ old, ours, path: pathTo('', old), inside: undefined }, differences);
}

/** Two nodes of the same local name. */
interface MatchedNodes {
  readonly old: XmlNode;
  readonly ours: XmlNode;
  readonly path: string;
  /** Namespaces of the surrounding elements, if those differ: the difference is reported once. */
  readonly inside: readonly [old: string, ours: string] | undefined;
}

function compareNodes(pair: MatchedNodes, differences: Differences): void {
  const { old, ours, path } = pair;
  if (old === ours) return;
  let { inside } = pair;
  if (old.namespace !== ours.namespace) {
    if (inside?.[0] !== old.namespace || inside[1] !== ours.namespace) {
      differences.add('body', path, 'namespace', () => ({
        level: 'different',
        old: old.namespace.slice(0, MAX_PATH_CHARACTERS),
        ours: ours.namespace.slice(0, MAX_PATH_CHARACTERS),
      }));
    }
    inside = [old.namespace, ours.namespace];
  }
  compareAttributes(pair, differences);
  compareText(pair, differences);
  const { pairs, missing, added, isInOrder } = pairUp(old.children, ours.children);
  for (const [child, other] of pairs) {
    compareNodes({ old: child, ours: other, path: pathTo(path, child), inside }, differences);
  }
  if (!isInOrder) differences.add('body', path, 'order', () => ({ level: 'order' }));
  for (const child of missing) addOne('missing', child, path, differences);
  for (const child of added) addOne('added', child, path, differences);
}

function addOne(what: 'missing' | 'added', child: XmlNode, path: string, differences: Differences): void {
  differences.add('body', pathTo(path, child), what, () => {
    const value = child.children.length > 0 ? '…' : maskedText(child.text);
    return { level: 'different', ...(what === 'missing' ? { old: value } : { ours: value }) };
  });
}

function compareText({ old, ours, path }: MatchedNodes, differences: Differences): void {
  if (old.text === ours.text) return;
  // The other element's content is reported with its children.
  if (old.children.length > 0 && ours.text.trim() === '') return;
  if (ours.children.length > 0 && old.text.trim() === '') return;
  differences.add('body', path, changeKind(old.text, ours.text), () => ({
    level: 'different',
    ...maskedValues(old.text, ours.text),
  }));
}

/** Returns the kind of difference between two texts. */
export function changeKind(old: string, ours: string): 'changed' | 'whitespace' {
  let [at, other] = [skipSpace(old, 0), skipSpace(ours, 0)];
  while (at < old.length && old.charCodeAt(at) === ours.charCodeAt(other)) {
    at = skipSpace(old, at + 1);
    other = skipSpace(ours, other + 1);
  }
  return at >= old.length && other >= ours.length ? 'whitespace' : 'changed';
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}

function compareAttributes({ old, ours, path }: MatchedNodes, differences: Differences): void {
  const theirs = new Map(old.attributes.map((attribute) => [keyOf(attribute), attribute.value]));
  for (const attribute of ours.attributes) {
    const key = keyOf(attribute);
    const before = theirs.get(key);
    theirs.delete(key);
    if (before === attribute.value) continue;
    const place = `${path}/@${attribute.local}`.slice(0, MAX_PATH_CHARACTERS);
    if (before === undefined) {
      differences.add('body', place, 'added', () => ({
        level: 'different',
        ours: maskedText(attribute.value),
      }));
    } else {
      differences.add('body', place, changeKind(before, attribute.value), () => ({
        level: 'different',
        ...maskedValues(before, attribute.value),
      }));
    }
  }
  for (const attribute of old.attributes) {
    if (!theirs.has(keyOf(attribute))) continue;
    const place = `${path}/@${attribute.local}`.slice(0, MAX_PATH_CHARACTERS);
    differences.add('body', place, 'missing', () => ({
      level: 'different',
      old: maskedText(attribute.value),
    }));
  }
}

function keyOf({ local, namespace }: { readonly local: string; readonly namespace: string }): string {
  return `${namespace}\0${local}`;
}

function pathTo(path: string, { local }: XmlNode): string {
  return `${path}/${local}`.slice(0, MAX_PATH_CHARACTERS);
}
