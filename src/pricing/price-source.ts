import { z } from 'zod';
import type { PriceSource } from './rates.ts';

/** Where a unit price comes from (D5.6), in the API's names. */
export const priceSourceSchema = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('override'), override_id: z.string() }),
    z.object({
      kind: z.literal('catalogue'),
      version: z.string().describe('The version of the catalogue package.'),
      provider: z.string().describe("The catalogue's name of the provider that lists the model."),
      entry: z.string().describe("The catalogue's name of the model's entry."),
      correction_source: z
        .string()
        .nullable()
        .describe('The page that supports a correction of the entry; null when it is not corrected.'),
    }),
  ])
  .describe('Where the unit price comes from.');

export const toPriceSource = (source: PriceSource): z.input<typeof priceSourceSchema> =>
  source.kind === 'override'
    ? { kind: source.kind, override_id: source.overrideId }
    : {
        kind: source.kind,
        version: source.version,
        provider: source.provider,
        entry: source.entry,
        correction_source: source.correctionSource,
      };
