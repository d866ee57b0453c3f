import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { parseJson } from '../../lib/json.ts';
import { rateOfNumber } from '../catalogue-entry.ts';
import type { ModelName, RatesByName } from './listed-rates.ts';

/** A model of another price list. */
export interface SourceModel extends ModelName {
  /** Only `input` and `output`. For cached tokens the list has only a factor. */
  readonly rates: RatesByName;
}

export interface SecondSource {
  readonly name: string;
  readonly version: string;
  readonly models: readonly SourceModel[];
}

const packageName = 'llm-zoo';

/** The catalogue's names for providers that the list names differently. */
const providers: Readonly<Record<string, string>> = {
  glm: 'zhipuai',
  moonshot: 'moonshotai',
  xai: 'x-ai',
};

/** The fields of a list entry that a check reads. */
const listedModel = z.object({
  provider: z.string(),
  fullName: z.string(),
  inputPrice: z.number().nonnegative(),
  outputPrice: z.number().nonnegative(),
  openRouterOnly: z.boolean(),
  /** A separate entry for a more expensive tier of a model. */
  serviceTier: z.string().optional(),
  deprecated: z.boolean().optional(),
});
export type ListedModel = z.output<typeof listedModel>;

/** Subscriptions, and models that no provider sells. Their prices are not comparable. */
const withoutPrices: ReadonlySet<string> = new Set(['copilot', 'others']);

/**
 * The models of the list. If several entries have one name, such as with and without thinking, the current one counts.
 */
export function toSourceModels(listed: readonly ListedModel[]): SourceModel[] {
  const models = new Map<string, SourceModel>();
  const byAge = listed.toSorted((a, b) => Number(a.deprecated ?? false) - Number(b.deprecated ?? false));
  for (const { provider: seller, fullName: model, inputPrice, outputPrice, openRouterOnly, serviceTier } of byAge) {
    if (openRouterOnly || serviceTier !== undefined || withoutPrices.has(seller)) continue;
    const provider = providers[seller] ?? seller;
    const key = JSON.stringify([provider, model]);
    if (models.has(key)) continue;
    const rates = new Map([
      ['input', rateOfNumber(inputPrice).text],
      ['output', rateOfNumber(outputPrice).text],
    ]);
    models.set(key, { provider, model, rates });
  }
  return [...models.values()];
}

let opened: Promise<SecondSource> | undefined;

/** The list prices of the installed package `llm-zoo`. Nothing else mixes them with the catalogue's. */
export function readSecondSource(): Promise<SecondSource> {
  opened ??= open();
  return opened;
}

async function open(): Promise<SecondSource> {
  const { MODEL_CONFIGS: configs } = await import('llm-zoo');
  const entry = createRequire(import.meta.url).resolve(packageName);
  const manifest = parseJson(readFileSync(new URL('../package.json', pathToFileURL(entry)), 'utf8'));
  return {
    name: packageName,
    version: z.object({ version: z.string() }).parse(manifest).version,
    models: toSourceModels(z.array(listedModel).parse(Object.values(configs))),
  };
}
