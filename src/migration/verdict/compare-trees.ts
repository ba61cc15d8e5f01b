import { maskedPair, maskedText } from '../masking';
import type { XmlNode } from '../trees';
import type { Differences } from './differences';
import { pairUp } from './pair-up';

/** Longest path that is shown. */
const LONGEST = 400;

/** Tells the differences of two documents of one forest. */
export function compareTrees(old: XmlNode, ours: XmlNode, differences: Differences): void {
  if (old === ours) return;
  if (old.local !== ours.local) {
    differences.add('body', '/', 'name', () => ({ level: 'different', old: old.local, ours: ours.local }));
    return;
  }
  compareNodes({ old, ours, path: pathTo('', old), inside: undefined }, differences);
}

/** Two nodes of the same local name. */
interface Pair {
  readonly old: XmlNode;
  readonly ours: XmlNode;
  readonly path: string;
  /** The namespaces of the elements around them, where those differ: it is told once. */
  readonly inside: readonly [old: string, ours: string] | undefined;
}

function compareNodes(pair: Pair, differences: Differences): void {
  const { old, ours, path } = pair;
  if (old === ours) return;
  let { inside } = pair;
  if (old.namespace !== ours.namespace) {
    if (inside?.[0] !== old.namespace || inside[1] !== ours.namespace) {
      differences.add('body', path, 'namespace', () => ({
        level: 'different',
        old: old.namespace.slice(0, LONGEST),
        ours: ours.namespace.slice(0, LONGEST),
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

function compareText({ old, ours, path }: Pair, differences: Differences): void {
  if (old.text === ours.text) return;
  // What the other has in place of the text is told as its children.
  if (old.children.length > 0 && ours.text.trim() === '') return;
  if (ours.children.length > 0 && old.text.trim() === '') return;
  differences.add('body', path, whatOf(old.text, ours.text), () => ({
    level: 'different',
    ...maskedPair(old.text, ours.text),
  }));
}

/** How two texts differ. */
export function whatOf(old: string, ours: string): 'changed' | 'whitespace' {
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

function compareAttributes({ old, ours, path }: Pair, differences: Differences): void {
  const theirs = new Map(old.attributes.map((attribute) => [keyOf(attribute), attribute.value]));
  for (const attribute of ours.attributes) {
    const key = keyOf(attribute);
    const before = theirs.get(key);
    theirs.delete(key);
    if (before === attribute.value) continue;
    const place = `${path}/@${attribute.local}`.slice(0, LONGEST);
    if (before === undefined) {
      differences.add('body', place, 'added', () => ({
        level: 'different',
        ours: maskedText(attribute.value),
      }));
    } else {
      differences.add('body', place, whatOf(before, attribute.value), () => ({
        level: 'different',
        ...maskedPair(before, attribute.value),
      }));
    }
  }
  for (const attribute of old.attributes) {
    if (!theirs.has(keyOf(attribute))) continue;
    const place = `${path}/@${attribute.local}`.slice(0, LONGEST);
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
  return `${path}/${local}`.slice(0, LONGEST);
}
