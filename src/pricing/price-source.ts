import { z } from 'zod';
import { termNames } from '../lib/units.ts';
import type { PriceSource, TermChange } from './rates.ts';

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
    z.object({
      kind: z.literal('further_list'),
      list: z.string().describe('A public price list that Farthing did not review: `llm-zoo`, `litellm` …'),
      version: z.string().describe('The version of the list.'),
      provider: z.string().describe("The list's name of the provider."),
      entry: z.string().describe("The list's name of the model."),
    }),
    z.object({
      kind: z.literal('supplement'),
      page: z
        .string()
        .describe('The page that supports a price of a unit or a term, which the catalogue package lacks.'),
      checked_on: z.string().describe('The day on which the page was read.'),
    }),
  ])
  .describe('Where the unit price comes from.');

export function toPriceSource(source: PriceSource): z.input<typeof priceSourceSchema> {
  switch (source.kind) {
    case 'override':
      return { kind: source.kind, override_id: source.overrideId };
    case 'supplement':
      return { kind: source.kind, page: source.page, checked_on: source.checkedOn };
    case 'further_list':
      return { ...source };
    case 'catalogue':
      return {
        kind: source.kind,
        version: source.version,
        provider: source.provider,
        entry: source.entry,
        correction_source: source.correctionSource,
      };
  }
}

/** What a term of a call did to a rate (D5.6). */
export const termChangeSchema = z.object({
  name: z.enum(termNames),
  value: z.string().describe('As the call names it.'),
  factor: z
    .number()
    .nullable()
    .describe(
      'The factor on the list price. Null: the term has its own price, or acts together with the term before it.',
    ),
  source: priceSourceSchema,
});

export const toTermChange = ({ name, value, factor, source }: TermChange): z.input<typeof termChangeSchema> => ({
  name,
  value,
  factor: factor === null ? null : Number(factor),
  source: toPriceSource(source),
});
