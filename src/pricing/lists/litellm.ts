import { z } from 'zod';
import type { UnitName } from '../../lib/units.ts';
import type { CataloguePrices } from '../catalogue-data.ts';
import type { FurtherEntry, ListedUnitPrice } from '../further-list.ts';
import { isSelfHosted, sellerOf } from '../sellers.ts';
import { isPrice, isSold, perMillion, tiered } from './read-prices.ts';

/** The catalogue's names of LiteLLM's prices of one token. */
const tokenKeys: readonly (readonly [key: string, catalogue: string])[] = [
  ['input_cost_per_token', 'input_mtok'],
  ['output_cost_per_token', 'output_mtok'],
  ['cache_read_input_token_cost', 'cache_read_mtok'],
  ['cache_creation_input_token_cost', 'cache_write_mtok'],
  ['cache_creation_input_token_cost_above_1hr', 'cache_write_1h_mtok'],
  ['input_cost_per_audio_token', 'input_audio_mtok'],
  ['cache_read_input_audio_token_cost', 'cache_audio_read_mtok'],
  ['input_cost_per_image_token', 'input_image_mtok'],
  ['cache_read_input_image_token_cost', 'cache_image_read_mtok'],
  ['input_cost_per_video_token', 'input_video_mtok'],
  ['output_cost_per_reasoning_token', 'output_reasoning_mtok'],
  ['output_cost_per_audio_token', 'output_audio_mtok'],
  ['output_cost_per_image_token', 'output_image_mtok'],
  ['output_cost_per_video_token', 'output_video_mtok'],
];

/** LiteLLM's prices of units, the best first. Seconds are of video in the mode `video_generation`, otherwise of audio. */
const unitKeys: readonly (readonly [key: string, unit: UnitName])[] = [
  ['output_cost_per_image', 'images'],
  ['output_cost_per_video_per_second', 'video_seconds'],
  ['input_cost_per_query', 'search_units'],
  ['ocr_cost_per_page', 'pages'],
  ['annotation_cost_per_page', 'annotated_pages'],
  ['input_cost_per_character', 'characters'],
  ['output_cost_per_character', 'characters'],
];
const secondKeys = ['output_cost_per_second', 'input_cost_per_second', 'cost_per_second'] as const;

export const litellmData = z.record(z.string(), z.looseObject({ litellm_provider: z.string().optional() }));

type Listed = z.infer<typeof litellmData>[string];

/** The entries of LiteLLM's `model_prices_and_context_window.json`. */
export function readLitellm(data: z.infer<typeof litellmData>): FurtherEntry[] {
  return Object.entries(data).flatMap(([key, listed]): FurtherEntry[] => {
    const seller = listed.litellm_provider;
    if (key === 'sample_spec' || seller === undefined || isSelfHosted(sellerOf(seller))) return [];
    const tokens = readTokens(listed);
    const units = readUnits(listed);
    const model = withoutPrefix(key, seller);
    const hasTokens = isSold(tokens, model);
    const hasUnits = Object.keys(units).length > 0;
    if (!hasTokens && !hasUnits) return [];
    return [hasUnits ? [seller, model, hasTokens ? tokens : null, units] : [seller, model, tokens]];
  });
}

/** `dashscope/qwen-max` without the seller's name. */
function withoutPrefix(key: string, seller: string): string {
  const slash = key.indexOf('/');
  return slash > 0 && sellerOf(key.slice(0, slash)) === sellerOf(seller) ? key.slice(slash + 1) : key;
}

function readTokens(listed: Listed): CataloguePrices {
  const prices: CataloguePrices = {};
  for (const [key, name] of tokenKeys) {
    const base = listed[key];
    if (!isPrice(base) || (base === 0 && name.startsWith('cache_write'))) continue;
    const tiers = Object.entries(listed).flatMap(([other, price]) => {
      const above = other.startsWith(`${key}_above_`) ? /_above_(\d+)k_tokens$/.exec(other) : null;
      const isOfKey = above !== null && other === `${key}_above_${above[1]}k_tokens`;
      return isOfKey && isPrice(price) ? [{ start: Number(above[1]) * 1_000, price: perMillion(price) }] : [];
    });
    prices[name] = tiered(perMillion(base), tiers);
  }
  const request = listed.input_cost_per_request;
  if (isPrice(request) && request > 0) prices.requests_kcount = Number((request * 1_000).toPrecision(12));
  return prices;
}

function readUnits(listed: Listed): Partial<Record<UnitName, ListedUnitPrice>> {
  const units: Partial<Record<UnitName, ListedUnitPrice>> = {};
  for (const [key, unit] of unitKeys) {
    const price = listed[key];
    if (isPrice(price) && price > 0) units[unit] ??= { usd: price, per: 1 };
  }
  const seconds = listed.mode === 'video_generation' ? 'video_seconds' : 'audio_seconds';
  for (const key of secondKeys) {
    const price = listed[key];
    if (isPrice(price) && price > 0) units[seconds] ??= { usd: price, per: 1 };
  }
  return units;
}
