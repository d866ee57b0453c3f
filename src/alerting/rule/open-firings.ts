import type { ControlQueries } from '../../storage/control/control-store.ts';
import type { FiringRow } from '../../storage/control/schema/alert-rows.ts';

/** An open firing, as far as a look needs it. */
export type OpenFiring = Pick<FiringRow, 'id' | 'cause' | 'is_quiet'>;

export async function readOpenFirings(
  control: ControlQueries,
  projectId: string,
  kind: string,
): Promise<(OpenFiring & Pick<FiringRow, 'subject'>)[]> {
  return await control
    .selectFrom('firings')
    .select(['id', 'cause', 'subject', 'is_quiet'])
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .where('ended_at', 'is', null)
    .execute();
}
