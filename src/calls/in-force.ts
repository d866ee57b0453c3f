import { type Period, toDayNumber } from '../lib/days.ts';
import type { Clause } from '../storage/analytic/clause.ts';
import { type Generations, noGeneration } from './generations.ts';

/** The rows of `calls` in the generation in force of their day. For `span` and `prefix`, see `callsOf`. */
export function inForce(generations: Generations, span?: Period, prefix = ''): Clause {
  const listed = [...generations.byDay].filter(([day]) => !span || (day >= span.dateFrom && day <= span.dateTo));
  const others: Clause = generations.pinned
    ? { sql: '{no_generation:UInt64}', parameters: { no_generation: noGeneration } }
    : { sql: '{base_generation:UInt64}', parameters: { base_generation: generations.base } };
  if (listed.length === 0) return { sql: `generation = ${others.sql}`, parameters: others.parameters };
  return {
    sql: `generation = transform(toUInt16(day), {${prefix}rebuilt_days:Array(UInt16)}, {${prefix}rebuilt_generations:Array(UInt64)}, ${others.sql})`,
    parameters: {
      ...others.parameters,
      [`${prefix}rebuilt_days`]: listed.map(([day]) => toDayNumber(day)),
      [`${prefix}rebuilt_generations`]: listed.map(([, generation]) => generation),
    },
  };
}

/** A project's calls on the days of a span. A statement of several spans gives each a `prefix` for parameters. */
export function callsOf(projectId: string, span: Period, generations: Generations, prefix = ''): Clause {
  const current = inForce(generations, span, prefix);
  return {
    sql: `project = {project:String} AND day >= {${prefix}date_from:Date} AND day <= {${prefix}date_to:Date} AND ${current.sql}`,
    parameters: {
      project: projectId,
      [`${prefix}date_from`]: span.dateFrom,
      [`${prefix}date_to`]: span.dateTo,
      ...current.parameters,
    },
  };
}
