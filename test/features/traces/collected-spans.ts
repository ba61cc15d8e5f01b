import type { ReceivedRequest } from '../../../scripts/harness/delivery';

type Value = string | number | undefined;

/** A span as its collector gets it. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly traceState: string | undefined;
  readonly name: string;
  /** 2: of a server, 3: of a client. */
  readonly kind: number;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, Value>>;
  /** Holds the attributes of the process. */
  readonly resource: Readonly<Record<string, Value>>;
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

/** The part of OTLP's JSON that is looked at. */
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, 'attributes' | 'resource' | 'failed'> & {
        readonly attributes: readonly Attribute[];
        readonly status: { readonly code: number };
      })[];
    }[];
  }[];
}

/** The spans in what a collector has received. */
export function collectedSpans(received: readonly ReceivedRequest[]): readonly CollectedSpan[] {
  return received.flatMap(({ body }) =>
    (JSON.parse(body) as Export).resourceSpans.flatMap(({ resource, scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) =>
        spans.map(({ attributes, status, ...span }) => ({
          ...span,
          failed: status.code === 2,
          attributes: valuesOf(attributes),
          resource: valuesOf(resource.attributes),
        })),
      ),
    ),
  );
}

function valuesOf(attributes: readonly Attribute[]): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue] as const),
  );
}
