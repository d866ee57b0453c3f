import type { Generations } from '../calls/generations.ts';
import type { Parameters } from '../clickhouse/analytic-store.ts';
import { type CoveredShare, calcBurnDown, calcEarliestStart } from '../credits/burn-down.ts';
import { readGrants } from '../credits/grants.ts';
import { toDayNumber } from '../lib/days.ts';
import type { Project } from '../projects/projects.ts';
import { readDailyGross } from './daily-gross.ts';
import type { Period } from './periods.ts';
import type { AnalyticsSources } from './sources.ts';

/**
 * What a call costs in an answer: its gross cost, or what free credits leave of it (D7.3). The expression is a decimal of
 * at most 30 fractional digits, to be summed up in `FROM calls FINAL <join> WHERE …`. The columns that the join adds have
 * names that begin with `credit_`.
 */
export interface CostBasis {
  readonly expression: string;
  readonly join: string;
  readonly parameters: Parameters;
}

const grossCost: CostBasis = { expression: 'cost', join: '', parameters: {} };

export interface CostBasisOptions {
  readonly generations: Generations;
  /** The days whose calls are summed up. */
  readonly period: Period;
  readonly applyCredits: boolean;
}

/**
 * Reads what calls of a period cost, with free credits taken off where `applyCredits` asks for it. Credits are used for
 * the whole project's cost, whatever an answer filters, and from the earliest grant on (D7.2).
 */
export async function readCostBasis(
  sources: Pick<AnalyticsSources, 'store' | 'control'>,
  project: Pick<Project, 'id'>,
  { generations, period, applyCredits }: CostBasisOptions,
): Promise<CostBasis> {
  return applyCredits ? netOf(await readCoveredShares(sources, project, { generations, period })) : grossCost;
}

/** Reads what free credits cover of the cost of each provider and model on the days of a period (D7.2). */
export async function readCoveredShares(
  { store, control }: Pick<AnalyticsSources, 'store' | 'control'>,
  project: Pick<Project, 'id'>,
  { generations, period }: { readonly generations: Generations; readonly period: Period },
): Promise<CoveredShare[]> {
  const grants = (await readGrants(control, project.id)).filter(({ startsOn }) => startsOn <= period.dateTo);
  const dateFrom = calcEarliestStart(grants);
  const isCovered = grants.some(({ expiresOn }) => expiresOn === null || expiresOn >= period.dateFrom);
  if (dateFrom === undefined || !isCovered) return [];
  const costs = await readDailyGross(store, project.id, {
    period: { dateFrom, dateTo: period.dateTo },
    generations,
  });
  return calcBurnDown(grants, costs).shares.filter(({ day }) => day >= period.dateFrom);
}

/**
 * The cost of a call less the share of it that credits cover, found by day, provider and model.
 *
 * The shares are bound in as few bytes as they need: names once each, shares as whole units of 1e-18. A call that has
 * none is joined with the default of a decimal, 0.
 */
function netOf(shares: readonly CoveredShare[]): CostBasis {
  if (shares.length === 0) return grossCost;
  const providers = new NameList();
  const models = new NameList();
  return {
    expression: 'toDecimal256(cost, 12) * (toDecimal256(1, 18) - credit_covered)',
    join: `LEFT ANY JOIN (
          SELECT
            toDate(credit_share.1) AS credit_day,
            {credit_providers:Array(String)}[credit_share.2] AS credit_provider,
            {credit_models:Array(String)}[credit_share.3] AS credit_model,
            toDecimal256(credit_share.4, 0) * toDecimal256('0.000000000000000001', 18) AS credit_covered
          FROM (
            SELECT arrayJoin(arrayZip({credit_days:Array(UInt16)}, {credit_provider_places:Array(UInt32)},
              {credit_model_places:Array(UInt32)}, {credit_units:Array(UInt64)})) AS credit_share
          )
        ) AS credit_shares ON day = credit_day AND provider = credit_provider AND model = credit_model`,
    parameters: {
      credit_days: shares.map(({ day }) => toDayNumber(day)),
      credit_provider_places: shares.map(({ provider }) => providers.placeOf(provider)),
      credit_model_places: shares.map(({ model }) => models.placeOf(model)),
      credit_units: shares.map(({ covered }) => covered),
      credit_providers: providers.names,
      credit_models: models.names,
    },
  };
}

/** Distinct names, and the place of each, from 1 on. */
class NameList {
  readonly names: string[] = [];
  readonly #places = new Map<string, number>();

  placeOf(name: string): number {
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    const place = this.names.push(name);
    this.#places.set(name, place);
    return place;
  }
}
