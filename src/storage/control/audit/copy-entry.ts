import { newId } from '../../../lib/ids.ts';
import type { AuditEntryRow } from '../schema/entry-row.ts';

/** What has filled a store: a command, and the backup that it copied. */
export interface CopyBy {
  readonly command: 'restore' | 'move';
  readonly backup: string;
}

/** The entry of a copy into an empty store, whose rows bring the log of the store before. */
export const copyEntry = ({ command, backup }: CopyBy, events: number, at: number): AuditEntryRow => ({
  id: newId('aud'),
  project_id: null,
  at,
  actor_kind: 'command',
  actor_id: command,
  actor_name: null,
  address: null,
  request: null,
  action: 'created',
  kind: 'copy',
  subject: backup,
  subject_name: null,
  before: null,
  after: JSON.stringify({ events }),
});
