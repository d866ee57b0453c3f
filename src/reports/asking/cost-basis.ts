import type { Generations } from '../../calls/generations.ts';
import { type Day, type Period, toDayNumber } from '../../lib/days.ts';
import type { Dimension } from '../../lib/dimensions.ts';
import { inHeavyTurn } from '../../lib/heavy-work.ts';
import { inTurns, stepsInTurns } from '../../lib/in-turns.ts';
import { parseMoney } from '../../lib/money.ts';
import type { Parameters } from '../../storage/analytic/row-reader.ts';
import {
  type BurnDown,
  type CoveredCosts,
  type CreditTerms,
  calcBurnDown,
  calcEarliestStart,
  type DailyGross,
} from '../facts/burn-down.ts';
import type { Facts } from '../facts/facts.ts';
import type { AnswerCache } from './answer-cache.ts';
import { readCostTable, wholeRows } from './cells.ts';
import type { AnswerSources } from './sources.ts';

/**
 * SQL for the cost of a call in an answer: gross, or net of free credits (D7.3). `expression` is a decimal with at most
 * 30 fractional digits, to sum over `FROM <calls or cells> <join> WHERE …`. Columns that the join adds start with
 * `credit_`.
 */
export interface CostBasis {
  readonly expression: string;
  readonly join: string;
  readonly parameters: Parameters;
  /** The same for a statement that reads only some days. It does not name shares of other days, which may change. */
  readonly onDays: (isRead: (day: Day) => boolean) => CostBasis;
}

/** Whether costs are gross: nothing is joined, so no credits cover any. */
export const isGross = ({ join }: Pick<CostBasis, 'join'>): boolean => join === '';

/** The dimensions that a net cost needs besides those of its rows. */
export const dimensionsOfBasis = (basis: Pick<CostBasis, 'join'>): readonly Dimension[] =>
  isGross(basis) ? [] : ['provider', 'model'];

const grossCost: CostBasis = { expression: 'cost', join: '', parameters: {}, onDays: () => grossCost };

export interface CostBasisOptions {
  readonly generations: Generations;
  readonly facts: Facts;
  /** The days whose calls are summed. */
  readonly period: Period;
  readonly applyCredits: boolean;
}

/** Gross, or net of free credits, which the whole project uses up whatever an answer's filters are (D7.2). */
export async function readCostBasis(
  sources: Pick<AnswerSources, 'answerCache'>,
  { generations, facts, period, applyCredits }: CostBasisOptions,
): Promise<CostBasis> {
  return applyCredits ? netOf(await readCoveredCosts(sources, { generations, facts, period })) : grossCost;
}

/** Reads the shares of a period's costs that free credits cover, by day, provider and model (D7.2). */
export async function readCoveredCosts(
  { answerCache }: Pick<AnswerSources, 'answerCache'>,
  { generations, facts, period }: Omit<CostBasisOptions, 'applyCredits'>,
): Promise<CoveredCosts> {
  const grants = (await facts.readGrants()).filter(({ startsOn }) => startsOn <= period.dateTo);
  const dateFrom = calcEarliestStart(grants);
  const isCovered = grants.some(({ expiresOn }) => expiresOn === null || expiresOn >= period.dateFrom);
  if (dateFrom === undefined || !isCovered) return { models: [], shares: [] };
  const costs = await readDailyGross(answerCache, facts.projectId, {
    period: { dateFrom, dateTo: period.dateTo },
    generations,
  });
  const { models, shares } = await burnDownInTurns(grants, costs);
  return { models, shares: shares.filter(({ day }) => day >= period.dateFrom) };
}

/**
 * The cost of a call less the share that credits cover. Two joins find the share: provider and model give the group,
 * and group and day give the share. This binds few rows. It takes 0.3 s for 3,600 days and 100 models; one row for each
 * day and model takes 2.4 s.
 *
 * Shares are bound as whole units of 1e-18. A call without a share is joined with 0, the default of a decimal.
 */
export function netOf({ models, shares }: CoveredCosts): CostBasis {
  if (shares.length === 0) return grossCost;
  return {
    expression: 'toDecimal256(cost, 12) * (toDecimal256(1, 18) - credit_covered)',
    join: `LEFT ANY JOIN (
          SELECT credit_entry.1 AS credit_provider, credit_entry.2 AS credit_model, credit_entry.3 AS credit_group
          FROM (
            SELECT arrayJoin(arrayZip({credit_providers:Array(String)}, {credit_models:Array(String)},
              {credit_groups:Array(UInt32)})) AS credit_entry
          )
        ) AS credit_grouped_models ON provider = credit_provider AND model = credit_model
        LEFT ANY JOIN (
          SELECT toDate(credit_entry.1) AS credit_day, credit_entry.2 AS credit_share_group,
            toDecimal256(credit_entry.3, 0) * toDecimal256('0.000000000000000001', 18) AS credit_covered
          FROM (
            SELECT arrayJoin(arrayZip({credit_days:Array(UInt16)}, {credit_share_groups:Array(UInt32)},
              {credit_units:Array(UInt64)})) AS credit_entry
          )
        ) AS credit_shares ON day = credit_day AND credit_group = credit_share_group`,
    parameters: {
      credit_providers: models.map(({ provider }) => provider),
      credit_models: models.map(({ model }) => model),
      credit_groups: models.map(({ group }) => group),
      credit_days: shares.map(({ day }) => toDayNumber(day)),
      credit_share_groups: shares.map(({ group }) => group),
      credit_units: shares.map(({ covered }) => covered),
    },
    onDays: (isRead) => netOf({ models, shares: shares.filter(({ day }) => isRead(day)) }),
  };
}

interface DailyGrossRecord {
  readonly day: Day;
  readonly provider: string;
  readonly model: string;
  readonly gross: string;
}

/** Reads the project's whole gross cost by day, provider and model. Credits are used for this cost (D7.2). */
export async function readDailyGross(
  answerCache: AnswerCache,
  projectId: string,
  { period, generations }: { readonly period: Period; readonly generations: Generations },
): Promise<DailyGross[]> {
  const table = readCostTable({ projectId, period, generations }, { dimensions: ['provider', 'model'], filters: [] });
  const sql = `SELECT day, provider, model, sum(cost) AS gross
      FROM ${table.from}
      WHERE ${table.where.sql}
      GROUP BY day, provider, model
      HAVING gross > 0
      ${wholeRows}`;
  const records = await answerCache.select<DailyGrossRecord>({ sql, parameters: table.where.parameters }, [table]);
  const costs: DailyGross[] = [];
  await inTurns(records, ({ day, provider, model, gross }) => {
    costs.push({ day, provider, model, cost: parseMoney(gross) ?? 0n });
  });
  return costs;
}

/** From this many costs times grants on, to use grants takes much memory and time: tens of milliseconds. */
const heavyFrom = 200_000;

/** Uses grants, in a heavy turn if many. @throws AnswerTooLarge as `calcBurnDown`, Problem as `inHeavyTurn` */
export async function burnDownInTurns(grants: readonly CreditTerms[], costs: readonly DailyGross[]): Promise<BurnDown> {
  const work = async () => await stepsInTurns(calcBurnDown(grants, costs));
  return await (grants.length * costs.length < heavyFrom ? work() : inHeavyTurn(work));
}
