import { type Clause, joinParameters } from '../../clickhouse/clause.ts';
import type { Parameters } from '../../clickhouse/row-reader.ts';
import { type WasteCause, wasteCauses } from './causes.ts';
import type { WasteRates } from './rates.ts';
import { wasteRules } from './rules.ts';

export interface WasteSelection {
  /** All calls of the project in the range: those that the causes of a call are looked for in. */
  readonly calls: Clause;
  /** Which of these calls are selected. */
  readonly where: Clause;
  readonly rates: readonly WasteRates[];
}

/** The calls of one cause, as the store returns them: whole numbers and money as text. */
export interface WasteRecord {
  /** Empty for calls that were not wasted. */
  readonly cause: WasteCause | '';
  readonly sum_calls: string;
  readonly sum_cost: string;
  /** In 1e-18 USD. */
  readonly sum_amount: string;
}

/** Calls, cost and wasted amount by cause. */
export function selectWaste(selection: WasteSelection): Clause {
  const { sql, parameters } = selectCauses(selection, wasteCauses);
  return {
    sql: `
      SELECT cause, count() AS sum_calls, sum(cost) AS sum_cost, toString(sum(amount)) AS sum_amount
      FROM (${sql})
      GROUP BY cause`,
    parameters,
  };
}

/** The condition for calls that belong to one of these causes. */
export function ofCauses(selection: Omit<WasteSelection, 'where'>, causes: readonly WasteCause[]): Clause {
  const everyCall: Clause = { sql: '1', parameters: {} };
  const last = Math.max(...causes.map((cause) => wasteCauses.indexOf(cause)));
  const { sql, parameters } = selectCauses({ ...selection, where: everyCall }, wasteCauses.slice(0, last + 1));
  return {
    sql: `(event_id, ordinal) IN (SELECT event_id, ordinal FROM (${sql}) WHERE cause IN {waste_causes:Array(String)})`,
    parameters: joinParameters(parameters, { waste_causes: causes }),
  };
}

/** Each selected call with the first of the causes that holds, and the amount that it wasted by it. */
function selectCauses({ calls, where, rates }: WasteSelection, causes: readonly WasteCause[]): Clause {
  const needed = rates.length === 0 ? causes.filter((cause) => !isByRates(cause)) : causes;
  const rules = needed.map((cause) => ({ cause, ...wasteRules[cause](calls) }));
  const chosen = (value: (rule: (typeof rules)[number]) => string, otherwise: string) =>
    `multiIf(${rules.map((rule) => `${rule.holds}, ${value(rule)}`).join(', ')}, ${otherwise})`;
  return {
    sql: `
        SELECT event_id, ordinal, cost, ${chosen(({ cause }) => `'${cause}'`, "''")} AS cause,
          multiIf(${rules.map(({ cause, amount }) => `cause = '${cause}', ${amount}`).join(', ')}, toInt128(0)) AS amount
        FROM calls FINAL ${rates.length === 0 ? '' : joinRates}
        WHERE (${calls.sql}) AND (${where.sql})`,
    parameters: joinParameters(calls.parameters, where.parameters, bindRates(rates)),
  };
}

const isByRates = (cause: WasteCause): boolean => cause === 'uncached_input' || cause === 'dearer_model';

const joinRates = `LEFT ANY JOIN (
          SELECT rate.1 AS rate_provider, rate.2 AS rate_model, rate.3 AS saving_bounds, rate.4 AS savings,
            rate.5 AS alternative_bounds, rate.6 AS alternative_rates
          FROM (
            SELECT arrayJoin(arrayZip({rate_providers:Array(String)}, {rate_models:Array(String)},
              {saving_bounds:Array(Array(Int64))}, {savings:Array(Array(Int128))},
              {alternative_bounds:Array(Array(Int64))}, {alternative_rates:Array(Array(Array(Int128)))})) AS rate
          )
        ) AS rates ON provider = rate_provider AND model = rate_model`;

function bindRates(rates: readonly WasteRates[]): Parameters {
  if (rates.length === 0) return {};
  return {
    rate_providers: rates.map(({ provider }) => provider),
    rate_models: rates.map(({ model }) => model),
    saving_bounds: rates.map(({ saving }) => saving.map(({ above }) => above)),
    savings: rates.map(({ saving }) => saving.map(({ value }) => value)),
    alternative_bounds: rates.map(({ alternative }) => alternative.map(({ above }) => above)),
    alternative_rates: rates.map(({ alternative }) => alternative.map(({ value }) => value)),
  };
}
