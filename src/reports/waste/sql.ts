import { rateTerms } from '../../lib/units.ts';
import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import type { Parameter } from '../../storage/analytic/row-reader.ts';
import { type WasteCause, wasteCauses } from './causes.ts';
import type { WasteRates } from './rates.ts';
import { wasteRules } from './rules.ts';

export interface WasteSelection {
  /** All calls of the project in the range. Causes are searched among them. */
  readonly calls: Clause;
  /** Which of these calls are selected. */
  readonly where: Clause;
  readonly rates: readonly WasteRates[];
}

/** The calls of one cause and model, as the store returns them: whole numbers and money as text. */
export interface WasteRecord {
  /** Empty for calls that were not wasted. */
  readonly cause: WasteCause | '';
  /** The model of calls of `dearer_model`; empty for other causes. */
  readonly of_model: string;
  readonly sum_calls: string;
  readonly sum_cost: string;
  /** In 1e-18 USD. */
  readonly sum_amount: string;
}

/** The most sets of models and terms whose rates are looked up: those of most calls. */
const mostTermed = 2_000;

/** The models of calls that name terms which change prices, with these terms. */
export const selectTermed = (calls: Clause): Clause => ({
  sql: `
    SELECT provider, model, ${rateTerms.map((term) => `terms['${term}'] AS ${term}`).join(', ')}
    FROM calls
    WHERE (${calls.sql}) AND notEmpty(terms)
    GROUP BY ALL
    ORDER BY count() DESC
    LIMIT ${mostTermed}`,
  parameters: calls.parameters,
});

/** Calls, cost and wasted amount by cause. */
export function selectWaste(selection: WasteSelection): Clause {
  const { sql, parameters } = selectCauses(selection, wasteCauses);
  return {
    sql: `
      SELECT cause, if(cause = 'dearer_model', model, '') AS of_model, count() AS sum_calls, sum(cost) AS sum_cost, toString(sum(amount)) AS sum_amount
      FROM (${sql})
      GROUP BY cause, of_model`,
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

/** Each selected call with the first cause that holds, and the wasted amount. */
function selectCauses({ calls, where, rates }: WasteSelection, causes: readonly WasteCause[]): Clause {
  const joined = joinRates(rates);
  const rules = causes
    .filter((cause) => joined.holdsFor(cause))
    .map((cause) => ({ cause, ...wasteRules[cause](calls) }));
  return {
    sql: `
        SELECT event_id, ordinal, model, cost,
          multiIf(${rules.map(({ cause, holds }) => `${holds}, '${cause}'`).join(', ')}, '') AS cause,
          multiIf(${rules.map(({ cause, amount }) => `cause = '${cause}', ${amount}`).join(', ')}, toInt128(0)) AS amount
        FROM calls FINAL ${joined.sql}
        WHERE (${calls.sql}) AND (${where.sql})`,
    parameters: joinParameters(calls.parameters, where.parameters, joined.parameters),
  };
}

/** A column of the rates that are joined. */
type RateColumn = readonly [name: string, type: string, take: (rates: WasteRates) => Parameter];

/** The columns by which rates are joined. The columns of each rule follow. */
const columnsOfModel: readonly RateColumn[] = [
  ['rate_provider', 'Array(String)', ({ provider }) => provider],
  ['rate_model', 'Array(String)', ({ model }) => model],
  ...rateTerms.map((term): RateColumn => [`rate_${term}`, 'Array(String)', ({ terms }) => terms[term] ?? '']),
];
const sameTerms = rateTerms.map((term) => `terms['${term}'] = rate_${term}`).join(' AND ');
const columnsOfSaving: readonly RateColumn[] = [
  ['saving_bounds', 'Array(Array(Int64))', ({ saving }) => saving.map(({ above }) => above)],
  ['savings', 'Array(Array(Int128))', ({ saving }) => saving.map(({ value }) => value)],
];
const columnsOfAlternative: readonly RateColumn[] = [
  ['alternative_bounds', 'Array(Array(Int64))', ({ alternative }) => alternative.map(({ above }) => above)],
  ['alternative_rates', 'Array(Array(Array(Int128)))', ({ alternative }) => alternative.map(({ value }) => value)],
];

/** Joins rates that a rule reads; a call without them has no match. */
function joinRates(rates: readonly WasteRates[]): Clause & { readonly holdsFor: (cause: WasteCause) => boolean } {
  const hasSaving = ({ saving }: WasteRates) => saving.some(({ value }) => value > 0n);
  const hasAlternative = ({ alternative }: WasteRates) => alternative.length > 0;
  const [canSave, canSwap] = [rates.some(hasSaving), rates.some(hasAlternative)];
  const holdsFor = (cause: WasteCause) =>
    (cause !== 'uncached_input' || canSave) && (cause !== 'dearer_model' || canSwap);
  if (!canSave && !canSwap) return { sql: '', parameters: {}, holdsFor };
  const joined = rates.filter((one) => hasSaving(one) || hasAlternative(one));
  const columns = [...columnsOfModel, ...(canSave ? columnsOfSaving : []), ...(canSwap ? columnsOfAlternative : [])];
  return {
    sql: `LEFT ANY JOIN (
          SELECT ${columns.map(([name], index) => `rate.${index + 1} AS ${name}`).join(', ')}
          FROM (SELECT arrayJoin(arrayZip(${columns.map(([name, type]) => `{${name}:${type}}`).join(', ')})) AS rate)
        ) AS rates ON provider = rate_provider AND model = rate_model AND ${sameTerms}`,
    parameters: Object.fromEntries(columns.map(([name, , take]) => [name, joined.map(take)])),
    holdsFor,
  };
}
