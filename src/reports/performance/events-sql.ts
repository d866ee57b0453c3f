import { identifyReading, type Reading } from '../../accounts/key-metrics/readings.ts';
import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import type { Parameter } from '../../storage/analytic/row-reader.ts';
import type { PeriodRecord } from '../asking/page.ts';
import { afterPosition, type Position, type RowWindow, upToPosition } from '../asking/period-sql.ts';
import { periodOfEvent } from './event-scope.ts';
import { selectValue, valueKinds } from './value-sql.ts';

/** The contribution of a row's events to one reading. */
export type CountedReading = readonly [
  number: number,
  events: string,
  /** Events that certainly feed it. */
  fed: string,
  /** Events of the kind `odd`. */
  odd: string,
  /** The sum of the plain numbers. */
  sum: string,
  /** How many distinct values there are besides `values`. */
  distinct: string,
  /** The distinct plain values, if other values must be compared with them. */
  values: readonly string[],
  /** The other numbers, as they were sent. */
  numbers: readonly string[],
  /** Parts of the sum that come from deleted events, in units of 1e-100. */
  rests: readonly string[],
];

export interface ReadingsRecord extends PeriodRecord {
  readonly readings: readonly CountedReading[];
}

/** An event whose value must be read from its text, and the readings (by number) for which it is odd. */
export interface OddEventRecord extends PeriodRecord {
  readonly text: string;
  readonly odd: readonly number[];
}

export interface ReadingsSelection {
  readonly where: Clause;
  readonly readings: readonly Reading[];
  /** Of a row, over events and over `frozen_readings`; undefined if rows are not grouped. */
  readonly value: Clause | undefined;
  /** The rows of `frozen_readings` to add, which have the readings of deleted events, and the SQL for their periods. */
  readonly frozen?: { readonly where: Clause; readonly period: Clause } | undefined;
  /** Returns every distinct value, as a hash. */
  readonly listsHashes?: boolean;
}

/** Whether distinct values are compared by hash. For deleted events, only hashes are kept. */
export const isHashed = ({ frozen, listsHashes }: ReadingsSelection): boolean =>
  frozen !== undefined || listsHashes === true;

/**
 * The readings of the first rows after a position. A group is a row if an event feeds a reading, or may feed one: an
 * odd event's text decides. Sums are exact decimals, and so are the numbers that `unique` compares.
 */
export function selectReadings(selection: ReadingsSelection, { after, limit }: RowWindow): Clause {
  const { value, frozen, listsHashes } = selection;
  const live = countEvents(selection);
  const counted = frozen ? addFrozen(live, frozen, selection) : live;
  const start = afterPosition(after);
  return {
    sql: `
      SELECT period, value,
        groupArray((number, events, fed, odd, total, distinct_values, plain_values, numbers, rests)) AS readings
      FROM (
        SELECT period, value, number, events, fed, odd, total, numbers, rests,
          ${listsHashes ? '0' : 'odd = 0 AND empty(numbers)'} AS is_counted,
          if(is_counted, length(distinct_all), 0) AS distinct_values,
          if(is_counted, [], arrayMap(one -> toString(one), distinct_all)) AS plain_values
        FROM (${counted.sql})
      )
      WHERE ${start.sql}
      GROUP BY period, value
      ${value ? 'HAVING sum(fed) + sum(odd) + sum(length(numbers)) > 0' : ''}
      ORDER BY period, value
      LIMIT {limit:UInt32}`,
    parameters: joinParameters(counted.parameters, start.parameters, { limit }),
  };
}

/** The readings of events, by row and reading. */
function countEvents(selection: ReadingsSelection): Clause {
  const { where, readings, value } = selection;
  const values = selectValues(readings);
  const spelt = `if(kind = '${valueKinds.word}', text, toString(toDecimal256OrZero(text, 20)))`;
  return {
    sql: `
      SELECT period, value, number, count() AS events,
        countIf(kind IN ('${valueKinds.plain}', '${valueKinds.word}')) AS fed,
        countIf(kind = '${valueKinds.odd}') AS odd,
        sumIf(toDecimal256OrZero(text, 20), kind = '${valueKinds.plain}') AS total,
        groupArrayIf(text, kind = '${valueKinds.number}') AS numbers,
        groupUniqArrayIf(
          ${isHashed(selection) ? `reinterpretAsUInt128(substring(SHA256(${spelt}), 1, 16))` : spelt},
          kind IN ('${valueKinds.plain}', '${valueKinds.word}') AND has({unique_readings:Array(UInt16)}, number)
        ) AS distinct_all,
        emptyArrayString() AS rests
      FROM (
        SELECT period, value, reading.1 AS number, left(reading.2, 1) AS kind, substring(reading.2, 2) AS text
        FROM (
          SELECT ${periodOfEvent} AS period, ${value?.sql ?? "''"} AS value, arrayJoin(${values.sql}) AS reading
          FROM events WHERE ${where.sql}
        )
      )
      GROUP BY period, value, number`,
    parameters: joinParameters(where.parameters, values.parameters, value?.parameters, {
      unique_readings: readings.flatMap(({ aggregation }, number) => (aggregation === 'unique' ? [number] : [])),
    }),
  };
}

/** Adds the stored readings of deleted events. */
function addFrozen(
  live: Clause,
  { where, period }: NonNullable<ReadingsSelection['frozen']>,
  { readings, value }: ReadingsSelection,
): Clause {
  return {
    sql: `
      SELECT period, value, number, sum(events) AS events, sum(fed) AS fed, sum(odd) AS odd, sum(total) AS total,
        groupArrayArray(numbers) AS numbers, groupUniqArrayArray(distinct_all) AS distinct_all,
        groupArrayArray(rests) AS rests
      FROM (
        ${live.sql}
        UNION ALL
        SELECT ${period.sql} AS period, ${value?.sql ?? "''"} AS value,
          toUInt16(transform(toString(reading), {frozen_readings:Array(String)}, {frozen_numbers:Array(UInt16)}, toUInt16(0))) AS number,
          sum(frozen_readings.fed), sum(frozen_readings.fed), toUInt64(0), sum(frozen_readings.sum), emptyArrayString(),
          groupUniqArrayArray(hashes), groupArrayIf(rest, rest != '')
        FROM frozen_readings
        WHERE (${where.sql}) AND reading IN (SELECT arrayJoin({frozen_readings:Array(String)}))
        GROUP BY period, value, number
      )
      GROUP BY period, value, number`,
    parameters: joinParameters(live.parameters, where.parameters, period.parameters, value?.parameters, {
      frozen_readings: readings.map(identifyReading),
      frozen_numbers: readings.map((_, number) => number),
    }),
  };
}

/** The odd events of the rows after one position and up to another. */
export function selectOddEvents(
  { where, readings, value }: ReadingsSelection,
  after: Position | undefined,
  upTo: Position | undefined,
): Clause {
  const values = selectValues(readings);
  const start = afterPosition(after);
  const end = upToPosition(upTo);
  return {
    sql: `
      SELECT period, value, text, odd FROM (
        SELECT ${periodOfEvent} AS period, ${value?.sql ?? "''"} AS value, text,
          arrayMap(reading -> reading.1, arrayFilter(reading -> reading.2 = '${valueKinds.odd}', ${values.sql})) AS odd
        FROM events WHERE ${where.sql}
      )
      WHERE notEmpty(odd) AND (${start.sql}) AND (${end.sql})`,
    parameters: joinParameters(
      where.parameters,
      values.parameters,
      value?.parameters,
      start.parameters,
      end.parameters,
    ),
  };
}

/** SQL for the readings of an event's type: an array of (number of the reading, value) for each event. */
function selectValues(readings: readonly Reading[]): Clause {
  const byType = new Map<string, string[]>();
  const parameters: Record<string, Parameter> = {};
  readings.forEach((reading, number) => {
    const value = selectValue(reading, number);
    Object.assign(parameters, value.parameters);
    byType.set(reading.eventType, [...(byType.get(reading.eventType) ?? []), `(toUInt16(${number}), ${value.sql})`]);
  });
  const cases = [...byType].map(([type, values], place) => {
    parameters[`type_${place}`] = type;
    return `event_type = {type_${place}:String}, [${values.join(', ')}]`;
  });
  return { sql: `multiIf(${cases.join(', ')}, [])`, parameters };
}
