import { sql } from 'kysely';
import type { ControlQueries } from '../storage/control/control-store.ts';

/** A literal, because with a bound value SQLite does not use the partial index of rereads. */
const yes = sql.lit(1);

const applied = (control: ControlQueries) =>
  control.selectFrom('rebuilds').where('reread', '=', yes).where('state', '=', 'done').where('dry_run', '=', 0);

export async function readAppliedRereads(control: ControlQueries, projectId: string): Promise<ReadonlySet<number>> {
  const rows = await applied(control).select('generation').where('project_id', '=', projectId).execute();
  return new Set(rows.map(({ generation }) => generation));
}

export async function listAppliedRereads(control: ControlQueries): Promise<[project: string, generation: number][]> {
  const rows = await applied(control).select(['project_id', 'generation']).execute();
  return rows.map(({ project_id: project, generation }) => [project, generation]);
}

/** The projects with a reread that is running or in force: their events may have later contents. */
export async function readRereadProjects(control: ControlQueries): Promise<ReadonlySet<string>> {
  const rows = await control
    .selectFrom('rebuilds')
    .select('project_id')
    .distinct()
    .where('reread', '=', yes)
    .where((rebuild) =>
      rebuild.or([
        rebuild('state', '=', 'running'),
        rebuild.and([rebuild('state', '=', 'done'), rebuild('dry_run', '=', 0)]),
      ]),
    )
    .execute();
  return new Set(rows.map(({ project_id }) => project_id));
}
