import { readCredits } from '../../billing/credits/balances.ts';
import { type GrantBalance, resolveEnd } from '../../billing/credits/grant-end.ts';
import { addDays, type Day, dayOf, type Period } from '../../lib/days.ts';
import { changedOrder } from '../../lib/dimensions.ts';
import { toJsonNumber } from '../../lib/money.ts';
import { Problem } from '../../lib/problem.ts';
import type { PriceBooks } from '../../pricing/books/price-books.ts';
import type { AnswerSources } from '../../reports/asking/sources.ts';
import { causes } from '../../reports/changes/causes.ts';
import type { RowsBy } from '../../reports/changes/rank.ts';
import { runCoverage } from '../../reports/coverage/run.ts';
import { findSteps } from '../advice/find-steps.ts';
import { countOpen, listFirings, toFiring } from '../alerts/firings.ts';
import { readBudgetStates } from '../budgets/states.ts';
import type { DigestInterval, DigestRanges } from '../digests/schedule.ts';
import type { Digest } from '../digests/wire.ts';
import { askChanges, askCosts, askMargin, askUsage, type LookContext } from '../rule/ask.ts';

/** How many rows of each kind a digest has. */
const most = 5;
const mostSteps = 3;
/** How soon credits must end to be told, in days. */
const endsWithin = 30;

export type DigestSources = AnswerSources & { readonly priceBooks: PriceBooks };

export interface DigestAsker extends LookContext {
  readonly sources: DigestSources;
}

const spanOf = ({ dateFrom, dateTo }: Period) => ({ date_from: dateFrom, date_to: dateTo });

/** Asks the questions of the routes for the days of a digest. @throws Problem as they do */
export async function readDigest(asker: DigestAsker, every: DigestInterval, ranges: DigestRanges): Promise<Digest> {
  const { project, now, sources } = asker;
  const today = dayOf(project.timezone, now);
  const isRevenue = project.type === 'revenue';
  const [costs, changes, calls, margins, steps, firings, open, budgets, { grants }, coverage] = await Promise.all([
    Promise.all([readCost(asker, ranges.now), readCost(asker, ranges.before)]),
    unlessDeleted(
      askChanges(asker, {
        ...spanOf(ranges.now),
        before_from: ranges.before.dateFrom,
        before_to: ranges.before.dateTo,
      }),
    ),
    Promise.all([readCalls(asker, ranges.now), readCalls(asker, ranges.before)]),
    isRevenue ? readMargins(asker, ranges) : undefined,
    findSteps(asker),
    listFirings(sources.control, {
      projectId: project.id,
      kind: undefined,
      state: 'open',
      limit: most,
      cursor: undefined,
    }),
    countOpen(sources.control, project.id),
    readBudgetStates(sources, project, now),
    readCredits({ ...sources, clock: () => now }, project.id),
    unlessDeleted(runCoverage(project, ranges.now, sources)),
  ]);
  return {
    every,
    ...spanOf(ranges.now),
    before_from: ranges.before.dateFrom,
    before_to: ranges.before.dateTo,
    cost: { now: costs[0], before: costs[1] },
    calls: { now: calls[0], before: calls[1] },
    revenue: margins ? { now: margins.now.revenue, before: margins.before.revenue } : null,
    margin: margins ? { now: margins.now.margin, before: margins.before.margin } : null,
    margin_pct: margins ? { now: margins.now.margin_pct, before: margins.before.margin_pct } : null,
    changes: changes ? listChanges(changes) : [],
    unprofitable: {
      count: margins?.unprofitable.length ?? 0,
      customers: margins?.unprofitable.slice(0, most) ?? [],
    },
    alerts: {
      open: open.values().reduce((sum, count) => sum + count, 0),
      newest: firings.rows.map(toFiring).map(({ title, path }) => ({ title, path })),
    },
    next_steps: steps.slice(0, mostSteps),
    budgets: budgets
      .filter(({ passed }) => passed.length > 0)
      .slice(0, most)
      .map(({ budget, of, spent, periodTo }) => ({
        ...{ name: budget.name, of: of ?? null, date_to: periodTo },
        ...{ spent: toJsonNumber(spent), amount: toJsonNumber(budget.amount) },
      })),
    credits: listEndingCredits(grants, today),
    completeness: coverage
      ? {
          priced_share: coverage.priced_share,
          customer_attributed_share: coverage.customer_attributed_share,
          unpriced_calls: coverage.unpriced_calls,
        }
      : null,
  };
}

/** The answer; undefined where it needs calls that the retention has deleted. */
async function unlessDeleted<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Problem && error.code === 'beyond_retention') return undefined;
    throw error;
  }
}

async function readCost(asker: LookContext, period: Period): Promise<number> {
  const [row] = await askCosts(asker, { ...spanOf(period), aggregate: 'all' });
  return row?.cost ?? 0;
}

async function readCalls(asker: LookContext, period: Period): Promise<number> {
  const [row] = await askUsage(asker, { ...spanOf(period), aggregate: 'all' });
  return row?.calls ?? 0;
}

async function readMargins(asker: LookContext, { now, before }: DigestRanges) {
  const whole = async (period: Period) => {
    const [row] = await askMargin(asker, { ...spanOf(period), aggregate: 'all' });
    return row ?? { revenue: 0, margin: 0, margin_pct: 0 };
  };
  const [ofNow, ofBefore, customers] = await Promise.all([
    whole(now),
    whole(before),
    askMargin(asker, { ...spanOf(now), aggregate: 'all', group_by: 'customer' }),
  ]);
  // Without revenue nobody pays for anything.
  const unprofitable = (ofNow.revenue === 0 ? [] : customers)
    // Calls without a customer are nobody's.
    .filter(({ customer = '', margin }) => customer !== '' && margin < 0)
    .map(({ customer = '', margin }) => ({ customer, margin }))
    .toSorted((a, b) => a.margin - b.margin);
  return { now: ofNow, before: ofBefore, unprofitable };
}

type Changed = Pick<Awaited<ReturnType<typeof askChanges>>, 'difference' | 'parts'>;

/** The rows that changed most, of all dimensions: a customer's new model is a change of both. */
const listChanges = (changes: RowsBy<Changed>): Digest['changes'] =>
  changedOrder
    .flatMap((name) => changes[`by_${name}`].rows.map((row) => toChange(name, row[name] ?? '', row)))
    .filter(({ name, difference }) => name !== '' && difference !== 0)
    .toSorted((a, b) => Math.abs(b.difference) - Math.abs(a.difference))
    .slice(0, most);

function toChange(
  dimension: Digest['changes'][number]['dimension'],
  name: string,
  { difference, parts }: Changed,
): Digest['changes'][number] {
  const [first] = causes
    .map((cause) => ({ name: cause, amount: parts[cause] }))
    .filter(({ amount }) => amount * difference > 0)
    .toSorted((a, b) => Math.abs(b.amount) - Math.abs(a.amount));
  return { dimension, name, difference, cause: first ?? null };
}

const listEndingCredits = (grants: readonly GrantBalance[], today: Day): Digest['credits'] =>
  grants.flatMap((grant) => {
    const end = resolveEnd(grant);
    const isSoon = end !== undefined && end.day >= today && end.day <= addDays(today, endsWithin);
    if (!isSoon || grant.remaining <= 0 || grant.starts_on > today) return [];
    return [{ name: grant.name ?? grant.provider, remaining: grant.remaining, ends_on: end.day }];
  });
