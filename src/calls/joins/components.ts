import { streamOf } from './join-reports.ts';
import { likenessOf } from './likeness.ts';
import type { Report } from './report.ts';
import type { PlainSpan } from './span-tree.ts';

/** Reports that may be of one request, and the spans around them. No other report can be joined to any of them. */
export interface Component {
  readonly reports: Report[];
  readonly spans: PlainSpan[];
}

/** Splits reports into sets that share nothing by which reports are joined. */
export function componentsOf(reports: readonly Report[], spans: readonly PlainSpan[]): Component[] {
  const parents = new Map<string, string>();
  const rootOf = (key: string): string => {
    let root = key;
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next;
    // All that is on the way leads to the root from now on: a trace of thousands of calls would be walked for each.
    for (let at = key, next = parents.get(at); next !== undefined; at = next, next = parents.get(at)) {
      parents.set(at, root);
    }
    return root;
  };
  const keys = reports.map((report, index) => {
    const [own, ...shared] = [`report ${index}`, ...sharedBy(report)] as const;
    for (const key of shared) {
      const [a, b] = [rootOf(own), rootOf(key)];
      if (a !== b) parents.set(a, b);
    }
    return own;
  });
  const components = new Map<string, Component>();
  for (const [index, report] of reports.entries()) {
    const root = rootOf(keys[index] ?? '');
    const known = components.get(root);
    if (known === undefined) components.set(root, { reports: [report], spans: [] });
    else known.reports.push(report);
  }
  for (const span of spans) components.get(rootOf(traceKey(span)))?.spans.push(span);
  return [...components.values()];
}

const traceKey = ({ trace }: Pick<PlainSpan, 'trace'>): string => `trace ${trace}`;

const sharedBy = (report: Report): string[] => [
  ...(report.span === '' ? [] : [traceKey(report)]),
  ...report.answers.map((answer) => `answer ${answer}`),
  ...(streamOf(report) ?? []).map((stream) => `stream ${stream}`),
  ...(likenessOf(report) ?? []).map((likeness) => `like ${likeness}`),
];
