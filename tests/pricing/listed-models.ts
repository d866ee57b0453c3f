// The models whose list prices the model of prices (`list-price-model.ts`) can reckon.
import { installedCatalogue } from '../../src/pricing/catalogue.ts';
import { type CatalogueModel, catalogueData } from '../../src/pricing/catalogue-data.ts';
import { corrections, supplements } from './reviewed.ts';
import { findEntry, openInstalledCatalogue } from './support.ts';

export type Listed = { readonly provider: string; readonly model: string; readonly entry: CatalogueModel | null };

/** The models of providers with supplements that are found by their entry's name. */
export function listModels(): Listed[] {
  const catalogue = openInstalledCatalogue();
  const sellers = new Set(supplements.flatMap(({ providers }) => providers));
  return catalogueData.parse(JSON.parse(installedCatalogue().data)).providers.flatMap(({ id: provider, models }) => {
    const corrected = corrections.filter((correction) => correction.provider === provider);
    return [...corrected.map(({ model }) => model), ...models].flatMap((entry): Listed[] => {
      const found = findEntry(catalogue, provider, entry.id);
      const isFound = typeof found !== 'string' && found.provider === provider && found.id === entry.id;
      const isFirst = !corrected.some(({ model }) => model.id === entry.id && model !== entry);
      return sellers.has(provider) && isFound && isFirst ? [{ provider, model: entry.id, entry }] : [];
    });
  });
}

export const supplementsOf = (provider: string) => supplements.filter(({ providers }) => providers.includes(provider));
