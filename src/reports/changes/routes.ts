import { z } from 'zod';
import { projectOf } from '../../accounts/guard.ts';
import { byName } from '../../lib/by-name.ts';
import type { WatchedDimension } from '../../lib/dimensions.ts';
import { inHeavyTurn } from '../../lib/heavy-work.ts';
import type { App } from '../../lib/http/app.ts';
import { awaitConsistency } from '../../lib/http/consistency.ts';
import { type ChangeCause, causes } from './causes.ts';
import { changesBody, parseChanges, sameHours } from './parse.ts';
import type { RankedBy } from './rank.ts';
import { type ChangesSources, runChanges } from './run.ts';

const money = z.number().describe('USD; the nearest double of the exact amount.');

const descriptions: Readonly<Record<ChangeCause, string>> = {
  calls: 'More or fewer calls.',
  mix: 'Another mix of models and providers.',
  failures: 'More or fewer failed calls, which cost nothing or less.',
  tokens_per_call: 'Longer or shorter calls: tokens, and other units, of a call that succeeded.',
  cached_share: 'Another share of the input was read from, or written to, the provider’s cache.',
  prices: 'Other prices of the same usage.',
  new_customers: 'Customers with calls in the range, and none before.',
  vanished_customers: 'Customers with calls before, and none in the range.',
};

const parts = z
  .object(byName(causes, (cause) => money.describe(descriptions[cause])))
  .describe('The difference by cause; the exact parts add up to it.');

const amounts = {
  cost_before: money,
  cost: money,
  difference: money.describe('USD: `cost` less `cost_before`.'),
  parts,
};

const count = z.number().int().describe('The number of further values.');
const day = z.string().meta({ format: 'date' });

const rankedBy = <D extends WatchedDimension | 'tag'>(dimension: D) => {
  const name = { [dimension]: z.string() } as Record<D, z.ZodString>;
  return z.object({
    rows: z.array(z.object({ ...name, ...amounts })).describe('The largest differences first, at most `limit`.'),
    others: z.object({ count, ...amounts }).describe('The sum of all others.'),
    causes: z
      .array(
        z.object({
          cause: z.enum(causes),
          amount: money,
          rows: z.array(z.object({ ...name, amount: money })).describe('The largest amounts first, at most `limit`.'),
          others: z.object({ count, amount: money }).describe('The sum of all others.'),
        }),
      )
      .describe('Every cause, the largest amount first.'),
  });
};

const changesSchema = z.object({
  ...{ date_from: day, date_to: day, before_from: day, before_to: day },
  hours: z
    .number()
    .int()
    .nullable()
    .describe(
      'Of the last day of both ranges, only calls in this many of its first hours are compared, because a range of up to 7 days ends with today; null where whole days are.',
    ),
  ...amounts,
  ...({
    by_customer: rankedBy('customer'),
    by_model: rankedBy('model'),
    by_feature: rankedBy('feature').describe(
      'A separate split, by feature and model: it adds up to the same difference, but calls of new and vanished customers count as more or fewer calls.',
    ),
  } satisfies RankedBy<z.ZodType>),
  by_tag: rankedBy('tag')
    .optional()
    .describe('With `group_by`: by value, a tag of customers as `by_customer`, a tag of calls as `by_feature`.'),
});

const noAmounts = byName(causes, () => 0);
const exampleAmounts = {
  cost_before: 0.0019,
  cost: 0.0057,
  difference: 0.0038,
  parts: { ...noAmounts, calls: 0.0038 },
};
const exampleOthers = { count: 0, cost_before: 0, cost: 0, difference: 0, parts: noAmounts };
const exampleRanked = <D extends WatchedDimension>(dimension: D, value: string) => {
  const name = { [dimension]: value } as Record<D, string>;
  return {
    rows: [{ ...name, ...exampleAmounts }],
    others: exampleOthers,
    causes: causes.map((cause) => ({
      cause,
      amount: cause === 'calls' ? 0.0038 : 0,
      rows: cause === 'calls' ? [{ ...name, amount: 0.0038 }] : [],
      others: { count: 0, amount: 0 },
    })),
  };
};
const exampleChanges = {
  date_from: '2026-11-01',
  date_to: '2026-11-30',
  before_from: '2026-10-02',
  before_to: '2026-10-31',
  hours: null,
  ...exampleAmounts,
  by_customer: exampleRanked('customer', 'acme'),
  by_model: exampleRanked('model', 'gpt-4o-2024-08-06'),
  by_feature: exampleRanked('feature', 'chat'),
};

/** `POST /api/changes/` (D21). */
export function registerChanges(app: App, sources: ChangesSources): void {
  app.post('/api/changes/', {
    config: { access: 'read', readsCalls: true },
    schema: {
      summary: 'Why the cost changed between two ranges',
      description:
        'The difference of cost as parts that add up to it: by cause, and each cause by customer, model and feature. ' +
        'Filters select calls, as in a costs request. A customer is new if it has none of the selected calls of the range before.',
      tags: ['Analytics'],
      body: changesBody,
      response: { 200: changesSchema.meta({ description: 'What changed.', examples: [exampleChanges] }) },
    },
    handler: async (request, reply) => {
      const project = projectOf(request);
      // Refuse invalid requests before waiting for consistency.
      const question = sameHours(parseChanges(request.body), project.timezone, sources.clock());
      await awaitConsistency(request, reply, sources.progress, project.id);
      return await inHeavyTurn(() => runChanges(project, question, sources));
    },
  });
}
