import { z } from 'zod';
import { projectOf } from '../../../accounts/guard.ts';
import { dayField, earliestDay } from '../../../lib/day-field.ts';
import { isDay } from '../../../lib/days.ts';
import { inHeavyTurn } from '../../../lib/heavy-work.ts';
import type { App } from '../../../lib/http/app.ts';
import { awaitConsistency } from '../../../lib/http/consistency.ts';
import { openCursor } from '../../../lib/http/cursor.ts';
import { cutPage, pageEndFields } from '../../../lib/http/page-envelope.ts';
import { askedField, moneyField, sharedCostField } from '../../../lib/http/row-fields.ts';
import { type WideMoney, wideToJsonNumber } from '../../../lib/money.ts';
import { Problem } from '../../../lib/problem.ts';
import { pathId } from '../../../lib/tag-map.ts';
import { identifyShared, pageFields } from '../../../reports/asking/body.ts';
import type { AnswerSources } from '../../../reports/asking/sources.ts';
import { answerAsOf, readNow } from '../../../reports/facts/as-of.ts';
import { findClose } from '../../../reports/facts/closes.ts';
import { type DriftPlace, type DriftRow, driftCauses, driftGroups } from './drift-part.ts';
import { runDrift } from './run.ts';

const driftBody = z
  .strictObject({
    date_from: dayField.optional().describe('First day, inclusive; default: the first day of the close.'),
    date_to: dayField.optional().describe('Last day, inclusive; default: the last day of the close.'),
    group_by: z.enum(driftGroups).optional().describe('Subtotals over all days instead of a row for each day.'),
    include_shared: z.boolean().default(false).describe('Adds `shared_cost`.'),
    ...pageFields,
  })
  .meta({ examples: [{ date_from: '2026-10-01', group_by: 'cause' }] });

const amountFields = {
  cost: moneyField('USD, before credits. Left out when it is 0.').optional(),
  revenue: moneyField('USD. Left out when it is 0.').optional(),
  credits: moneyField('USD of the cost that credits cover. Left out when it is 0.').optional(),
  shared_cost: askedField(moneyField('USD of shared costs. Left out when it is 0.'), 'include_shared', true),
};

const driftRow = z.object({
  day: askedField(z.string().meta({ format: 'date' }), 'group_by', undefined),
  customer: askedField(
    z.string().describe('Empty for calls without a customer, and for what was erased.'),
    'group_by',
    undefined,
    'customer',
  ),
  cause: askedField(z.enum(driftCauses), 'group_by', undefined, 'cause'),
  ...amountFields,
});

const driftPage = z.object({
  rows: z.array(driftRow),
  totals: z
    .object({ cost: z.number(), revenue: z.number(), credits: z.number(), shared_cost: sharedCostField })
    .describe('USD: now minus the close, over all rows, also those of other pages.'),
  ...pageEndFields,
});

export type DriftPage = z.output<typeof driftPage>;

const exampleDrift = {
  rows: [{ cause: 'late_events' as const, cost: 0.0019 }],
  totals: { cost: 0.0019, revenue: 0, credits: 0 },
  next_cursor: null,
  has_more: false,
};

/** Of the last row of a page. */
const positions = {
  rows: z
    .tuple([z.string().refine(isDay), z.string(), z.enum(driftCauses)])
    .transform(([day, customer, cause]): DriftPlace => ({ day, customer, cause })),
  cause: z.tuple([z.enum(driftCauses)]).transform(([cause]): DriftPlace => ({ cause })),
  customer: z.tuple([z.string()]).transform(([customer]): DriftPlace => ({ customer })),
};

const positionOf = ({ day, customer, cause }: DriftPlace): string[] =>
  [day, customer, cause].filter((value) => value !== undefined);

/** `POST /api/closes/{id}/drift/` (D19.2). */
export function registerDrift(app: App, sources: AnswerSources): void {
  const { control, progress } = sources;
  app.post('/api/closes/:id/drift/', {
    config: { access: 'read', readsCalls: true },
    schema: {
      summary: 'What has changed since a close',
      description:
        'The current answer minus the answer as of the close, by day, customer and cause, or in total by customer or cause. The rows add up to the difference exactly.',
      tags: ['Closes'],
      params: z.object({
        id: pathId.describe('The id of the close.').meta({ examples: ['cls_01M7Y940HM46W4C89N0CDQSXWE'] }),
      }),
      body: driftBody,
      response: { 200: driftPage.meta({ description: 'A page of the drift.', examples: [exampleDrift] }) },
    },
    handler: async (request, reply) => {
      const project = projectOf(request);
      const { limit, cursor, date_from: dateFrom = earliestDay, date_to, group_by: groupBy } = request.body;
      const { include_shared: includeShared } = request.body;
      const close = await findClose(control, project.id, request.params.id);
      if (!close) throw new Problem('not_found', 'This project has no close with this id.');
      const dateTo = date_to ?? close.through;
      refuseRange(dateFrom, dateTo, close.through);
      const question = ['drift', project.id, close.id, dateFrom, dateTo, ...(groupBy ? [groupBy] : [])];
      question.push(...identifyShared(includeShared));
      const after = cursor === undefined ? undefined : openCursor(question, cursor, positions[groupBy ?? 'rows']);
      const plan = { period: { dateFrom, dateTo }, limit, groupBy, includeShared, after };
      await awaitConsistency(request, reply, progress, project.id);
      const { rows, totals } = await inHeavyTurn(() =>
        answerAsOf(control, project, close, async (pinned) =>
          runDrift({ pinned, current: await readNow(control, project) }, close, plan, sources),
        ),
      );
      const page = cutPage(question, rows, limit, positionOf);
      return {
        rows: page.rows.map(toWire),
        totals: {
          cost: wideToJsonNumber(totals.cost),
          revenue: wideToJsonNumber(totals.revenue),
          credits: wideToJsonNumber(totals.credits),
          ...(includeShared && { shared_cost: wideToJsonNumber(totals.shared_cost) }),
        },
        ...page.end,
      };
    },
  });
}

/** @throws Problem `invalid_body`, naming every fault */
function refuseRange(dateFrom: string, dateTo: string, through: string): void {
  const errors = [
    ...(dateTo > through
      ? [
          {
            pointer: '/date_to',
            code: 'out_of_range' as const,
            message: `must not be after ${through}, the last day of the close`,
          },
        ]
      : []),
    ...(dateFrom > dateTo
      ? [{ pointer: '/date_from', code: 'out_of_range' as const, message: `must not be after date_to, ${dateTo}` }]
      : []),
  ];
  if (errors.length > 0) throw new Problem('invalid_body', 'The range is not within the close.', { errors });
}

const toWire = ({ amounts, ...place }: DriftRow) => ({
  ...place,
  ...field('cost', amounts.get('cost')),
  ...field('revenue', amounts.get('revenue')),
  ...field('credits', amounts.get('credits')),
  ...field('shared_cost', amounts.get('shared_cost')),
});

const field = <Name extends string>(name: Name, amount: WideMoney | undefined) =>
  amount === undefined ? {} : ({ [name]: wideToJsonNumber(amount) } as Record<Name, number>);
