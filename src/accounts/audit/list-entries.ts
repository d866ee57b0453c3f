import { z } from 'zod';
import { openCursor } from '../../lib/http/cursor.ts';
import { cutPage } from '../../lib/http/page-envelope.ts';
import { parseJson } from '../../lib/json.ts';
import { toTime } from '../../lib/times.ts';
import type { ControlStore } from '../../storage/control/control-store.ts';
import type { AuditEntryRow } from '../../storage/control/schema/entry-row.ts';

/** An entry, with the API's field names, for somebody who may know the members or not. */
export const toEntry = (row: AuditEntryRow, { seesMembers }: Pick<EntriesQuestion, 'seesMembers'>) => ({
  id: row.id,
  at: toTime(row.at),
  actor: row.actor_kind,
  actor_id: row.actor_id,
  actor_name: row.actor_name,
  address: row.address,
  request: row.request,
  action: row.action,
  kind: row.kind,
  subject: row.subject,
  subject_name: seesMembers ? row.subject_name : null,
  before: readFields(row.before),
  after: readFields(row.after),
});

const readFields = (text: string | null) =>
  text === null ? null : (parseJson(text) as Readonly<Record<string, unknown>>);

export interface EntriesQuestion {
  /** Undefined for the entries of all projects and of the whole service. */
  readonly projectId: string | undefined;
  /** Whether who asks may know the e-mail addresses of the project's members. */
  readonly seesMembers: boolean;
  readonly actor: AuditEntryRow['actor_kind'] | undefined;
  readonly actorId: string | undefined;
  /** A kind of actor, an id or a name. */
  readonly who: string | undefined;
  readonly kind: string | undefined;
  readonly subject: string | undefined;
  /** Milliseconds since 1970: the first that counts, and the first that does not. */
  readonly from: number | undefined;
  readonly before: number | undefined;
  readonly limit: number;
  readonly cursor: string | undefined;
}

const entryPosition = z.tuple([z.string().regex(/^\d{1,15}$/), z.string().regex(/^\w{1,64}$/)]);

/** A page of the audit log, newest first, and the end of the page. @throws Problem `invalid_cursor` */
export async function listEntries(control: ControlStore, { limit, cursor, ...asked }: EntriesQuestion) {
  const { projectId, seesMembers, actor, actorId, who, kind, subject, from, before } = asked;
  const question = ['audit', projectId, actor, actorId, who, kind, subject, from, before];
  const after = cursor === undefined ? undefined : openCursor(question, cursor, entryPosition);
  let query = control
    .selectFrom('audit_entries')
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (projectId !== undefined) query = query.where('project_id', '=', projectId);
  if (actor !== undefined) query = query.where('actor_kind', '=', actor);
  if (actorId !== undefined) query = query.where('actor_id', '=', actorId);
  if (who !== undefined) {
    const columns = ['actor_kind', 'actor_id', 'actor_name'] as const;
    query = query.where((row) => row.or(columns.map((column) => row(column, '=', who as never))));
  }
  if (kind !== undefined) query = query.where('kind', '=', kind);
  if (subject !== undefined) {
    const columns = seesMembers ? (['subject', 'subject_name'] as const) : (['subject'] as const);
    query = query.where((row) => row.or(columns.map((column) => row(column, '=', subject))));
  }
  if (from !== undefined) query = query.where('at', '>=', from);
  if (before !== undefined) query = query.where('at', '<', before);
  if (after !== undefined) {
    const [at, id] = [Number(after[0]), after[1]];
    query = query.where((row) => row.or([row('at', '<', at), row.and([row('at', '=', at), row('id', '<', id)])]));
  }
  return cutPage(question, await query.execute(), limit, ({ at, id }) => [String(at), id]);
}
