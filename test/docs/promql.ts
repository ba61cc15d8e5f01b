import type { PublishedMetric } from './pages/metrics';

/** Labels that Prometheus gives to every series. */
const OF_PROMETHEUS = ['job', 'instance'];

/** Describes what a query uses of what is measured. */
export interface Used {
  readonly metric: string;
  /** Names the labels by which it is chosen. */
  readonly labels: readonly string[];
}

/** The metrics in a query, with the labels by which they are chosen. */
export function metricsIn(query: string): readonly Used[] {
  return [...query.matchAll(/\b((?:service|delivery|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, metric = '', chosen = '']) => ({
      metric,
      labels: [...chosen.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
    }),
  );
}

/** The labels by which a query groups and joins. */
export function groupsIn(query: string): readonly string[] {
  return [...query.matchAll(/\b(?:by|on|group_left)\s*\(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim()),
  );
}

/** Returns what is wrong with a query, given the labels of each series that there is. */
export function faultsOf(query: string, published: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const used = metricsIn(query);
  const known = new Set(OF_PROMETHEUS);
  const faults: string[] = [];
  for (const { metric, labels } of used) {
    const own = published.get(metric);
    if (own === undefined) faults.push(`${metric} is not published`);
    for (const label of own ?? []) known.add(label);
    for (const label of labels)
      if (own?.has(label) === false && !OF_PROMETHEUS.includes(label))
        faults.push(`${metric} has no label ${label}`);
  }
  for (const label of groupsIn(query)) if (!known.has(label)) faults.push(`nothing has a label ${label}`);
  return faults;
}

/** Returns the labels of each series that the metrics have, by its name. */
export function labelsBySeries(
  metrics: readonly PublishedMetric[],
): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    metrics.flatMap(({ name, type, labels }) => {
      if (type !== 'histogram') return [[name, new Set(labels)] as const];
      return [
        [`${name}_bucket`, new Set([...labels, 'le'])] as const,
        [`${name}_sum`, new Set(labels)] as const,
        [`${name}_count`, new Set(labels)] as const,
      ];
    }),
  );
}
