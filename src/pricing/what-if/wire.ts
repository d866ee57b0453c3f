import { z } from 'zod';
import { decimalField } from '../../lib/decimal-field.ts';
import { inTurns } from '../../lib/in-turns.ts';
import { formatDecimal } from '../../lib/money.ts';
import { Problem, toPointer } from '../../lib/problem.ts';
import { mapOf, storableText } from '../../lib/tag-map.ts';
import { exampleOverride, overrideBody, overrideFields, readOverrideBody, toOverrideFields } from '../override-wire.ts';
import type { OpenedBook } from '../price-book.ts';
import { type Assumption, assumeOverrides } from './assumed-prices.ts';

/** The most entries of `models` and of `overrides`. */
const maxAssumed = 50;

const modelName = storableText(1_024);

const modelsField = mapOf(modelName, modelName, {
  type: 'object',
  additionalProperties: { type: 'string' },
  minProperties: 1,
  maxProperties: maxAssumed,
  example: { 'gpt-4o': 'gpt-4o-mini' },
})
  .superRefine((models, context) => {
    const fault = (message: string, code: string, path: string[] = []) =>
      context.addIssue({ code: 'custom', message, path, params: { code } });
    if (models.size === 0) fault('must not be empty: leave it out to assume no other model', 'empty');
    if (models.size > maxAssumed) fault(`must have at most ${maxAssumed} entries`, 'too_many');
    for (const [from, to] of models) if (from === to) fault('must be another model', 'invalid_value', [from]);
  })
  .describe(
    'Prices the calls of each model, by its name in calls, as calls of the other model. All are replaced at once, none twice.',
  );

/** What a dry run assumes (D22). */
export const assumeBody = z
  .strictObject({
    models: modelsField.optional(),
    overrides: z
      .array(overrideBody)
      .min(1)
      .max(maxAssumed)
      .optional()
      .describe(
        'Price overrides, as POST /api/prices/ takes them, as if they were in force; the last one is the newest.',
      ),
    cached_share: decimalField({ least: 0n, most: 1n, maxFractionalDigits: 6 })
      .transform(formatDecimal)
      .meta({ example: 0.8 })
      .optional()
      .describe(
        'The share of the text tokens of each prompt, without cache writes, that is read from the cache. Rounded down to whole tokens.',
      ),
    service_tier: storableText(128)
      .optional()
      .describe('Prices the calls as if this service tier had served them, such as `batch` or `flex`.'),
  })
  .refine((assume) => Object.values(assume).some((value) => value !== undefined), {
    error: 'must not be empty: leave it out to assume nothing',
    params: { code: 'empty' },
  });

export function readAssumeBody(body: z.output<typeof assumeBody>): Assumption {
  return {
    models: body.models ?? new Map(),
    overrides: (body.overrides ?? []).map(readOverrideBody),
    cachedShare: body.cached_share ?? null,
    serviceTier: body.service_tier?.toLowerCase() ?? null,
  };
}

const sayUnsold = (model: string): string => `${model} has no price`;

/**
 * Refuses models that nobody sells, because they are most likely misspelt. The assumed overrides count as prices.
 * @throws Problem `invalid_body`, which names each of these models
 */
export async function requireModelsWithPrices(assumption: Assumption, book: OpenedBook): Promise<void> {
  const assumed = assumeOverrides(assumption, book);
  const unsold = new Set<string>();
  // For a name that nobody sells, this searches the lists of all providers.
  await inTurns(new Set(assumption.models.values()), (to) => {
    if (!assumed.hasPriceOf(to)) unsold.add(to);
  });
  if (unsold.size === 0) return;
  throw new Problem(
    'invalid_body',
    `${[...unsold].map(sayUnsold).join(', ')}. Choose a model with a price, or assume one.`,
    {
      errors: [...assumption.models]
        .filter(([, to]) => unsold.has(to))
        .map(([from, to]) => ({
          pointer: toPointer(['assume', 'models', from]),
          code: 'invalid_value',
          message: sayUnsold(to),
        })),
    },
  );
}

/** An assumption in answers, as it was requested. Clients can send the object again. */
export const assumeAnswer = z.object({
  models: z.record(z.string(), z.string()).optional(),
  overrides: z.array(z.object(overrideFields)).optional(),
  cached_share: z.number().optional(),
  service_tier: z.string().optional(),
});

export const exampleAssume = { models: { 'gpt-4o': 'house-llm-2' }, overrides: [exampleOverride] };

export const toAssumeAnswer = ({ models, overrides, cachedShare, serviceTier }: Assumption) => ({
  ...(models.size > 0 && { models: Object.fromEntries(models) }),
  ...(overrides.length > 0 && { overrides: overrides.map(toOverrideFields) }),
  ...(cachedShare !== null && { cached_share: Number(cachedShare) }),
  ...(serviceTier !== null && { service_tier: serviceTier }),
});
