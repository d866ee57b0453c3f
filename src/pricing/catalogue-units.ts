import type { UnitName } from '../lib/units.ts';
import type { CatalogueModel, CataloguePrices } from './catalogue-data.ts';
import { type OpenedSupplement, toUnitRate } from './opened-supplement.ts';
import type { UnitRate } from './rates.ts';

/** The catalogue's prices of what a model reads or makes beside tokens, and how much of the unit each is for. */
const units: Readonly<Record<string, readonly [unit: UnitName, per: number]>> = {
  input_mchars: ['characters', 1_000_000],
  audio_hours: ['audio_seconds', 3_600],
  input_audio_hours: ['audio_seconds', 3_600],
  input_document_kpages: ['pages', 1_000],
  input_annotated_document_kpages: ['annotated_pages', 1_000],
};

/** The unit prices of an entry; empty for most. Of prices with a start, the latest that has begun counts. */
export function unitsOfEntry(
  { id, prices }: CatalogueModel,
  source: OpenedSupplement['source'],
): readonly OpenedSupplement[] {
  const schedule = Array.isArray(prices) ? prices : [{ prices, constraint: undefined }];
  return schedule
    .flatMap(({ prices: listed, constraint }): OpenedSupplement[] => {
      const rates = readUnits(listed);
      if (rates.size === 0) return [];
      const start = constraint?.start_date;
      return [
        {
          match: { equals: id },
          fromMs: start === undefined ? Number.NEGATIVE_INFINITY : Date.parse(start),
          untilMs: Number.POSITIVE_INFINITY,
          when: new Map(),
          prices: null,
          factor: null,
          units: rates,
          source,
        },
      ];
    })
    .toReversed();
}

function readUnits(prices: CataloguePrices): Map<UnitName, UnitRate> {
  return new Map(
    Object.entries(units).flatMap(([name, [unit, per]]) => {
      const price = prices[name];
      return typeof price === 'number' && price > 0 ? [[unit, toUnitRate({ usd: price, per })] as const] : [];
    }),
  );
}
