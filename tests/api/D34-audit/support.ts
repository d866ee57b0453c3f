// Reads the audit log.
import { z } from 'zod';
import { expectStatus, type Farthing, type Project } from '../../support/client.ts';

const fields = z.record(z.string(), z.unknown()).nullable();
const entry = z.object({
  id: z.string(),
  at: z.string(),
  project_id: z.string().nullable().default(null),
  actor: z.string(),
  actor_id: z.string().nullable(),
  actor_name: z.string().nullable(),
  address: z.string().nullable(),
  request: z.string().nullable(),
  action: z.enum(['created', 'changed', 'deleted']),
  kind: z.string(),
  subject: z.string(),
  subject_name: z.string().nullable(),
  before: fields,
  after: fields,
});
export type Entry = z.output<typeof entry>;

const page = z.object({ entries: z.array(entry), next_cursor: z.string().nullable(), has_more: z.boolean() });

async function readAll(ask: (path: string) => Promise<unknown>, query: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let cursor = ''; ; ) {
    const given = new URLSearchParams(query);
    if (cursor !== '') given.set('cursor', cursor);
    const read = page.parse(await ask(`?${given}`));
    entries.push(...read.entries);
    if (read.next_cursor === null) return entries;
    cursor = read.next_cursor;
  }
}

/** All entries of a project, newest first. */
export const readLog = (project: Project, query = ''): Promise<Entry[]> =>
  readAll(async (asked) => expectStatus(await project.api('GET', `/api/audit/${asked}`), 200), query);

/** All entries of all projects and of the whole service, newest first. */
export const readAdminLog = (farthing: Farthing, query = ''): Promise<Entry[]> =>
  readAll(async (asked) => expectStatus(await farthing.admin('GET', `/admin/audit/${asked}`), 200), query);
