import type { Project } from '../../accounts/projects.ts';
import { byName } from '../../lib/by-name.ts';
import { dayOf, type Period } from '../../lib/days.ts';
import { type WatchedDimension, watchedDimensions } from '../../lib/dimensions.ts';
import { type PagePlan, planPage } from '../../reports/asking/page.ts';
import type { AnswerSources } from '../../reports/asking/sources.ts';
import { type CostsQuestion, costsBody, parseCosts } from '../../reports/costs/parse.ts';
import { readCostRecords } from '../../reports/costs/run.ts';
import type { AsOf } from '../../reports/facts/as-of.ts';
import { runUsage } from '../../reports/usage/run.ts';
import { periodAround } from '../budgets/budget.ts';
import { type BudgetState, readBudgetStates } from '../budgets/states.ts';
import { type Figures, noFigures } from './figures.ts';

/** The spans of days that are counted; both end with today. */
export const metricSpans = ['today', 'month'] as const;
export type MetricSpan = (typeof metricSpans)[number];

/** The figures of a span: of all calls, and by value of each dimension. */
export interface SpanFigures {
  readonly total: Figures;
  readonly of: Readonly<Record<WatchedDimension, ReadonlyMap<string, Figures>>>;
}

export interface ProjectFigures {
  readonly spans: { readonly [S in MetricSpan]: SpanFigures };
  /** The budgets without `each`. Budgets with `each` have their own routes. */
  readonly budgets: readonly BudgetState[];
}

/** The largest limit that a statement takes: values without a series of their own are added up. */
const everyValue = 2 ** 32 - 2;

/** Reads what `POST /api/costs/` and `POST /api/usage/` answer for today and for the month, all of one state. */
export async function readProjectFigures(
  asOf: AsOf,
  project: Project,
  sources: AnswerSources,
): Promise<ProjectFigures> {
  const nowMs = sources.clock();
  const today = dayOf(project.timezone, nowMs);
  const month = { dateFrom: periodAround(today, 'month').dateFrom, dateTo: today };
  const read = (span: Period) => readSpan({ asOf, nowMs, span, sources });
  const [ofToday, ofMonth, budgets] = await Promise.all([
    read({ dateFrom: today, dateTo: today }),
    read(month),
    readBudgetStates(sources, project, nowMs),
  ]);
  return {
    spans: { today: ofToday, month: ofMonth },
    budgets: budgets.filter(({ budget }) => budget.each === undefined),
  };
}

interface SpanWanted {
  readonly asOf: AsOf;
  readonly nowMs: number;
  readonly span: Period;
  readonly sources: AnswerSources;
}

async function readSpan(wanted: SpanWanted): Promise<SpanFigures> {
  const read = await Promise.all(
    [undefined, ...watchedDimensions].map(
      async (dimension) => [dimension, await readFigures(wanted, dimension)] as const,
    ),
  );
  const figures = new Map(read);
  return {
    total: figures.get(undefined)?.get('') ?? noFigures,
    of: byName(watchedDimensions, (dimension) => figures.get(dimension) ?? new Map()),
  };
}

/** The figures of each value of a dimension; without one, of all calls under `''`. */
async function readFigures(
  { asOf, nowMs, span, sources }: SpanWanted,
  dimension: WatchedDimension | undefined,
): Promise<Map<string, Figures>> {
  const question = toQuestion(asOf, span, dimension);
  const plan: PagePlan = { ...planPage(asOf.project, question, { limit: 1 }, nowMs), limit: everyValue };
  const [costs, usage] = await Promise.all([
    readCostRecords(asOf, question, plan, sources),
    runUsage(asOf, question, plan, sources),
  ]);
  const figures = new Map<string, Figures>();
  const add = (value: string, some: Partial<Figures>) =>
    figures.set(value, { ...(figures.get(value) ?? noFigures), ...some });
  for (const { value = '', cost } of costs) add(value, { cost });
  for (const row of usage.rows) {
    const value = dimension === undefined ? '' : (row[dimension] ?? '');
    add(value, { calls: row.calls, errors: row.errors, unpricedCalls: row.unpriced_calls });
  }
  return figures;
}

function toQuestion({ project }: AsOf, span: Period, dimension: WatchedDimension | undefined): CostsQuestion {
  const body = costsBody.parse({
    date_from: span.dateFrom,
    date_to: span.dateTo,
    aggregate: 'all',
    ...(dimension && { group_by: dimension }),
  });
  return parseCosts('metrics', project.id, body);
}
