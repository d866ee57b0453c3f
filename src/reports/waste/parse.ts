import { z } from 'zod';
import { mapOf } from '../../lib/tag-map.ts';
import { asOfField, rangeFields } from '../asking/body.ts';
import { callFilterFields, parseCallFilters } from '../asking/call-filters.ts';

const mostAlternatives = 100;

const modelName = z
  .string()
  .min(1, { error: 'must not be empty' })
  .max(1_024, { error: 'must have at most 1024 characters' });

/** For each model, the model to compare it with. */
export type Alternatives = ReadonlyMap<string, string>;

export const alternativesField = mapOf(modelName, modelName, {
  type: 'object',
  additionalProperties: { type: 'string' },
  example: { 'gpt-4o': 'gpt-4o-mini' },
})
  .refine((models) => !(models instanceof Map) || models.size > 0, {
    error: 'must not be empty: leave it out to compare no models',
    params: { code: 'empty' },
  })
  .refine((models) => !(models instanceof Map) || models.size <= mostAlternatives, {
    error: `must have at most ${mostAlternatives} models`,
    params: { code: 'too_many' },
  })
  .optional()
  .describe('For each model, a cheaper one that might do, for the cause `dearer_model`.');

/** The body of `POST /api/waste/` (D23): that of a costs request for a single row. */
export const wasteBody = z
  .strictObject({
    date_from: rangeFields.date_from,
    date_to: rangeFields.date_to,
    ...callFilterFields,
    alternatives: alternativesField,
    as_of: asOfField,
  })
  .meta({ examples: [{ date_from: '2026-11-01', date_to: '2026-11-30', alternatives: { 'gpt-4o': 'gpt-4o-mini' } }] });

export const parseWaste = (body: z.output<typeof wasteBody>) => ({
  dateFrom: body.date_from,
  dateTo: body.date_to,
  filters: parseCallFilters(body),
  alternatives: (body.alternatives ?? new Map()) as Alternatives,
});

export type WasteQuestion = ReturnType<typeof parseWaste>;
