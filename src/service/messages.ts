import type { Settings, Wrong } from '../config';
import type { MessageChannel } from '../store';
import type { MetricsSnapshot } from '../telemetry';
import type { Served } from './announce-start';

/** What a process does under PROCESSES. */
export type ChildKind = 'web' | 'delivery';

const KIND_VARIABLE = 'SERVICE_PROCESS_KIND';

/** The environment that names its kind to a process. */
export function kindEnvironment(kind: ChildKind): Readonly<Record<string, string>> {
  return { [KIND_VARIABLE]: kind };
}

/** What this process was started for. */
export function childKind(): ChildKind {
  return process.env[KIND_VARIABLE] === 'delivery' ? 'delivery' : 'web';
}

/** By which settings it is to go from now on: `start` comes first of all messages. */
export interface OfSettings {
  readonly kind: 'start' | 'reload';
  readonly texts: Settings['texts'];
}

/** What the primary process says to the others. */
export type ToChild =
  | OfSettings
  | { readonly kind: 'stop' }
  | { readonly kind: 'new-message'; readonly channel: MessageChannel }
  | { readonly kind: 'send-metrics' };

export interface Ready {
  readonly kind: 'ready';
  readonly served: Served;
}

/** What they say to it. */
export type FromChild =
  | Ready
  | { readonly kind: 'new-message'; readonly channel: MessageChannel }
  | { readonly kind: 'reloaded'; readonly wrong: readonly Wrong[] }
  | { readonly kind: 'metrics'; readonly snapshot: MetricsSnapshot };
