import type { AnalyticStore } from './analytic-store.ts';
import type { Clause } from './clause.ts';
import type { Parameters } from './row-reader.ts';

export interface Statement extends Clause {
  /** Finds out whether there is anything to change. An empty change costs the engine a step for every part of its table. */
  readonly finds?: string;
}

/** Changes the rows of `{project:String}` that a condition holds for; the engine does so in the background. */
export function changeOf(table: string, how: 'DELETE' | `UPDATE ${string}`, where: string): Statement {
  const rows = `WHERE project = {project:String} AND (${where})`;
  return {
    sql: `ALTER TABLE ${table} ${how} ${rows}`,
    finds: `SELECT 1 FROM ${table} ${rows} LIMIT 1`,
    parameters: {},
  };
}

/** The time limit of finding out, in milliseconds. */
const withinMs = 30_000;

/** Runs a statement, unless it has nothing to change. */
export async function runStatement(
  store: Pick<AnalyticStore, 'select' | 'command'>,
  { sql, parameters, finds }: Statement,
  common: Parameters,
): Promise<void> {
  const bound = { ...parameters, ...common };
  if (finds === undefined || (await store.select(finds, bound, withinMs)).length > 0) await store.command(sql, bound);
}
