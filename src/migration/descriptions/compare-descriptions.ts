import type { HttpAnswer } from '../messages';
import { Forest, readTree } from '../trees';
import { decodedBody, type Difference, type Verdict, verdictOf } from '../verdict';
import type { Fact } from './facts';
import { readFacts } from './read-facts';

/** Longest value that is shown, and most differences. */
const LONGEST = 200;
const MOST = 200;

/**
 * Compares two answers to `?WSDL` by what they say: operations, parameters, types, results, actions, namespaces and
 * the paths of addresses. Never throws. Names and types are shown as they are; a description holds nothing personal.
 */
export function compareDescriptions(old: HttpAnswer, ours: HttpAnswer): Verdict {
  if (old.status === ours.status && old.body.equals(ours.body)) return verdictOf([]);
  const forest = new Forest();
  const [theirs, own] = [old, ours].map((answer) => {
    const root = answer.status === 200 ? readTree(decodedBody(answer), forest) : undefined;
    return root === undefined ? undefined : readFacts(root);
  });
  if (theirs === undefined || own === undefined) {
    return verdictOf([
      {
        part: 'body',
        place: '/',
        what: 'malformed',
        level: 'different',
        old: stateOf(old, theirs),
        ours: stateOf(ours, own),
      },
    ]);
  }
  const found = [...differencesOf(theirs, own, '')].slice(0, MOST);
  if (found.length > 0) return verdictOf(found);
  return verdictOf([{ part: 'body', place: '/', what: 'writing', level: 'xml' }]);
}

function stateOf({ status }: HttpAnswer, facts: Fact | undefined): string {
  return facts === undefined ? `status ${String(status)}, no service description` : 'a service description';
}

function* differencesOf(old: Fact, ours: Fact, path: string): Generator<Difference> {
  const place = path || '/';
  if (old.value !== ours.value) {
    yield {
      part: 'body',
      place,
      what: 'changed',
      level: 'different',
      ...shown('old', old),
      ...shown('ours', ours),
    };
  }
  const common = (facts: Fact, others: Fact): string =>
    [...facts.below.keys()].filter((name) => others.below.has(name)).join('/');
  if (old.isOrdered === true && common(old, ours) !== common(ours, old)) {
    yield { part: 'body', place, what: 'order', level: 'order' };
  }
  for (const [name, part] of old.below) {
    const other = ours.below.get(name);
    const below = `${path}/${name}`;
    if (other === undefined)
      yield { part: 'body', place: below, what: 'missing', level: 'different', ...shown('old', part) };
    else yield* differencesOf(part, other, below);
  }
  for (const [name, part] of ours.below) {
    if (old.below.has(name)) continue;
    yield {
      part: 'body',
      place: `${path}/${name}`,
      what: 'added',
      level: 'different',
      ...shown('ours', part),
    };
  }
}

function shown(side: 'old' | 'ours', { value }: Fact): Pick<Difference, 'old' | 'ours'> {
  return value === undefined ? {} : { [side]: value.slice(0, LONGEST) };
}
