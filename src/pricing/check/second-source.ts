import { rateOfNumber } from '../catalogue-entry.ts';
import { type ListedModel, openLlmZoo, soldModels } from '../lists/llm-zoo.ts';
import type { ModelName, RatesByName } from './listed-rates.ts';

export interface SourceModel extends ModelName {
  /** Only `input` and `output`. For cached tokens the list has only a factor. */
  readonly rates: RatesByName;
}

export interface SecondSource {
  readonly name: string;
  readonly version: string;
  readonly models: readonly SourceModel[];
}

/** The catalogue's names for providers that the list names differently. */
const providers: Readonly<Record<string, string>> = { glm: 'zhipuai', moonshot: 'moonshotai', xai: 'x-ai' };

/** The models of the list, each name once. */
export function toSourceModels(listed: readonly ListedModel[]): SourceModel[] {
  const models = new Map<string, SourceModel>();
  for (const { provider: seller, fullName: model, inputPrice, outputPrice } of soldModels(listed)) {
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

/** The list prices of the installed package `llm-zoo`. */
export async function readSecondSource(): Promise<SecondSource> {
  const { version, models } = await openLlmZoo();
  return { name: 'llm-zoo', version, models: toSourceModels(models) };
}
