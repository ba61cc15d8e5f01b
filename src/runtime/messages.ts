import type { ExampleCommand } from '../asmx';
import type { MessageChannel } from '../store';
import type { MetricsSnapshot } from '../telemetry';

/** What a process does under PROCESSES. */
export type ChildKind = 'web' | 'delivery';

/** What the primary process says to the others. */
export type ToChild =
  | { readonly kind: 'stop' }
  | { readonly kind: 'new-message'; readonly channel: MessageChannel }
  | { readonly kind: 'send-metrics' };

export interface Ready {
  readonly kind: 'ready';
  /** Port of the service; 0 from a process that does not listen. */
  readonly port: number;
  readonly services: readonly { readonly name: string; readonly path: string }[];
  readonly examples: readonly ExampleCommand[];
}

/** What they say to it. */
export type FromChild =
  | Ready
  | { readonly kind: 'new-message'; readonly channel: MessageChannel }
  | { readonly kind: 'metrics'; readonly snapshot: MetricsSnapshot };
