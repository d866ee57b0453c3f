import { parseJson } from '../lib/json.ts';
import { type OtherUsage, type Usage, usageBuckets } from '../lib/usage-buckets.ts';
import { maxTokens } from './usage-counts.ts';

/**
 * The usage of other models within a call, as a field of an event (`other_usage`). Like the call's own usage it is
 * taken whole from the event that reports it.
 */
export const otherUsageField = 'other_usage';

/** More models than any answer names. Those of further ones, and longer names, are added up under the empty name. */
const maxModels = 8;
const maxModelLength = 256;

/** Adds up the usage of each model. */
export function sumByModel(all: readonly OtherUsage[]): readonly OtherUsage[] {
  const sums = new Map<string, Usage>();
  for (const { model, usage } of all) {
    const isNamed = model.length <= maxModelLength && (sums.has(model) || sums.size < maxModels);
    const name = isNamed ? model.toWellFormed() : '';
    const known = sums.get(name);
    sums.set(name, known === undefined ? usage : addUsage(known, usage));
  }
  return [...sums].map(([model, usage]) => ({ model, usage }));
}

function addUsage(a: Usage, b: Usage): Usage {
  const sum = { ...a };
  for (const bucket of usageBuckets) sum[bucket] = Math.min(a[bucket] + b[bucket], maxTokens);
  return sum;
}

/** The field's text: the models, each with its counts in the order of `usageBuckets`. */
export const formatOtherUsage = (others: readonly OtherUsage[]): string =>
  JSON.stringify(others.map(({ model, usage }) => [model, ...usageBuckets.map((bucket) => usage[bucket])]));

/** The usage in the field's text, which `formatOtherUsage` wrote. */
export function parseOtherUsage(text: string | undefined): readonly OtherUsage[] | undefined {
  if (text === undefined) return undefined;
  const rows = parseJson(text) as readonly (readonly [string, ...number[]])[];
  return rows.map(([model, ...counts]) => ({
    model,
    usage: Object.fromEntries(usageBuckets.map((bucket, index) => [bucket, counts[index] ?? 0])) as Usage,
  }));
}
