import type { Clause } from '../clickhouse/clause.ts';
import { type Period, toDayNumber } from '../lib/days.ts';
import type { Generations } from './generations.ts';

/** The condition for the rows of `calls` that answers read: those of their day's generation in force. */
export function inForce(generations: Generations, span?: Period): Clause {
  const rebuilt = [...generations.byDay].filter(([day]) => !span || (day >= span.dateFrom && day <= span.dateTo));
  if (rebuilt.length === 0) {
    return { sql: 'generation = {base_generation:UInt64}', parameters: { base_generation: generations.base } };
  }
  return {
    sql: 'generation = transform(toUInt16(day), {rebuilt_days:Array(UInt16)}, {rebuilt_generations:Array(UInt64)}, {base_generation:UInt64})',
    parameters: {
      base_generation: generations.base,
      rebuilt_days: rebuilt.map(([day]) => toDayNumber(day)),
      rebuilt_generations: rebuilt.map(([, generation]) => generation),
    },
  };
}

/** The condition for a project's calls on the days of a span. */
export function callsOf(projectId: string, span: Period, generations: Generations): Clause {
  const current = inForce(generations, span);
  return {
    sql: `project = {project:String} AND day >= {date_from:Date} AND day <= {date_to:Date} AND ${current.sql}`,
    parameters: { project: projectId, date_from: span.dateFrom, date_to: span.dateTo, ...current.parameters },
  };
}
