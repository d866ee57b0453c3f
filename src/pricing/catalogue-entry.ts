import { decimal, parseDecimal } from '../lib/money.ts';
import type { CataloguePrices, PriceConstraint } from './catalogue-data.ts';
import type { ListedModel } from './catalogue-match.ts';
import type { FurtherEntry } from './further-list.ts';
import { freeRates, type Rate, rateOf, spreadRates, type TokenRates } from './rates.ts';

/** Why a model has no catalogue entry. */
export type NoEntryReason = 'no_model' | 'unknown_provider' | 'unknown_model';

/** A model's entry in the catalogue, or in a further list. Each call's unit prices are chosen from it. */
export type CatalogueEntry = {
  /** The names of the provider that lists the model and of the entry. */
  readonly provider: string;
  readonly id: string;
  /** The page that supports the correction of this entry; null when it is not corrected. */
  readonly correctionSource: string | null;
  /** The further list that has the entry; null for the catalogue. */
  readonly list: { readonly name: string; readonly version: string } | null;
  /** In the catalogue's order. */
  readonly schedule: readonly [ScheduledRates, ...ScheduledRates[]];
};

type ScheduledRates = TieredRates & {
  readonly holdsAt: (timeMs: number) => boolean;
  readonly isOfHours: boolean;
  /** When it begins, in milliseconds since 1970, and the times of a day (UTC) at which it begins or ends to hold. */
  readonly startMs: number;
  readonly edgesMs: readonly number[];
};

export type TieredRates = {
  /** For prompts that exceed no bound of `tiers`. */
  readonly base: TokenRates;
  /** Ascending; the last one whose bound the prompt exceeds replaces `base`. */
  readonly tiers: readonly { readonly aboveInputTokens: number; readonly rates: TokenRates }[];
};

/** The rates for a prompt of `inputTokens` tokens, cached ones included. */
export function ratesOfSize({ base, tiers }: TieredRates, inputTokens: number): TokenRates {
  return tiers.findLast(({ aboveInputTokens }) => inputTokens > aboveInputTokens)?.rates ?? base;
}

/** The unit prices at `timeMs` (milliseconds since 1970) for prompts of every size; tiers ascend. */
export function resolveTiers({ schedule }: CatalogueEntry, timeMs: number): TieredRates {
  return schedule.findLast(({ holdsAt }) => holdsAt(timeMs)) ?? schedule[0];
}

/** Whether some prices of the entry hold for some hours of a day. */
export const hasHours = ({ schedule }: CatalogueEntry): boolean => schedule.some(({ isOfHours }) => isOfHours);

export function readEntry({ provider, model }: ListedModel, correctionSource: string | null): CatalogueEntry {
  const [first, ...further] = Array.isArray(model.prices) ? model.prices : [{ prices: model.prices }];
  return {
    provider: provider.id,
    id: model.id,
    correctionSource,
    list: null,
    schedule: [readScheduled(first), ...further.map(readScheduled)],
  };
}

/** The entry of a further list, whose prices hold at any time. */
export const readFurtherEntry = (
  [provider, id, tokens]: FurtherEntry,
  list: { readonly name: string; readonly version: string },
): CatalogueEntry | null =>
  tokens && { provider, id, correctionSource: null, list, schedule: [readScheduled({ prices: tokens })] };

function readScheduled({
  constraint,
  prices,
}: {
  constraint?: PriceConstraint | undefined;
  prices: CataloguePrices;
}): ScheduledRates {
  const isOfHours = constraint?.start_time !== undefined || constraint?.end_time !== undefined;
  return { isOfHours, ...readConstraint(constraint), ...readTieredRates(prices) };
}

/** The rates of a price list for prompts of every size. */
export function readTieredRates(prices: CataloguePrices): TieredRates {
  const starts = Object.values(prices).flatMap((price) =>
    typeof price === 'number' ? [] : price.tiers.map(({ start }) => start),
  );
  const ascending = [...new Set(starts)].sort((a, b) => a - b);
  return {
    base: readRates(prices, -1),
    tiers: ascending.map((aboveInputTokens) => ({ aboveInputTokens, rates: readRates(prices, aboveInputTokens) })),
  };
}

/** The rates of a request whose prompt is one token larger than `aboveInputTokens`. */
function readRates(prices: CataloguePrices, aboveInputTokens: number): TokenRates {
  // An entry without any price is a free model (`…:free`).
  if (Object.keys(prices).length === 0) return freeRates();

  const rate = (name: string, unitsPerPrice = 1): Rate | null => {
    const price = Object.hasOwn(prices, name) ? prices[name] : undefined;
    if (price === undefined) return null;
    const tiers = typeof price === 'number' ? [] : price.tiers.filter(({ start }) => start <= aboveInputTokens);
    const base = typeof price === 'number' ? price : price.base;
    const highest = tiers.toSorted((a, b) => a.start - b.start).at(-1);
    return rateOfNumber(highest?.price ?? base, unitsPerPrice);
  };
  return spreadRates({
    input: rate('input_mtok'),
    output: rate('output_mtok'),
    cacheRead: rate('cache_read_mtok'),
    cacheWrite: rate('cache_write_mtok'),
    cacheWrite1h: rate('cache_write_1h_mtok'),
    inputAudio: rate('input_audio_mtok'),
    cacheReadAudio: rate('cache_audio_read_mtok'),
    inputImage: rate('input_image_mtok'),
    cacheReadImage: rate('cache_image_read_mtok'),
    inputVideo: rate('input_video_mtok'),
    reasoning: rate('output_reasoning_mtok'),
    outputAudio: rate('output_audio_mtok'),
    outputImage: rate('output_image_mtok'),
    outputVideo: rate('output_video_mtok'),
    perRequest: rate('requests_kcount', 1000),
  });
}

/** Exact: a double has any decimal of 15 digits uniquely; further ones are float noise (0.18000000000000002). */
export function rateOfNumber(price: number, unitsPerPrice = 1): Rate {
  const exact = parseDecimal(price.toPrecision(15));
  if (exact === null) throw new Error(`not a price: ${price}`);
  // A thousand is a power of ten, so the division only moves the point.
  return rateOf(decimal(exact.mantissa, exact.scale + Math.log10(unitsPerPrice)));
}

const dayMs = 86_400_000;

function readConstraint(
  constraint: PriceConstraint | undefined,
): Pick<ScheduledRates, 'holdsAt' | 'startMs' | 'edgesMs'> {
  const { start_date: start, start_time: from, end_time: to, weekdays } = constraint ?? {};
  const startMs = start === undefined ? Number.NEGATIVE_INFINITY : Date.parse(start);
  const fromMs = from === undefined ? 0 : Date.parse(`1970-01-01T${from}`);
  const toMs = to === undefined ? dayMs : Date.parse(`1970-01-01T${to}`);
  const holdsAt = (timeMs: number) => {
    const ofDayMs = ((timeMs % dayMs) + dayMs) % dayMs;
    const isInHours = fromMs <= toMs ? ofDayMs >= fromMs && ofDayMs < toMs : ofDayMs >= fromMs || ofDayMs < toMs;
    return (
      timeMs >= startMs && isInHours && (weekdays === undefined || weekdays.includes(new Date(timeMs).getUTCDay()))
    );
  };
  const isOfWholeDays = from === undefined && to === undefined;
  const edgesMs = [...(weekdays === undefined ? [] : [0]), ...(isOfWholeDays ? [] : [fromMs, toMs % dayMs])];
  return { holdsAt, startMs, edgesMs };
}
