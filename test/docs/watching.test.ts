import { readPublishedMetrics } from './pages/metrics';
import { faultsOf, labelsBySeries, metricsIn } from './promql';
import { REASON_CODES } from '../../src/store';
import { readRepositoryFile, repositoryFiles } from '../harness/repository-files';

const RULES = readRepositoryFile('packaging/prometheus/rules.yml');
const RULE_TESTS = readRepositoryFile('packaging/prometheus/rules.test.yml');
const PAGE = readRepositoryFile('docs/alerts.md');

/** An alert, as the file has it. */
interface Alert {
  readonly name: string;
  readonly query: string;
  readonly text: string;
}

const ALERTS = RULES.split(/^ +- alert: /m)
  .slice(1)
  .map((text): Alert => {
    const [, query = ''] = /^ +expr: ([^]*?)\n +(?:for|labels):/m.exec(text) ?? [];
    return { name: text.slice(0, text.indexOf('\n')), query, text };
  });

/** The runbook: a heading for each alert. */
const RUNBOOK = PAGE.split(/^## /m)
  .slice(1)
  .map((part) => part.split('\n'))
  .map(([name = '', ...lines]) => ({ name, text: lines.join('\n').trim() }));

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource?: { readonly uid: string };
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

// The repository's own file.
const DASHBOARD = JSON.parse(readRepositoryFile('packaging/grafana/dashboard.json')) as {
  readonly panels: readonly Panel[];
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string; readonly definition?: string }[];
  };
};
const CHARTS = DASHBOARD.panels.filter(({ type }) => type !== 'row');

let published: ReadonlyMap<string, ReadonlySet<string>>;
beforeAll(async () => {
  published = labelsBySeries(await readPublishedMetrics());
});

describe.each(ALERTS)('the alert $name', ({ name, query, text }) => {
  it('uses metrics and labels published at /metrics', () => {
    expect(query).not.toBe('');
    expect(faultsOf(query, published)).toEqual([]);
  });

  it('has a severity, a summary, a description and a section in the runbook', () => {
    expect(text).toMatch(/severity: (?:critical|warning|info)\b/);
    expect(text).toMatch(/^ +summary: \S/m);
    expect(text).toMatch(/^ +description: \S/m);
    expect(text).toContain(`runbook: docs/alerts.md#${name.toLowerCase()}\n`);
    expect(RUNBOOK.find((part) => part.name === name)?.text).toMatch(/^\S[^]{80}/);
  });

  it('has a promtool test: silent first, and then firing', () => {
    expect(RULE_TESTS).toMatch(new RegExp(`alertname: ${name}, exp_alerts: \\[\\]`));
    expect(RULE_TESTS).toMatch(new RegExp(`alertname: ${name}\\n +exp_alerts:\\n +- exp_labels:`));
  });
});

it('the runbook covers exactly the existing alerts', () => {
  const named = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name).toSorted();
  expect(named(RUNBOOK)).toEqual(named(ALERTS));
});

it.each(repositoryFiles('.md'))('the metrics in %s are published at /metrics', (path) => {
  const families = [...published.keys()].map((name) => name.replace(/_(?:bucket|sum|count)$/, ''));
  const named = [...readRepositoryFile(path).matchAll(/`((?:service|delivery)_\w*[a-z])(?:\{[^`]*)?`/g)];
  const known: readonly string[] = [...families, ...REASON_CODES];
  expect(named.map(([, name = '']) => name).filter((name) => !known.includes(name))).toEqual([]);
});

describe('the dashboard', () => {
  it.each(CHARTS.map((chart) => ({ ...chart })))(
    'shows in "$title" only data published at /metrics',
    ({ targets = [] }) => {
      expect(targets.flatMap(({ expr }) => metricsIn(expr))).not.toEqual([]);
      expect(targets.flatMap(({ expr }) => faultsOf(expr, published))).toEqual([]);
      // A legend's label is one that the query keeps.
      for (const { expr, legendFormat } of targets)
        for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
          expect(`${legendFormat}: ${expr}`).toMatch(new RegExp(`by \\([^)]*\\b${label}\\b`));
    },
  );

  it('queries the selected data source', () => {
    for (const { datasource } of CHARTS) expect(datasource?.uid).toBe('${datasource}');
    const { list } = DASHBOARD.templating;
    expect(list[0]).toMatchObject({ name: 'datasource', type: 'datasource' });
    const queries = list.flatMap(({ definition }) => definition ?? []);
    expect(queries).toHaveLength(2);
    expect(queries.flatMap((query) => faultsOf(query, published))).toEqual([]);
  });

  it('measures times in seconds, sizes in bytes and shares in per cent', () => {
    const units = CHARTS.map(({ title, targets = [], fieldConfig }) => {
      const [expr = ''] = targets.map((target) => target.expr);
      const isShare = expr.includes(' / ');
      const isTime =
        !isShare && /_seconds(?:_bucket)?[{ ]|time\(\)/.test(expr) && !/_seconds_(?:count|total)/.test(expr);
      const wanted = isShare ? 'percentunit' : isTime ? 's' : expr.includes('_bytes') ? 'bytes' : undefined;
      return { title, unit: fieldConfig?.defaults.unit, wanted };
    });
    expect(units.filter(({ wanted }) => wanted !== undefined).length).toBeGreaterThan(10);
    expect(units.filter(({ unit, wanted }) => wanted !== undefined && unit !== wanted)).toEqual([]);
    expect(units.filter(({ unit }) => unit === undefined)).toEqual([]);
  });

  it('has panels that do not overlap, within the available width', () => {
    const places = DASHBOARD.panels.map(({ gridPos }) => gridPos);
    for (const [at, one] of places.entries()) {
      expect(one.x + one.w).toBeLessThanOrEqual(24);
      for (const other of places.slice(at + 1)) {
        const isApart =
          one.x + one.w <= other.x ||
          other.x + other.w <= one.x ||
          one.y + one.h <= other.y ||
          other.y + other.h <= one.y;
        expect(isApart).toBe(true);
      }
    }
  });
});
