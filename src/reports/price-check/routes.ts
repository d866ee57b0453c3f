import { z } from 'zod';
import { projectOf } from '../../accounts/guard.ts';
import type { App } from '../../lib/http/app.ts';
import { awaitConsistency } from '../../lib/http/consistency.ts';
import { integerParameter } from '../../lib/query-fields.ts';
import { timeField, toTime } from '../../lib/times.ts';
import type { RateChange } from '../../pricing/check/diff-rates.ts';
import { type PriceCheckSources, runPriceCheck } from './run.ts';

const rateFields = z.object({
  rate: z
    .string()
    .describe('A bucket of tokens, in USD per million, or `request`; `_above_…` is the price of larger prompts.'),
  listed: z.number().nullable().describe('In the catalogue in force; null for none.'),
  other: z.number().nullable().describe('In the second source, or in the newer catalogue; null for none.'),
  ratio: z.number().nullable().describe('`other` divided by `listed`; null when either is missing, or `listed` is 0.'),
});

const modelFields = z.object({
  finding: z
    .enum(['disagrees', 'missing', 'changed'])
    .describe(
      '`disagrees`: the second list has another price. `missing`: only the second list has a price. ' +
        '`changed`: the newer catalogue has another price.',
    ),
  provider: z.string(),
  model: z.string(),
  calls: z.number().int().describe('Calls of the model on these days.'),
  overridden_calls: z.number().int().describe('Those of them that a price override of the project prices.'),
  rates: z.array(rateFields).describe('The rates that differ.'),
});

const checkFields = z.object({
  days: z.number().int(),
  catalogue: z.object({ version: z.string() }).describe('The catalogue in force.'),
  newer: z
    .object({ version: z.string(), fetched_at: timeField })
    .nullable()
    .describe('A fetched catalogue that is not in force; null if none is known.'),
  source: z.object({ name: z.string(), version: z.string() }).describe('The second source: an installed package.'),
  models: z.array(modelFields).describe('Those with the most calls first.'),
});

export type PriceCheckWire = z.output<typeof checkFields>;

const exampleCheck = {
  days: 30,
  catalogue: { version: '0.1.8' },
  newer: { version: '0.1.8+3d9e2505110d', fetched_at: '2026-11-21T07:31:12.040Z' },
  source: { name: 'llm-zoo', version: '1.37.0' },
  models: [
    {
      finding: 'disagrees',
      provider: 'google',
      model: 'gemini-3.6-flash',
      calls: 412,
      overridden_calls: 0,
      rates: [
        { rate: 'input', listed: 0.75, other: 1.5, ratio: 2 },
        { rate: 'output', listed: 3.75, other: 7.5, ratio: 2 },
      ],
    },
  ],
};

/** `GET /api/price-check/` (D5.2). */
export function registerPriceCheck(app: App, sources: PriceCheckSources): void {
  app.get('/api/price-check/', {
    config: { access: 'read', readsCalls: true },
    schema: {
      summary: 'List prices that differ in a second list or a newer catalogue',
      description:
        'Compares the current list prices, of calls without terms, with those of a second public price list and with the ' +
        'newest catalogue that was fetched. Nothing changes, and nothing is fetched.',
      tags: ['Prices'],
      querystring: z.strictObject({
        days: integerParameter(1, 90)
          .default(30)
          .describe('How many days, the last being today, whose calls are counted.'),
      }),
      response: { 200: checkFields.meta({ description: 'What differs.', examples: [exampleCheck] }) },
    },
    handler: async (request, reply) => {
      const project = projectOf(request);
      const { days } = request.query;
      await awaitConsistency(request, reply, sources.progress, project.id);
      const { book, newer, source, models } = await runPriceCheck(project, { days }, sources);
      return {
        days,
        catalogue: { version: book.opened.catalogue.version },
        newer: newer ? { version: newer.catalogue.version, fetched_at: toTime(newer.fetchedAt) } : null,
        source: { name: source.name, version: source.version },
        models: models.map(({ finding, provider, model, calls, overriddenCalls, rates }) => ({
          finding,
          provider,
          model,
          calls,
          overridden_calls: overriddenCalls,
          rates: rates.map(toWire),
        })),
      };
    },
  });
}

function toWire({ rate, before, after }: RateChange) {
  const [listed, other] = [before, after].map((text) => (text === null ? null : Number(text)));
  return { rate, listed: listed ?? null, other: other ?? null, ratio: listed && other != null ? other / listed : null };
}
