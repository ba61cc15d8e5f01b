import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';

import type { Config, Reloadable } from '../../config';
import { ALL_FEATURES } from '../../features/feature';
import type { Store } from '../../store';
import { singleFlight } from '../../support/single-flight';
import type { Node } from '../history/nodes';
import { DELIVERY_RULES } from './delivery-rules';
import { HOLD_ENDED } from './hold-rules';
import { MACHINE_RULES } from './machine-rules';
import { REQUEST_RULES } from './request-rules';
import { type Alert, alertFor, type AlertRule, isChecked, SEVERITIES } from './rule';
import { type AlertSettings, readSnapshot, type Snapshot } from './snapshot';

/** All rules, in the same groups as in Prometheus. */
export const RULE_GROUPS: Readonly<Record<string, readonly AlertRule[]>> = {
  'school-notifications': REQUEST_RULES,
  'school-notifications-delivery': DELIVERY_RULES,
  'school-notifications-machine': MACHINE_RULES,
  'school-notifications-features': ALL_FEATURES.flatMap(({ alertRules = [] }) => alertRules),
};

const RULES: readonly AlertRule[] = Object.values(RULE_GROUPS).flat();

/** Returns the alerts that hold, the most severe first, with the alert that explains each symptom. */
export function activeAlerts(snapshot: Snapshot): readonly Alert[] {
  const alerts = [HOLD_ENDED, ...RULES]
    .filter(isChecked)
    .flatMap((rule) => {
      const matches = rule.find?.(snapshot) ?? snapshot.store?.found.get(rule.name) ?? [];
      return matches.map((match) => alertFor(rule, match));
    })
    .toSorted(
      (one, other) => SEVERITIES.indexOf(one.rule.severity) - SEVERITIES.indexOf(other.rule.severity),
    );
  return alerts.map((alert) => {
    const cause = alerts.find((other) => explains(other, alert));
    return cause === undefined ? alert : { ...alert, cause: cause.key };
  });
}

function explains(cause: Alert, { rule, channel, canBeSymptom, since = 0 }: Alert): boolean {
  if (cause.until !== undefined && since > cause.until) return false;
  const isSame = cause.channel === undefined || channel === undefined || cause.channel === channel;
  return canBeSymptom && isSame && cause.rule.explains?.includes(rule.name) === true;
}

const LOOK_MS = 10_000;

interface AlertWatchOptions extends AlertSettings {
  readonly store: Store;
  readonly node: Node;
  /** Gets the metric of the active alerts. */
  readonly registry: Registry;
  /** Called after each look. */
  readonly onLook: (alerts: readonly Alert[]) => Promise<void> | void;
  /** Milliseconds since 1970 UTC; default: the system's clock. */
  readonly now?: () => number;
}

/** Checks the rules every ten seconds, and publishes which hold. */
export class AlertWatch {
  readonly #options: AlertWatchOptions;
  readonly #now: () => number;
  readonly #gauge: Gauge<'alert' | 'severity'>;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  /** Checks the rules once; calls meanwhile share the same check. It does not throw. */
  readonly look: () => Promise<void>;

  constructor(options: AlertWatchOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.look = singleFlight(() => this.#look());
    this.#gauge = new Gauge({
      name: 'service_alerts',
      help: '1 while an alert is active, by alert and severity (critical, warning, info); for all nodes.',
      labelNames: ['alert', 'severity'],
      registers: [options.registry],
    });
    this.#publish([]);
  }

  start(): void {
    this.#looking = this.look();
    this.#timer = setInterval(() => {
      this.#looking = this.look();
    }, LOOK_MS).unref();
  }

  /** Waits for the look that is under way. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { store, node, onLook } = this.#options;
    const alerts = activeAlerts(await readSnapshot(store, node, this.#options, this.#now()));
    this.#publish(alerts);
    await onLook(alerts);
  }

  #publish(alerts: readonly Alert[]): void {
    for (const { name, severity } of RULES.filter(isChecked)) {
      const isActive = alerts.some(({ rule }) => rule.name === name);
      this.#gauge.set({ alert: name, severity }, isActive ? 1 : 0);
    }
  }
}

/** Offers what a watcher of the alerts may use. */
export interface AlertCore {
  readonly config: Config;
  readonly store: Store;
  /** Name of this node. */
  readonly node: string;
  readonly logger: Logger;
}

/** Gets the active alerts after each look; must not throw. */
export interface AlertWatcher extends Reloadable {
  notify(active: readonly Alert[]): Promise<void>;
  stop(): Promise<void>;
}
