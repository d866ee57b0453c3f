import { z } from 'zod';
import { dayField } from '../lib/day-field.ts';
import { decimalField } from '../lib/decimal-field.ts';
import { formatDecimal } from '../lib/money.ts';
import { storableText } from '../lib/tag-map.ts';
import { maxTermLength, termNames } from '../lib/units.ts';
import { type NewOverride, overrideUnits } from './overrides.ts';
import { maxRate } from './rates.ts';

/* A price override in request bodies and in answers. */

/** A rate in USD, stored as exact decimal text (D5.3). */
const rate = decimalField({ least: 0n, most: BigInt(maxRate), maxFractionalDigits: 6 })
  .transform(formatDecimal)
  .meta({ example: 2.5 });

const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().transform((value) => value ?? null);
const optionalRate = orNull(rate);
const optionalName = (most: number) => orNull(storableText(most));
/** The price of one of a unit. It has more digits than a rate per million tokens. */
const unitRate = decimalField({ least: 0n, most: BigInt(maxRate), maxFractionalDigits: 12 })
  .transform(formatDecimal)
  .meta({ example: 0.01 });

const optionalDay = orNull(dayField);

/** A new override (D5.3). */
export const overrideBody = z
  .strictObject({
    provider: optionalName(1_024).describe('Matches without regard to case. Default: every provider.'),
    model: storableText(1_024)
      .refine((name) => !name.slice(0, -1).includes('*'), { error: 'may contain * only at its end' })
      .describe('The name of a model, or a prefix of names when it ends in *.'),
    service_tier: optionalName(maxTermLength).describe('The same as `terms.service_tier`.'),
    terms: z
      .partialRecord(z.enum(termNames), storableText(maxTermLength))
      .nullish()
      .transform((value) => value ?? {})
      .describe('Only calls that name these terms, in upper or lower case.'),
    effective_from: optionalDay.describe('First day, inclusive, in the timezone of the project.'),
    effective_to: optionalDay.describe('Last day, inclusive.'),
    input_per_mtok: rate.describe('USD per million tokens.'),
    output_per_mtok: rate,
    cache_read_per_mtok: optionalRate,
    cache_write_per_mtok: optionalRate,
    input_audio_per_mtok: optionalRate,
    output_audio_per_mtok: optionalRate,
    reasoning_per_mtok: optionalRate,
    per_request: optionalRate.describe('USD per call.'),
    units: z
      .partialRecord(z.enum(overrideUnits), unitRate)
      .nullish()
      .transform((value) => value ?? {})
      .describe('USD per one of each unit. Default: the list price. The price of requests is `per_request`.'),
  })
  .refine(({ effective_from: from, effective_to: to }) => from === null || to === null || from <= to, {
    error: 'must not be after effective_to',
    path: ['effective_from'],
    params: { code: 'out_of_range' },
  })
  .refine(({ service_tier: tier, terms }) => tier === null || (terms.service_tier ?? tier) === tier, {
    error: 'must not differ from service_tier',
    path: ['terms', 'service_tier'],
    params: { code: 'invalid_value' },
  })
  .meta({ examples: [{ model: 'house-llm*', input_per_mtok: 0.5, output_per_mtok: 1.5 }] });

/** An override in answers, without the fields that it gets when it is in force. */
export const overrideFields = {
  provider: z.string().nullable(),
  model: z.string(),
  service_tier: z.string().nullable().describe('That of `terms`.'),
  terms: z.partialRecord(z.enum(termNames), z.string()),
  effective_from: z.string().nullable(),
  effective_to: z.string().nullable(),
  input_per_mtok: z.number(),
  output_per_mtok: z.number(),
  cache_read_per_mtok: z.number().nullable(),
  cache_write_per_mtok: z.number().nullable(),
  input_audio_per_mtok: z.number().nullable(),
  output_audio_per_mtok: z.number().nullable(),
  reasoning_per_mtok: z.number().nullable(),
  per_request: z.number().nullable(),
  units: z.partialRecord(z.enum(overrideUnits), z.number()).describe('USD per one.'),
};

export const exampleOverride = {
  provider: null,
  model: 'house-llm*',
  service_tier: null,
  terms: {},
  effective_from: null,
  effective_to: null,
  input_per_mtok: 0.5,
  output_per_mtok: 1.5,
  cache_read_per_mtok: null,
  cache_write_per_mtok: null,
  input_audio_per_mtok: null,
  output_audio_per_mtok: null,
  reasoning_per_mtok: null,
  per_request: null,
  units: {},
};

export const readOverrideBody = (body: z.output<typeof overrideBody>): NewOverride => ({
  provider: body.provider,
  model: body.model,
  terms: body.service_tier === null ? body.terms : { ...body.terms, service_tier: body.service_tier },
  effectiveFrom: body.effective_from,
  effectiveTo: body.effective_to,
  inputPerMtok: body.input_per_mtok,
  outputPerMtok: body.output_per_mtok,
  cacheReadPerMtok: body.cache_read_per_mtok,
  cacheWritePerMtok: body.cache_write_per_mtok,
  inputAudioPerMtok: body.input_audio_per_mtok,
  outputAudioPerMtok: body.output_audio_per_mtok,
  reasoningPerMtok: body.reasoning_per_mtok,
  perRequest: body.per_request,
  units: body.units,
});

const toNumber = (text: string | null): number | null => (text === null ? null : Number(text));

export const toOverrideFields = (override: NewOverride) => ({
  provider: override.provider,
  model: override.model,
  service_tier: override.terms.service_tier ?? null,
  terms: override.terms,
  effective_from: override.effectiveFrom,
  effective_to: override.effectiveTo,
  input_per_mtok: Number(override.inputPerMtok),
  output_per_mtok: Number(override.outputPerMtok),
  cache_read_per_mtok: toNumber(override.cacheReadPerMtok),
  cache_write_per_mtok: toNumber(override.cacheWritePerMtok),
  input_audio_per_mtok: toNumber(override.inputAudioPerMtok),
  output_audio_per_mtok: toNumber(override.outputAudioPerMtok),
  reasoning_per_mtok: toNumber(override.reasoningPerMtok),
  per_request: toNumber(override.perRequest),
  units: Object.fromEntries(Object.entries(override.units).map(([unit, usd]) => [unit, Number(usd)])),
});
