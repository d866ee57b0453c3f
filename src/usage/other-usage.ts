import { byName } from '../lib/by-name.ts';
import { parseJson } from '../lib/json.ts';
import { type OtherUsage, type Usage, usageBuckets } from '../lib/usage-buckets.ts';
import { maxTokens } from './readers/usage-counts.ts';

/** Other models' usage as a field of an event, taken whole from the one that reports it. */
export const otherUsageField = 'other_usage';

/** More models than any answer names. Those of further ones, and longer names, are added up under the empty name. */
const maxModels = 8;
const maxModelLength = 256;

/** Adds up the usage of each model. */
export function sumByModel(all: readonly OtherUsage[]): readonly OtherUsage[] {
  const sums = new Map<string, OtherUsage>();
  for (const { model, usage, isPart } of all) {
    const keyOf = (name: string) => `${isPart ?? false} ${name}`;
    const isNamed = model.length <= maxModelLength && (sums.has(keyOf(model)) || sums.size < maxModels);
    const name = isNamed ? model.toWellFormed() : '';
    const known = sums.get(keyOf(name));
    sums.set(keyOf(name), { model: name, usage: known === undefined ? usage : addUsage(known.usage, usage), isPart });
  }
  return [...sums.values()];
}

function addUsage(a: Usage, b: Usage): Usage {
  const sum = { ...a };
  for (const bucket of usageBuckets) sum[bucket] = Math.min(a[bucket] + b[bucket], maxTokens);
  return sum;
}

/** The field's text: the models, each with its counts in the order of `usageBuckets`, and a 1 if they are a part. */
export const formatOtherUsage = (others: readonly OtherUsage[]): string =>
  JSON.stringify(
    others.map(({ model, usage, isPart }) => [
      model,
      ...usageBuckets.map((bucket) => usage[bucket]),
      ...(isPart ? [1] : []),
    ]),
  );

/** The usage in the field's text, which `formatOtherUsage` wrote. */
export function parseOtherUsage(text: string | undefined): readonly OtherUsage[] | undefined {
  if (text === undefined) return undefined;
  const rows = parseJson(text) as readonly (readonly [string, ...number[]])[];
  return rows.map(([model, ...counts]) => ({
    model,
    usage: byName(usageBuckets, (_bucket, place) => counts[place] ?? 0),
    isPart: counts[usageBuckets.length] === 1 ? true : undefined,
  }));
}
