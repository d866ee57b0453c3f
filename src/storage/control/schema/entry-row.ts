import type { Actor } from '../../../lib/actor.ts';

/** An entry of the audit log (D34.3), written by the transaction of the change alone. */
export interface AuditEntryRow {
  id: string;
  /** Null for a change of the whole service. */
  project_id: string | null;
  at: number;
  actor_kind: Actor['kind'];
  actor_id: string | null;
  actor_name: string | null;
  /** The address that the request came from; null without one. */
  address: string | null;
  /** The method and path of the route; null without a request. */
  request: string | null;
  action: 'created' | 'changed' | 'deleted';
  kind: string;
  /** The id or name of what was changed; '' once it is erased. */
  subject: string;
  /** The e-mail address of the member that it is about, as it was then; null for every other subject. */
  subject_name: string | null;
  /** JSON object: the fields that were changed, or all of what was deleted; null when there was nothing. */
  before: string | null;
  after: string | null;
}

const isColumn: Readonly<Record<keyof AuditEntryRow, true>> = {
  ...{ id: true, project_id: true, at: true },
  ...{ actor_kind: true, actor_id: true, actor_name: true, address: true, request: true },
  ...{ action: true, kind: true, subject: true, subject_name: true, before: true, after: true },
};

export const entryColumns = Object.keys(isColumn) as readonly (keyof AuditEntryRow)[];
