import { expect, test } from 'vitest';
import { projectMetrics } from '../../src/alerting/project-metrics/exposition.ts';
import { Metrics } from '../../src/lib/http/metrics.ts';
import { readSource } from './sources.ts';

const dashboard = readSource('deploy/monitoring/grafana-dashboard.json').text;
const costDashboard = readSource('deploy/monitoring/grafana-costs-dashboard.json').text;
const rules = readSource('deploy/monitoring/prometheus-rules.yaml').text;

/** Every series name on /metrics. A histogram has three: `_bucket`, `_sum` and `_count`. */
async function listSeries(): Promise<Set<string>> {
  const metrics = new Metrics();
  metrics.watch(new Proxy({}, { get: () => () => 0 }) as Parameters<Metrics['watch']>[0]);
  const text = await metrics.registry.metrics();
  const series = new Set<string>();
  for (const [, name = '', type = ''] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    series.add(name);
    if (type === 'histogram') for (const part of ['_bucket', '_sum', '_count']) series.add(`${name}${part}`);
  }
  return series;
}

const metricsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/\b(?:farthing|process|nodejs)_[a-z0-9_]+[a-z0-9]\b/g)].map(([name]) => name)),
];

test('D11.3: the dashboard and the alerts name only metrics that /metrics has', async () => {
  const series = await listSeries();
  const named = metricsIn(`${dashboard}\n${rules}`);
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((name) => !series.has(name))).toEqual([]);
});

test('D24.4: the dashboard of costs names only metrics that /api/metrics/ has', () => {
  const metrics = new Map(projectMetrics.map(({ name, labels }) => [name, labels]));
  const named = metricsIn(costDashboard);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !metrics.has(name))).toEqual([]);
});

test('D24.4: the dashboards are JSON with unique ids and uids, and every panel asks something', () => {
  const opened = [dashboard, costDashboard].map(
    (text) => JSON.parse(text) as { uid: string; panels: { id: number; targets: { expr: string }[] }[] },
  );
  expect(new Set(opened.map(({ uid }) => uid)).size).toBe(2);
  for (const { panels } of opened) {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(panels.filter(({ targets }) => !targets.every(({ expr }) => expr.length > 0))).toEqual([]);
  }
});
