import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { parseJson } from '../../lib/json.ts';
import type { FurtherEntry } from '../further-list.ts';
import { isSold } from './read-prices.ts';

const packageName = 'llm-zoo';

/** The fields of an entry that are read. Prices are US dollars per million tokens. */
const listedModel = z.object({
  provider: z.string(),
  fullName: z.string(),
  inputPrice: z.number().nonnegative(),
  outputPrice: z.number().nonnegative(),
  openRouterOnly: z.boolean(),
  /** A separate entry for a more expensive tier of a model. */
  serviceTier: z.string().optional(),
  deprecated: z.boolean().optional(),
  /** `cacheDiscountFactor` is what cached input costs, as a share of the input price. */
  capabilities: z.object({ cacheDiscountFactor: z.number().min(0).max(1).optional() }).optional(),
});
export type ListedModel = z.output<typeof listedModel>;

export interface LlmZoo {
  readonly version: string;
  readonly models: readonly ListedModel[];
}

let opened: Promise<LlmZoo> | undefined;

export function openLlmZoo(): Promise<LlmZoo> {
  opened ??= open();
  return opened;
}

async function open(): Promise<LlmZoo> {
  const { MODEL_CONFIGS: configs } = await import('llm-zoo');
  const entry = createRequire(import.meta.url).resolve(packageName);
  const manifest = parseJson(readFileSync(new URL('../package.json', pathToFileURL(entry)), 'utf8'));
  return {
    version: z.object({ version: z.string() }).parse(manifest).version,
    models: z.array(listedModel).parse(Object.values(configs)),
  };
}

/** Subscriptions, and models that no provider sells. Their prices are not comparable. */
const withoutPrices: ReadonlySet<string> = new Set(['copilot', 'others']);

/** Models sold by their own providers at one price. If several have one name, the current one comes first. */
export const soldModels = (models: readonly ListedModel[]): ListedModel[] =>
  models
    .filter(
      ({ provider, openRouterOnly, serviceTier }) =>
        !openRouterOnly && serviceTier === undefined && !withoutPrices.has(provider),
    )
    .toSorted((a, b) => Number(a.deprecated ?? false) - Number(b.deprecated ?? false));

export const readLlmZoo = ({ models }: LlmZoo): FurtherEntry[] =>
  soldModels(models).flatMap(({ provider, fullName, inputPrice, outputPrice, capabilities }): FurtherEntry[] => {
    const cached = capabilities?.cacheDiscountFactor;
    const prices = {
      input_mtok: inputPrice,
      output_mtok: outputPrice,
      ...(cached ? { cache_read_mtok: Number((inputPrice * cached).toPrecision(12)) } : {}),
    };
    return isSold(prices, fullName) ? [[provider, fullName, prices]] : [];
  });
