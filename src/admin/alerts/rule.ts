import type { Config } from '../../config';
import type { Phrase } from '../../support/phrase';
import type { MessageChannel, Store } from '../../store';
import type { Text } from '../texts/words';
import type { Match } from './match';
import type { Snapshot } from './snapshot';

/**
 * `critical` justifies a call at night: codes do not arrive, or soon will not. `warning` can wait until
 * morning, `info` until the next change of the settings.
 */
export type Severity = (typeof SEVERITIES)[number];
export const SEVERITIES = ['critical', 'warning', 'info'] as const;

/**
 * A rule for an alert: when it holds, how it is worded, and what to do. No text of it holds personal data.
 */
interface Rule<Said extends string> {
  /** Also the title of its section in docs/alerts.md. */
  readonly name: string;
  readonly severity: Severity;
  /** One line without a full stop; may name labels in braces. */
  readonly summary: Said;
  /** A sentence; may name labels in braces, and `{value}`. */
  readonly description: Said;
  /** Tells the operator what to do, in one or two sentences. */
  readonly advice: Said;
  /** How Prometheus writes `{value}`; default: `humanize`. */
  readonly format?: 'humanizeDuration' | 'humanizePercentage';
  /** Prometheus's condition; default: the service's own result in `service_alerts`. */
  readonly expr?: string;
  /** Notifications wait until it has held for this time. */
  readonly forMinutes?: number;
  /** Channel of its messages, if it has no label `channel`. */
  readonly channel?: MessageChannel;
  /** Names of rules whose alerts on the same channel are symptoms while this one is active. */
  readonly explains?: readonly string[];
  /** True if it only explains others: receivers do not get it. */
  readonly isNotice?: boolean;
  /** Page of the console that shows more. */
  readonly link?: readonly [path: string, text: Said];
}

/** A rule that the service checks; its console shows the texts. */
export interface CheckedRule extends Rule<Text> {
  /** Finds what the rule applies to now. */
  readonly find?: (snapshot: Snapshot) => readonly Match[];
  /**
   * Finds it in the database instead, in a rule of a feature: a snapshot holds what rules of the core use.
   * `now`: milliseconds since 1970 UTC.
   */
  readonly search?: (store: Store, now: number, config: Config) => Promise<readonly Match[]>;
}

/** A rule for which the service has no data: only Prometheus can check it, in English. */
interface PrometheusRule extends Rule<string> {
  readonly find?: undefined;
  readonly search?: undefined;
}

export type AlertRule = CheckedRule | PrometheusRule;

export function isChecked(rule: AlertRule): rule is CheckedRule {
  return rule.find !== undefined || rule.search !== undefined;
}

/** An alert that holds now. */
export interface Alert {
  /** Distinguishes it from every other active alert. */
  readonly key: string;
  readonly rule: CheckedRule;
  readonly summary: Phrase<Text>;
  readonly description: Phrase<Text>;
  readonly advice: readonly Text[];
  /** Channel of its messages; undefined for all. */
  readonly channel: string | undefined;
  readonly canBeSymptom: boolean;
  readonly since: number | undefined;
  readonly until: number | undefined;
  /** Key of the active alert that explains it. */
  readonly cause?: string;
}

export function alertFor(rule: CheckedRule, { labels = {}, value = '', ...match }: Match): Alert {
  const { channel, ...others } = labels;
  // A channel is a word; other labels are names.
  const values = { ...others, ...(channel !== undefined && { channel: { text: channel } }), value };
  const subject = Object.values(labels).join(', ');
  return {
    key: subject === '' ? rule.name : `${rule.name} ${subject}`,
    rule,
    summary: match.summary ?? { text: rule.summary, values },
    description: match.description ?? { text: rule.description, values },
    advice: match.advice ?? [rule.advice],
    channel: channel ?? rule.channel,
    canBeSymptom: match.canBeSymptom ?? true,
    since: match.since,
    until: match.until,
  };
}
