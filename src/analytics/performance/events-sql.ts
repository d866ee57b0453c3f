import type { Reading } from '../../key-metrics/readings.ts';
import type { PeriodRecord } from '../page.ts';
import type { Clause } from '../where.ts';
import { periodOfEvent } from './event-scope.ts';
import { afterPosition, type Position, type RowWindow, upToPosition } from './row-window.ts';
import { type Expression, oddValue, selectValue } from './value-sql.ts';

/** What events of a row give for one reading: its number, events, those that feed it, odd ones, sum, and distinct values. */
export type CountedReading = readonly [
  number: number,
  events: string,
  fed: string,
  odd: string,
  sum: string,
  distinct: string,
  /** The distinct values themselves, when there are odd events to compare with them. */
  values: readonly string[],
];

/** The readings of a row, as the store gives them. */
export interface ReadingsRecord extends PeriodRecord {
  readonly readings: readonly CountedReading[];
}

/** An event whose value only its text can tell, with the numbers of the readings that it is odd for. */
export interface OddEventRecord extends PeriodRecord {
  readonly text: string;
  readonly odd: readonly number[];
}

export interface ReadingsSelection {
  readonly where: Clause;
  readonly readings: readonly Reading[];
  readonly isGrouped: boolean;
}

/**
 * The readings by row, of the first rows after a position. A group is a row when an event feeds a reading or may feed one:
 * odd events are told by their texts only. Sums are exact decimals, and so are the numbers told apart by `unique`.
 */
export function selectReadings(
  { where, readings, isGrouped }: ReadingsSelection,
  { after, limit }: RowWindow,
): Expression {
  const values = selectValues(readings);
  const start = afterPosition(after);
  return {
    sql: `
      SELECT period, value, groupArray((number, events, fed, odd, total, distinct_values, odd_values)) AS readings
      FROM (
        SELECT period, value, reading.1 AS number, count() AS events, countIf(reading.2 NOT IN ('', '${oddValue}')) AS fed,
          countIf(reading.2 = '${oddValue}') AS odd, sum(toDecimal256OrZero(reading.2, 20)) AS total,
          groupUniqArrayIf(
            if(reading.2 IN ('true', 'false') OR startsWith(reading.2, '"'), reading.2, toString(toDecimal256OrZero(reading.2, 20))),
            has({unique_readings:Array(UInt16)}, reading.1) AND reading.2 NOT IN ('', '${oddValue}')
          ) AS distinct_all,
          if(odd = 0, length(distinct_all), 0) AS distinct_values,
          if(odd = 0, [], distinct_all) AS odd_values
        FROM (
          SELECT ${periodOfEvent} AS period, ${isGrouped ? 'user' : "''"} AS value, arrayJoin(${values.sql}) AS reading
          FROM events WHERE ${where.sql}
        )
        GROUP BY period, value, number
      )
      WHERE ${start.sql}
      GROUP BY period, value
      ${isGrouped ? 'HAVING sum(fed) + sum(odd) > 0' : ''}
      ORDER BY period, value
      LIMIT {limit:UInt32}`,
    parameters: {
      ...where.parameters,
      ...values.parameters,
      ...start.parameters,
      unique_readings: readings.flatMap(({ aggregation }, number) => (aggregation === 'unique' ? [number] : [])),
      limit,
    },
  };
}

/** The odd events of the rows after a position, up to another. */
export function selectOddEvents(
  { where, readings, isGrouped }: ReadingsSelection,
  after: Position | undefined,
  upTo: Position | undefined,
): Expression {
  const values = selectValues(readings);
  const start = afterPosition(after);
  const end = upToPosition(upTo);
  return {
    sql: `
      SELECT period, value, text, odd FROM (
        SELECT ${periodOfEvent} AS period, ${isGrouped ? 'user' : "''"} AS value, text,
          arrayMap(reading -> reading.1, arrayFilter(reading -> reading.2 = '${oddValue}', ${values.sql})) AS odd
        FROM events WHERE ${where.sql}
      )
      WHERE notEmpty(odd) AND (${start.sql}) AND (${end.sql})`,
    parameters: { ...where.parameters, ...values.parameters, ...start.parameters, ...end.parameters },
  };
}

/** An array of what each event gives: (number of the reading, value), of the readings of its type. */
function selectValues(readings: readonly Reading[]): Expression {
  const byType = new Map<string, string[]>();
  const parameters: Record<string, unknown> = {};
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
