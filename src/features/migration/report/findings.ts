import { decodeXmlBody, readMediaType } from '../../../asmx/internal';
import { maskedForm, maskedMarkup, maskedPath, maskedWords } from '../masking';
import { findHeader, type HttpRequest } from '../messages';
import { type Difference, fails, isFailing, type Level, LEVELS, type Verdict } from '../verdict/verdict';
import { wordInOneLine } from '../../../support/shell';

const NAMES: ReadonlyMap<string, string> = new Map([
  ['soap11', 'SOAP 1.1'],
  ['soap12', 'SOAP 1.2'],
  ['get', 'GET'],
  ['post', 'POST'],
  ['document', 'page'],
]);

export function bindingName(binding: string): string {
  return NAMES.get(binding) ?? binding;
}

/** Two compared answers. */
export interface Finding {
  readonly request: HttpRequest;
  /** Origin of the request: `FILE:LINE`, or its generator. */
  readonly source?: string;
  /** Omitted if the request names no known operation. */
  readonly operation?: string;
  /** Name for reports: `SOAP 1.1`, `GET`, `description` and so on. */
  readonly binding?: string;
  readonly verdict: Verdict;
}

/** Number of comparisons of one operation and binding, by level. */
export interface ComparisonCounts extends Readonly<Record<Level, number>> {
  /** Empty for requests without one. */
  readonly operation: string;
  readonly binding: string;
  readonly pairs: number;
  /** Number of these with an unintended difference that a client may see. */
  readonly failed: number;
}

export interface DifferenceGroup extends Difference {
  readonly operation: string;
  readonly binding: string;
  /** Number of pairs with this difference. */
  readonly count: number;
  readonly example: {
    /** Shell command that sends such a request; personal data is masked. */
    readonly curl: string;
    readonly source?: string;
  };
}

/** Results of a comparison, as plain data. */
export interface Findings {
  readonly pairs: number;
  readonly failed: number;
  readonly counts: readonly ComparisonCounts[];
  /** Failing groups first, then by frequency. */
  readonly groups: readonly DifferenceGroup[];
  /** Number of differences in groups for which there was no room. */
  readonly others: number;
}

/** Maximum number of groups, and of rows of counts: the old server influences their number. */
const MAX_GROUPS = 1000;
/** Maximum length of all groups as JSON, in characters. */
const MAX_GROUP_CHARACTERS = 4 * 1024 * 1024;
const MAX_ROWS = 200;

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Aggregates findings by operation, binding and place, with one example each, in bounded memory. */
export class FindingsTotal {
  readonly #address: string;
  readonly #counts = new Map<string, Mutable<ComparisonCounts>>();
  readonly #groups = new Map<string, Mutable<DifferenceGroup>>();
  #characters = 0;
  #others = 0;

  /** @param address base URL of the examples: `https://host:port` */
  constructor(address: string) {
    this.#address = address;
  }

  add(finding: Finding): void {
    const { operation = '', binding = '', verdict } = finding;
    const row = this.#row(operation, binding);
    row.pairs += 1;
    row[verdict.level] += 1;
    if (fails(verdict)) row.failed += 1;
    for (const difference of verdict.differences) {
      const group = { ...difference, operation: row.operation, binding: row.binding, count: 1 };
      this.#addGroup(group, () => this.#makeExample(finding));
    }
  }

  /** Adds findings that were aggregated elsewhere. */
  addAll({ counts, groups, others }: Findings): void {
    for (const added of counts) {
      const row = this.#row(added.operation, added.binding);
      for (const name of COUNTED) row[name] += added[name];
    }
    for (const group of groups) this.#addGroup(group, () => group.example);
    this.#others += others;
  }

  findings(): Findings {
    const counts = [...this.#counts.values()].sort(byName);
    return {
      pairs: sum(counts.map(({ pairs }) => pairs)),
      failed: sum(counts.map(({ failed }) => failed)),
      counts: counts.map((row) => ({ ...row })),
      groups: [...this.#groups.values()].map((group) => ({ ...group })).sort(byWeight),
      others: this.#others,
    };
  }

  #row(operation: string, binding: string): Mutable<ComparisonCounts> {
    const key = makeKey(operation, binding);
    const known = this.#counts.get(key);
    if (known !== undefined) return known;
    if (this.#counts.size >= MAX_ROWS && operation !== OTHERS) return this.#row(OTHERS, '');
    const row = { operation, binding, pairs: 0, failed: 0, bytes: 0, xml: 0, order: 0, different: 0 };
    this.#counts.set(key, row);
    return row;
  }

  #makeExample({ request, source }: Finding): DifferenceGroup['example'] {
    return { curl: curlLine(request, this.#address), ...(source !== undefined && { source }) };
  }

  /** @param exampleOf called only for the first of a group, because making an example takes time */
  #addGroup(group: Omit<DifferenceGroup, 'example'>, exampleOf: () => DifferenceGroup['example']): void {
    const { operation, binding, part, place, what, known = '' } = group;
    const key = makeKey(operation, binding, part, place, what, known);
    const before = this.#groups.get(key);
    if (before !== undefined) before.count += group.count;
    else if (this.#groups.size >= MAX_GROUPS || this.#characters >= MAX_GROUP_CHARACTERS)
      this.#others += group.count;
    else {
      const text = JSON.stringify({ ...group, example: exampleOf() });
      this.#characters += text.length;
      // Read back from its text, so that it keeps no request or answer in memory.
      this.#groups.set(key, JSON.parse(text) as DifferenceGroup);
    }
  }
}

/** Combines several findings. */
export function findingsTogether(all: readonly Findings[]): Findings {
  // It creates no examples: each group has one already.
  const total = new FindingsTotal('');
  for (const findings of all) total.addAll(findings);
  return total.findings();
}

const OTHERS = 'others';
const COUNTED = ['pairs', 'failed', ...LEVELS] as const;

function makeKey(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function byName(one: ComparisonCounts, other: ComparisonCounts): number {
  return one.operation.localeCompare(other.operation, 'en') || one.binding.localeCompare(other.binding, 'en');
}

function byWeight(one: DifferenceGroup, other: DifferenceGroup): number {
  return Number(isFailing(other)) - Number(isFailing(one)) || other.count - one.count;
}

/** Maximum number of characters shown of a target and of a body. */
const MAX_TARGET_CHARACTERS = 2000;
const MAX_BODY_CHARACTERS = 4000;
/** Headers that curl adds itself. */
const OWN = new Set(['host', 'content-length', 'connection', 'transfer-encoding']);
/** Headers that affect how a request is read. */
const STRUCTURE = new Set([
  'content-type',
  'soapaction',
  'accept',
  'accept-encoding',
  'content-encoding',
  'expect',
]);

/**
 * Returns a shell command that sends a request of the same structure: names, escapes and markup are kept;
 * values of the query, the form and the elements are masked.
 *
 * @param address - base URL: `https://host:port`
 */
export function curlLine(request: HttpRequest, address: string): string {
  const { method, target, headers, body } = request;
  const words = ['curl', '-i'];
  if (method === 'HEAD') words[1] = '-I';
  else if (method !== (body.length > 0 ? 'POST' : 'GET')) words.push('-X', wordInOneLine(maskedPath(method)));
  words.push(wordInOneLine(address + maskedTarget(target.slice(0, MAX_TARGET_CHARACTERS))));
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (OWN.has(key)) continue;
    const shown = STRUCTURE.has(key) ? value.slice(0, 300) : maskedWords(value.slice(0, 100));
    words.push('-H', wordInOneLine(`${name.slice(0, 100)}: ${shown}`));
  }
  if (body.length > 0) words.push('--data-binary', wordInOneLine(maskedBody(request)));
  return words.join(' ');
}

function maskedTarget(target: string): string {
  const question = target.indexOf('?');
  if (question < 0) return maskedPath(target);
  return `${maskedPath(target.slice(0, question))}?${maskedForm(target.slice(question + 1))}`;
}

function maskedBody(request: HttpRequest): string {
  const { body } = request;
  const { name, charset } = readMediaType(findHeader(request, 'content-type'));
  const whole = decodeXmlBody(body.subarray(0, 4 * MAX_BODY_CHARACTERS), charset);
  const text = whole.slice(0, MAX_BODY_CHARACTERS).toWellFormed();
  const more = text.length < whole.length || body.length > 4 * MAX_BODY_CHARACTERS ? '…' : '';
  if (name.trim() === 'application/x-www-form-urlencoded') return maskedForm(text) + more;
  return (text.trimStart().startsWith('<') ? maskedMarkup(text) : maskedWords(text)) + more;
}
