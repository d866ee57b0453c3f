// A project as the model sees it, and the fields that all questions about it share.
import type { CallSources } from './calls.ts';
import type { ModelGrant } from './credits.ts';
import type { Aggregate } from './days.ts';
import type { KeyMetric, MetricEvent } from './key-metrics.ts';
import type { RevenueEntry } from './revenue.ts';
import type { ModelSharedCost } from './shared.ts';

export interface ModelStore extends CallSources {
  events: readonly MetricEvent[];
  customerTags: Tags;
  userTags?: Tags;
  grants?: readonly ModelGrant[];
  /** In the order of posting. */
  revenue?: readonly RevenueEntry[];
  atRiskBelowPct?: number | null;
  keyMetrics?: readonly KeyMetric[];
  /** In the order of posting. */
  shared?: readonly ModelSharedCost[];
}

export type Tags = ReadonlyMap<string, ReadonlyMap<string, string>>;

export interface ModelQuery {
  date_from: string;
  date_to: string;
  aggregate?: Aggregate;
  apply_credits?: boolean;
  include_shared?: boolean;
}

/** The field of rows grouped by a name or by a tag of what has the name, and the value of a name (D28.1). */
export function groupOfNames(
  group: string,
  tags: Tags | undefined,
): [field: string, groupOf: (name: string) => string] {
  const colon = group.indexOf(':');
  if (colon === -1) return [group, (name) => name];
  return ['tag', (name) => tags?.get(name)?.get(group.slice(colon + 1)) ?? ''];
}

export type TagFilter = Record<string, string | string[]>;

/** AND across the keys, OR within the values of one key. */
export function carries(filter: TagFilter, valuesOf: (key: string) => (string | undefined)[]): boolean {
  return Object.entries(filter).every(([key, wanted]) => {
    const values = valuesOf(key);
    return [wanted].flat().some((value) => values.includes(value));
  });
}
