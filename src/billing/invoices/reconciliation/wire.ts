import { z } from 'zod';
import { pageOf } from '../../../lib/http/page-envelope.ts';
import { askedField, moneyField } from '../../../lib/http/row-fields.ts';
import { unitNames } from '../../../lib/units.ts';

/** The parts of a difference between an invoice and the computed costs (README.md), in the order of answers. */
export const partKinds = [
  'timing',
  'unpriced',
  'not_seen',
  'not_invoiced',
  'price',
  'discount',
  'credit',
  'tax',
  'rest',
] as const;
export type PartKind = (typeof partKinds)[number];

const rate = z.number().describe('USD per million tokens.');
const day = z.string().meta({ format: 'date' });

/** A body of `POST /api/prices/`. Rates that it leaves out are the input or output rate. */
const overrideSchema = z
  .object({
    provider: z.string().optional(),
    model: z.string(),
    effective_from: day.describe('The first day on which the invoice has this price.'),
    effective_to: day.optional().describe('The last such day; absent while the price lasts.'),
    input_per_mtok: rate,
    output_per_mtok: rate,
    cache_read_per_mtok: rate.optional(),
    cache_write_per_mtok: rate.optional(),
    input_audio_per_mtok: rate.optional(),
    output_audio_per_mtok: rate.optional(),
    reasoning_per_mtok: rate.optional(),
    per_request: z.number().optional().describe('USD per call.'),
    units: z.partialRecord(z.enum(unitNames), z.number()).optional().describe('USD per one of each unit.'),
  })
  .describe(
    'The price override that makes the computed cost equal to the invoice: the body of `POST /api/prices/`. Then reprice the days.',
  );

export type OverrideWire = z.output<typeof overrideSchema>;

const partSchema = z.object({
  kind: z.enum(partKinds),
  amount: z.number().describe('USD; what this part adds to the difference. The exact parts add up to it.'),
  calls: z.number().int().optional().describe('The number of its calls, if known.'),
  hint: z.string().describe('What it is, in a sentence.'),
  override: overrideSchema.optional().describe('For a part `price` that one override closes.'),
});

export type PartWire = z.output<typeof partSchema>;

const rowSchema = z.object({
  date_from: day,
  date_to: day,
  provider: askedField(z.string(), 'group_by', 'provider'),
  model: askedField(z.string().describe('Empty for amounts without a model on the invoice.'), 'group_by', 'model'),
  computed: moneyField('USD; the cost of the calls, before free AI credits.'),
  invoiced: moneyField('USD; the sum of the invoices’ entries.'),
  difference: moneyField('USD: `invoiced` less `computed`. Above 0, the invoice is higher.'),
  difference_pct: z.number().nullable().describe('Percent of `computed`; null when that is 0.'),
  parts: z
    .array(partSchema)
    .describe(
      'The parts of the difference. Parts of 0 are left out; `price` has one for each model, every other kind has one.',
    ),
});

export type ReconciliationRow = z.output<typeof rowSchema>;

const exampleRow: ReconciliationRow = {
  date_from: '2026-11-01',
  date_to: '2026-11-30',
  provider: 'openai',
  computed: 1_000,
  invoiced: 1_035.5,
  difference: 35.5,
  difference_pct: 3.55,
  parts: [
    {
      kind: 'unpriced',
      amount: 75.5,
      calls: 1_200,
      hint: '1,200 calls of house-llm count as $0: $75.50 is what the invoice charges for them. Coverage tells which lack a price (set it, and reprice) and which report no usage.',
    },
    {
      kind: 'price',
      amount: -40,
      hint: 'gpt-4o-2024-08-06 of openai is invoiced at 0.9 times the computed cost on 30 days. Set this price and reprice.',
      override: {
        provider: 'openai',
        model: 'gpt-4o-2024-08-06',
        effective_from: '2026-11-01',
        input_per_mtok: 2.25,
        output_per_mtok: 9,
        cache_read_per_mtok: 1.125,
      },
    },
  ],
};

export const reconciliationPage = pageOf(rowSchema, exampleRow);

export type ReconciliationPage = z.output<typeof reconciliationPage>;
