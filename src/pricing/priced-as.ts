import { type Usage, usageBuckets } from '../lib/usage-buckets.ts';
import type { CostedCall } from './cost.ts';

/** What decides a call's cost besides its names, counts and times. */
type Traits = Pick<CostedCall, 'hasUnknownUsage' | 'isUsageMissing' | 'mayBeSum'> & {
  /** The call names its provider. */
  readonly namesProvider: boolean;
  /** An event of the call reports usage. */
  readonly hasUsage: boolean;
  /** An event of the call says what it costs (D3.11). */
  readonly hasOwnCost: boolean;
};

/** A word for each trait that few calls have, and for tokens that decide which lines a cost has. */
const words = {
  no_provider: ({ provider }: CostedCall) => provider === '',
  no_usage: ({ usage }: CostedCall) => usage === null,
  no_tokens: ({ usage }: CostedCall) => usage !== null && !hasTokens(usage),
  cache_write: ({ usage }: CostedCall) => usage !== null && usage.cacheWrite > 0,
  unknown_usage: ({ hasUnknownUsage }: CostedCall) => hasUnknownUsage,
  usage_missing: ({ isUsageMissing }: CostedCall) => isUsageMissing === true,
  may_be_sum: ({ mayBeSum }: CostedCall) => mayBeSum === true,
  own_cost: ({ reportedCost }: CostedCall) => reportedCost !== null,
};
type Word = keyof typeof words;

function hasTokens(usage: Usage): boolean {
  for (const bucket of usageBuckets) if (usage[bucket] > 0) return true;
  return false;
}

/** The column `priced_as` of a call: the words of its traits, between spaces; empty for most calls. */
export function writePricedAs(call: CostedCall): string {
  let text = '';
  let word: Word;
  for (word in words) if (words[word](call)) text = text === '' ? word : `${text} ${word}`;
  return text;
}

/** The traits of a call with this text in `priced_as`. */
export function readPricedAs(text: string): Traits {
  const named = new Set(text.split(' '));
  const has = (word: Word) => named.has(word);
  return {
    namesProvider: !has('no_provider'),
    hasUsage: !has('no_usage'),
    hasUnknownUsage: has('unknown_usage'),
    isUsageMissing: has('usage_missing'),
    mayBeSum: has('may_be_sum'),
    hasOwnCost: has('own_cost'),
  };
}
