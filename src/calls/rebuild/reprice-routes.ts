import { z } from 'zod';
import { callerOf, projectOf, requireScope } from '../../accounts/guard.ts';
import { dayField } from '../../lib/day-field.ts';
import { inHeavyTurn } from '../../lib/heavy-work.ts';
import type { App } from '../../lib/http/app.ts';
import { pageAnswer, pageQuery } from '../../lib/http/page-envelope.ts';
import { problemWith } from '../../lib/http/problem-schema.ts';
import { nullableMoneyField } from '../../lib/http/row-fields.ts';
import { parseJson } from '../../lib/json.ts';
import { Problem } from '../../lib/problem.ts';
import { resolveRange } from '../../lib/range.ts';
import { pathId } from '../../lib/tag-map.ts';
import { timeField, toTime, toTimeOrNull } from '../../lib/times.ts';
import { assumedParts, isAssumedPart } from '../../pricing/assumed-rates.ts';
import type { PriceBooks } from '../../pricing/books/price-books.ts';
import { readAssumption } from '../../pricing/what-if/assumed-prices.ts';
import {
  assumeAnswer,
  assumeBody,
  exampleAssume,
  readAssumeBody,
  requireModelsWithPrices,
  toAssumeAnswer,
} from '../../pricing/what-if/wire.ts';
import type { RebuildRow } from '../../storage/control/schema/schema.ts';
import type { Progress } from '../assembly/progress.ts';
import type { Difference, RebuildComparison, UnchangedCalls, UnchangedReason } from './comparison.ts';
import {
  calcProgress,
  findRebuild,
  listRebuilds,
  requestRebuild,
  type SummarisedRebuild,
  summarise,
} from './rebuilds.ts';
import { type TrySources, tryPrices } from './try-prices.ts';
import { byCauseField, difference, toCauses, toMargins, toNumbers } from './wire.ts';

export interface RepriceRoutesOptions extends TrySources {
  readonly priceBooks: PriceBooks;
  readonly progress: Progress;
  /** Called when a reprice is queued. */
  readonly onRebuild: () => void;
}

const repriceBody = z
  .strictObject({
    date_from: dayField.describe('First day, inclusive, in the timezone of the project.'),
    date_to: dayField.optional().describe('Last day, inclusive; default: today.'),
    dry_run: z
      .boolean()
      .default(true)
      .describe('If true, only the difference is reported; false puts the new numbers in force.'),
    reread: z
      .boolean()
      .default(false)
      .describe(
        'True also reads the stored text of the events of these days again, as this release understands usage, units and terms.',
      ),
    assume: assumeBody
      .optional()
      .describe(
        'Makes it a what-if: what would these days have cost? Always a dry run, for which the scope `read` is enough.',
      ),
  })
  .refine(({ assume, dry_run: isDryRun }) => assume === undefined || isDryRun, {
    error: 'must be true with assume: a what-if changes nothing',
    path: ['dry_run'],
    params: { code: 'invalid_value' },
  })
  .refine(({ assume, reread }) => assume === undefined || !reread, {
    error: 'must be false with assume: reread first, then ask',
    path: ['reread'],
    params: { code: 'invalid_value' },
  })
  .meta({
    examples: [
      { date_from: '2026-10-01', date_to: '2026-10-31', dry_run: true },
      {
        date_from: '2026-10-01',
        date_to: '2026-10-31',
        assume: { models: { 'gpt-4o': 'gpt-4o-mini' }, cached_share: 0.5 },
      },
    ],
  });

const unchangedReasons = ['reported_cost', 'no_price'] as const satisfies readonly UnchangedReason[];

const margins = {
  revenue: z.number().nullable().describe('USD earned on these days; null unless the project is of type revenue.'),
  margin_before: z.number().nullable().describe('`revenue` − `before`.'),
  margin_after: z.number().nullable().describe('`revenue` − `after`.'),
};

const summaryFields = {
  id: z.string(),
  state: z
    .enum(['queued', 'running', 'done', 'failed'])
    .describe('A `done` reprice is in force, unless it is a dry run.'),
  dry_run: z.boolean(),
  reread: z.boolean().describe('Whether it reads the text of the events again.'),
  what_if: z.boolean().describe('Whether it has assumptions.'),
  date_from: z.string(),
  date_to: z.string(),
  requested_by: z.string().describe('`admin`, or the id of an API key or of a member.'),
  created_at: timeField,
  finished_at: timeField.nullable(),
  failure: z.string().nullable(),
  before: nullableMoneyField('USD: the cost of the days by the old prices; null until `done`.'),
  after: nullableMoneyField('USD: the cost of the days by the new prices; null until `done`.'),
};
const repriceSummary = z.object(summaryFields);
const repriceDetail = z.object({
  ...summaryFields,
  progress: z.number().describe('From 0 to 1.'),
  assume: assumeAnswer.nullable().describe('Its assumptions, as requested; null without any.'),
  not_changed: z
    .object({
      calls: z.number().int(),
      cost: z.number().describe('USD, included in `after`.'),
      by_model: z
        .array(
          z.object({ model: z.string(), reason: z.enum(unchangedReasons), calls: z.number().int(), cost: z.number() }),
        )
        .describe('The 100 with most calls.'),
    })
    .nullable()
    .describe(
      'The calls that would be changed, but keep their current price: an event reports their cost, or something that they used has no known price under the assumptions. Null without assumptions.',
    ),
  widened: z
    .array(z.object({ model: z.string(), kinds: z.array(z.enum(assumedParts)), calls: z.number().int() }))
    .nullable()
    .describe(
      'Kinds of tokens, such as `cache_read`, that are priced like a wider kind under the assumptions, because their own price is not known: the 100 rows with the most calls, by the models of the calls. Null without assumptions.',
    ),
  revenue: z
    .number()
    .nullable()
    .describe(
      'USD earned on these days, of all customers; null until `done`, and unless the project is of type revenue.',
    ),
  by_cause: byCauseField,
  by_day: z.array(z.object({ date: z.string(), ...difference })),
  by_model: z.array(z.object({ model: z.string(), ...difference })).describe('The 1,000 largest differences.'),
  other_models: z.object({ models: z.number().int(), ...difference }),
  by_customer: z
    .array(z.object({ customer: z.string(), ...difference, ...margins }))
    .describe('The 1,000 largest differences.'),
  others: z.object({ customers: z.number().int(), ...difference }).describe('The customers that are not listed.'),
});

export type RepriceDetail = z.output<typeof repriceDetail>;

const exampleSummary = {
  id: 'rbd_01M7Y9B2V6N4Q8H0T3S5C7D9EF',
  state: 'done',
  dry_run: true,
  reread: false,
  what_if: true,
  date_from: '2026-10-01',
  date_to: '2026-10-31',
  requested_by: 'key_01M7Y941FKWY4H7YZZC39E96E8',
  created_at: '2026-11-21T05:30:02.118Z',
  finished_at: '2026-11-21T05:30:04.907Z',
  failure: null,
  before: 812.4401,
  after: 640.02,
};
const exampleDetail = {
  ...exampleSummary,
  progress: 1,
  assume: exampleAssume,
  not_changed: {
    calls: 12,
    cost: 3.1,
    by_model: [{ model: 'gpt-4o', reason: 'reported_cost', calls: 12, cost: 3.1 }],
  },
  widened: [{ model: 'gpt-4o', kinds: ['cache_read' as const], calls: 40 }],
  revenue: 1_500,
  by_cause: [
    { cause: 'reading', before: 812.4401, after: 812.4401 },
    { cause: 'price', before: 812.4401, after: 640.02 },
  ],
  by_day: [{ date: '2026-10-01', before: 26.1, after: 20.56 }],
  by_model: [{ model: 'gpt-4o', before: 812.4401, after: 640.02 }],
  other_models: { models: 0, before: 0, after: 0 },
  by_customer: [
    {
      customer: 'acme',
      before: 812.4401,
      after: 640.02,
      revenue: 1_500,
      margin_before: 687.5599,
      margin_after: 859.98,
    },
  ],
  others: { customers: 0, before: 0, after: 0 },
};

/** `POST /api/prices/reprice/`, `GET /api/prices/reprices/`, `GET /api/prices/reprices/{id}/` (D5.5, D22). */
export function registerReprices(app: App, options: RepriceRoutesOptions): void {
  const { control, priceBooks, clock, progress, onRebuild } = options;
  const tags = ['Prices'];

  app.post('/api/prices/reprice/', {
    config: { access: 'read_or_write' },
    schema: {
      summary: 'Price past days by current prices, or by assumed ones',
      description:
        'A changed price alone changes no past number, and neither does a newer release. A reprice recalculates the given days and puts them in force all at once; a dry run changes none. With `reread` it also reads their events again. With `assume` it answers what if, and never changes a number: then the scope `read` is enough; otherwise it needs `write`. A dry run is done when it is answered, unless it rereads. Follow the others with GET /api/prices/reprices/{id}/.',
      tags,
      body: repriceBody,
      response: {
        202: z.object({ id: z.string() }).meta({
          description: 'The reprice is queued, or the dry run is done.',
          examples: [{ id: exampleSummary.id }],
        }),
        409: problemWith().describe('The project already has ten unfinished changes.'),
      },
    },
    handler: async (request, reply) => {
      const project = projectOf(request);
      const { body } = request;
      requireScope(request, body.assume ? 'read' : 'write');
      const now = clock();
      const range = resolveRange(body.date_from, body.date_to, project.timezone, now);
      const books = await priceBooks.ofProject(project.id);
      const assumption = body.assume && readAssumeBody(body.assume);
      if (assumption) await requireModelsWithPrices(assumption, books.newest.opened);
      // The difference includes every event acknowledged before the request (D4.7).
      await progress.waitFor(project.id, 'strict');
      const requestedBy = callerOf(request);
      const days = { from: range.dateFrom, to: range.dateTo };
      if (body.dry_run && !body.reread) {
        const asked = { project, days, book: books.newest, assumption, requestedBy };
        return reply.code(202).send({ id: await inHeavyTurn(() => tryPrices(options, asked)) });
      }
      const { id } = await requestRebuild(control, {
        projectId: project.id,
        kind: 'reprice',
        isDryRun: body.dry_run,
        requestedBy,
        days,
        timezone: project.timezone,
        priceBookId: books.newest.id,
        isReread: body.reread,
        now,
      });
      onRebuild();
      return reply.code(202).send({ id });
    },
  });
  app.get('/api/prices/reprices/', {
    config: { access: 'read' },
    schema: {
      summary: 'The log of reprices, newest first',
      description: 'Who repriced which days, when, and what changed; includes dry runs.',
      tags,
      querystring: pageQuery,
      response: { 200: pageAnswer('reprices', repriceSummary, 'A page of the reprices.', exampleSummary) },
    },
    handler: async (request) => {
      const { limit, cursor } = request.query;
      const asked = { projectId: projectOf(request).id, kind: 'reprice', limit, cursor } as const;
      const { rows, end } = await listRebuilds(control, asked);
      return { reprices: rows.map(toSummary), ...end };
    },
  });
  app.get('/api/prices/reprices/:id/', {
    config: { access: 'read' },
    schema: {
      summary: 'A reprice: its progress, and what it changes by cause, day, model and customer',
      description: 'The lists are empty until it is `done`.',
      tags,
      params: z.object({ id: pathId.describe('The id of the reprice.').meta({ examples: [exampleSummary.id] }) }),
      response: { 200: repriceDetail.meta({ description: 'The reprice.', examples: [exampleDetail] }) },
    },
    handler: async (request) => {
      const rebuild = await findRebuild(control, projectOf(request).id, request.params.id);
      if (rebuild?.kind !== 'reprice') throw new Problem('not_found', 'This project has no reprice with this id.');
      return toDetail(rebuild);
    },
  });
}

const readComparison = ({ comparison }: RebuildRow): RebuildComparison | undefined =>
  comparison === null ? undefined : (parseJson(comparison) as RebuildComparison);

function toSummary(rebuild: SummarisedRebuild) {
  const { totals } = rebuild;
  return {
    id: rebuild.id,
    state: rebuild.state,
    dry_run: rebuild.dry_run === 1,
    reread: rebuild.reread === 1,
    what_if: rebuild.assumption !== null,
    date_from: rebuild.date_from ?? '',
    date_to: rebuild.date_to ?? '',
    requested_by: rebuild.requested_by,
    created_at: toTime(rebuild.created_at),
    finished_at: toTimeOrNull(rebuild.finished_at),
    failure: rebuild.failure,
    before: totals ? Number(totals.before) : null,
    after: totals ? Number(totals.after) : null,
  };
}

const toNotChanged = (unchanged: UnchangedCalls | undefined) =>
  unchanged === undefined
    ? null
    : {
        calls: unchanged.calls,
        cost: Number(unchanged.cost),
        by_model: unchanged.by_model.map((row) => ({ ...row, cost: Number(row.cost) })),
      };

const none: Difference = { before: '0', after: '0' };

function toDetail(rebuild: RebuildRow) {
  const comparison = readComparison(rebuild);
  return {
    ...toSummary(summarise(rebuild)),
    progress: calcProgress(rebuild),
    assume: rebuild.assumption === null ? null : toAssumeAnswer(readAssumption(rebuild.assumption)),
    not_changed: toNotChanged(comparison?.unchanged),
    widened: comparison?.widened?.map((row) => ({ ...row, kinds: row.kinds.filter(isAssumedPart) })) ?? null,
    revenue: comparison?.revenue === undefined ? null : Number(comparison.revenue),
    by_cause: toCauses(comparison),
    by_day: (comparison?.by_day ?? []).map((row) => ({ date: row.date, ...toNumbers(row) })),
    by_model: (comparison?.by_model ?? []).map((row) => ({ model: row.model, ...toNumbers(row) })),
    other_models: { models: comparison?.other_models.models ?? 0, ...toNumbers(comparison?.other_models ?? none) },
    by_customer: (comparison?.by_customer ?? []).map((row) => ({
      customer: row.customer,
      ...toNumbers(row),
      ...toMargins(row, row.revenue),
    })),
    others: { customers: comparison?.others.customers ?? 0, ...toNumbers(comparison?.others ?? none) },
  };
}
