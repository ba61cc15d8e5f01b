import type { Comparison, PassedOver, Plan, SideOptions } from '../migration';
import { counted, numberText } from '../support/text';

/** Most lines about what was passed over, and most reasons. */
const MOST_SHOWN = 5;
const MOST_REASONS = 20;

/**
 * What is about to be sent, before it is.
 *
 * @param sendsTo - the servers to which requests that send go
 */
export function planText({ requests, sending }: Plan, sendsTo: readonly SideOptions[]): readonly string[] {
  const places = sendsTo.map(({ url }) => url.origin).join(' and to ');
  const verb = sum(sending) === 1 ? 'sends' : 'send';
  return [
    `${counted(requests, 'request')} to compare.`,
    ...(sending.size === 0
      ? []
      : [`${namesText(sending)} of these ${verb}, so that people get messages: to ${places}.`]),
  ];
}

/** What goes to neither server. */
export function leftOutText({ withheld, foreign }: Plan): readonly string[] {
  const goes = sum(withheld) === 1 ? 'would send, and goes' : 'would send, and go';
  return [
    ...(withheld.size === 0
      ? []
      : [`${namesText(withheld)} more ${goes} to neither server: see --sends-to-old and --sends-to-new.`]),
    ...(foreign === 0
      ? []
      : [
          `${counted(foreign, 'request')} for other paths than those of the endpoints ${foreign === 1 ? 'is' : 'are'} left out.`,
        ]),
  ];
}

/** What a reader of the report must know of how it went. */
export function outcomeNotes({ ended, noisy, oneSided }: Comparison): readonly string[] {
  return [
    ...(ended === 'time' ? ['Ended by --time before all requests were sent.'] : []),
    ...(ended === 'signal' ? ['Ended before all requests were sent.'] : []),
    ...(noisy === 0
      ? []
      : [
          `To ${counted(noisy, 'request')} the old server gave two answers that differ; what does is no finding.`,
        ]),
    ...(oneSided === 0
      ? []
      : [
          `${counted(oneSided, 'request')} that ${oneSided === 1 ? 'sends' : 'send'} went to one side only: nothing was compared.`,
        ]),
  ];
}

/** What the readers of traffic passed over: the first ones with their places, and how many there were of each kind. */
export class PassedOverTotal {
  readonly #first: string[] = [];
  readonly #reasons = new Map<string, number>();

  readonly add = ({ what, source, reason }: PassedOver): void => {
    if (what === 'malformed' && this.#first.length < MOST_SHOWN) this.#first.push(`${source} ${reason}.`);
    const key =
      this.#reasons.has(reason) || this.#reasons.size < MOST_REASONS ? reason : 'has another reason';
    this.#reasons.set(key, (this.#reasons.get(key) ?? 0) + 1);
  };

  lines(): readonly string[] {
    return [
      ...this.#first,
      ...[...this.#reasons].map(
        ([reason, count]) => `Passed over: ${counted(count, 'entry', 'entries')} of traffic, each ${reason}.`,
      ),
    ];
  }
}

function namesText(names: ReadonlyMap<string, number>): string {
  const parts = [...names].map(([name, count]) => `${name === '' ? 'unnamed' : name} ${numberText(count)}`);
  return `${numberText(sum(names))} (${parts.join(', ')})`;
}

function sum(names: ReadonlyMap<string, number>): number {
  return [...names.values()].reduce((total, count) => total + count, 0);
}
