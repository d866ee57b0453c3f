import { readAppliedRereads } from '../../calls/applied-rereads.ts';
import { gather } from '../../calls/joins/gather.ts';
import { joinCalls } from '../../calls/joins/join-calls.ts';
import { wrappedCallOf } from '../../calls/joins/wrapper.ts';
import { attacher } from '../../calls/merging/attach.ts';
import { readIds } from '../../calls/merging/look-back.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import { textColumns } from '../../storage/analytic/native-block.ts';
import { type ControlStore, requireRow } from '../../storage/control/control-store.ts';
import type { ErasureRow } from '../../storage/control/schema/schema.ts';

const pageSize = 2_000;
/** The time limit of one statement, in milliseconds. */
const withinMs = 30_000;

/** Records the other reports of erased calls: none may become a call of its own (D27.6). Can be repeated. */
export async function noteOtherReports(
  { store, control }: { readonly store: AnalyticStore; readonly control: ControlStore },
  erasure: Pick<ErasureRow, 'id' | 'project_id' | 'created_at'>,
): Promise<void> {
  const { id, project_id: project, created_at: aboutMs } = erasure;
  const select = async <Row>({ sql, parameters }: Clause) => await store.select<Row>(sql, parameters, withinMs);
  const rereads = await readAppliedRereads(control, project);
  const { join_alike: joinAlike } = await requireRow(control, 'projects', { id: project });
  const attach = attacher(select, new Set(rereads.size > 0 ? [project] : []));
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const page = await select<{ eventId: string }>({
      sql: `SELECT DISTINCT event_id AS eventId FROM report_keys
        WHERE project = {project:String} AND event_id > {after:UUID}
          AND event_id IN (SELECT event_id FROM erased_ids WHERE project = {project:String} AND erasure = {id:String})
        ORDER BY event_id LIMIT {most:UInt32}`,
      parameters: { project, id, after, most: pageSize },
    });
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.eventId;
    const keys = page.map(({ eventId }) => ({ projectId: project, eventId }));
    const ids = await attach.toIds(await readIds(select, keys, aboutMs));
    const { calls, related, spans } = await gather({ select, attach }, ids, { alsoInside: false });
    const joined = await joinCalls([...calls, ...related], spans, { rereads, joinsAlike: joinAlike === 1 });
    const erased = new Set(page.map(({ eventId }) => eventId));
    const others = joined.filter((call) => erased.has(wrappedCallOf(call) ?? '') && !erased.has(call.eventId));
    const rows = others.map(({ eventId }) => [project, id, eventId]);
    if (rows.length > 0) await store.insertRows('erased_ids', textColumns(['project', 'erasure', 'event_id']), rows);
  }
}
