import type { PlainSpan } from '../events/plain-span.ts';
import { streamOf } from './join-reports.ts';
import { beginningOf, leftOf, likenessOf } from './likeness.ts';
import type { Report } from './report.ts';

/** Reports that may be of one request, and the spans around them. No other report can be joined to any of them. */
export interface Component {
  readonly reports: Report[];
  readonly spans: PlainSpan[];
}

/** Splits reports into sets that share nothing by which reports are joined; without reports that are alone. */
export function componentsOf(reports: readonly Report[], spans: readonly PlainSpan[]): Component[] {
  const parents = reports.map((_, index) => index);
  const rootOf = (index: number): number => {
    let root = index;
    for (let next = parents[root]; next !== undefined && next !== root; next = parents[root]) root = next;
    // All that is on the way leads to the root from now on: a trace of thousands of calls would be walked for each.
    for (let at = index; at !== root; ) {
      const next = parents[at] ?? root;
      parents[at] = root;
      at = next;
    }
    return root;
  };
  const unite = (one: number, other: number): void => {
    parents[rootOf(other)] = rootOf(one);
  };
  const firstWith = new Map<string, number>();
  for (const [index, report] of reports.entries()) {
    for (const key of sharedBy(report)) {
      const first = firstWith.get(key);
      if (first === undefined) firstWith.set(key, index);
      else unite(first, index);
    }
  }
  for (const [first = 0, ...others] of findAlike(reports)) for (const other of others) unite(first, other);
  const components = new Map<number, Component>();
  for (const [index, report] of reports.entries()) {
    const root = rootOf(index);
    const known = components.get(root);
    if (known === undefined) components.set(root, { reports: [report], spans: [] });
    else known.reports.push(report);
  }
  for (const span of spans) components.get(rootOf(firstWith.get(traceKey(span)) ?? -1))?.spans.push(span);
  return [...components.values()].filter(({ reports: { length }, spans: around }) => length > 1 || around.length > 0);
}

const traceKey = ({ trace }: Pick<PlainSpan, 'trace'>): string => `trace ${trace}`;

const sharedBy = (report: Report): string[] => [
  ...(report.span === '' ? [] : [traceKey(report)]),
  ...report.answers.map((answer) => `answer ${answer}`),
  ...(streamOf(report) ?? []).map((stream) => `stream ${stream}`),
];

/** The indexes of reports that are alike, where they are of several emitters: likeness joins none of one. */
function findAlike(reports: readonly Report[]): (readonly number[])[] {
  const areOfSeveral = ([first = 0, ...others]: readonly number[]): boolean =>
    others.some((other) => reports[other]?.scope !== reports[first]?.scope);
  const all = [...reports.keys()];
  if (!areOfSeveral(all)) return [];
  return [likenessOf, beginningOf, leftOf].flatMap((textOf) => {
    const sharing = Map.groupBy(all, (index) => reports[index] && textOf(reports[index])?.[0]);
    sharing.delete(undefined);
    return [...sharing.values()].filter(areOfSeveral);
  });
}
