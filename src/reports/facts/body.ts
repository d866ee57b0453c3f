import { z } from 'zod';
import { dayField } from '../../lib/day-field.ts';
import { decimalField } from '../../lib/decimal-field.ts';
import { toMoney } from '../../lib/money.ts';
import { storableText } from '../../lib/tag-map.ts';

export const exampleGrant = {
  name: 'Start-up programme',
  provider: 'openai',
  models: ['gpt-5*', 'o3'],
  amount: 2_500,
  starts_on: '2026-11-01',
  expires_on: '2027-10-31',
  priority: 0,
};

const maxPriority = 1_000_000;
const maxModels = 1_000;

/** USD (D7.1). The bound is far above any real grant. */
const amount = decimalField({ least: 0n, isAboveLeast: true, most: 1_000_000_000n, maxFractionalDigits: 12 }).transform(
  toMoney,
);

const modelName = storableText(1_024).refine((name) => !name.slice(0, -1).includes('*'), {
  error: 'must hold * only at its end',
});

const models = z
  .array(modelName)
  .min(1, { error: 'must not be empty: leave it out for every model' })
  .max(maxModels, { error: `must have at most ${maxModels} models` })
  .superRefine((names, context) => {
    const seen = new Set<string>();
    for (const [index, name] of names.entries()) {
      if (seen.has(name)) {
        context.addIssue({
          code: 'custom',
          path: [index],
          message: 'must not be repeated',
          params: { code: 'duplicate' },
        });
      }
      seen.add(name);
    }
  });

const bothDays = z.object({ starts_on: dayField, expires_on: dayField });

/** The body of `POST /api/credit-grants/` (D7.1). */
export const grantBody = z
  .strictObject({
    provider: storableText(1_024).describe('Not case-sensitive.'),
    models: models
      .nullish()
      .transform((names) => names ?? null)
      .describe(
        'Names of models; one that ends in * matches every model that starts with it. Left out: every model of the provider.',
      ),
    amount: amount.describe('USD, with at most 12 fractional digits.'),
    starts_on: dayField.describe('First day, inclusive, in the timezone of the project.'),
    expires_on: dayField
      .nullish()
      .transform((day) => day ?? null)
      .describe('Last day, inclusive; left out: it never expires.'),
    priority: z
      .number()
      .int()
      .min(-maxPriority)
      .max(maxPriority)
      .default(0)
      .describe('Of the grants that are valid on a day, the one with the lowest number is used first.'),
    name: storableText(200)
      .nullish()
      .transform((text) => text ?? null)
      .describe('A label for people; it has no effect.'),
  })
  .refine(({ starts_on: from, expires_on: to }) => to === null || from <= to, {
    error: 'must not be before starts_on',
    path: ['expires_on'],
    params: { code: 'out_of_range' },
    // Runs despite faults of other fields, so that all faults are reported together.
    when: ({ value }) => bothDays.safeParse(value).success,
  })
  .meta({ examples: [exampleGrant, { provider: 'anthropic', amount: '100.50', starts_on: '2026-11-01' }] });
