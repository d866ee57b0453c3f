import { z } from 'zod';
import { actorKinds } from '../../lib/actor.ts';
import type { App } from '../../lib/http/app.ts';
import { pageAnswer, pageQueryFields } from '../../lib/http/page-envelope.ts';
import { instantParameter, storedParameter } from '../../lib/query-fields.ts';
import { timeField } from '../../lib/times.ts';
import { auditKinds } from '../../storage/control/audit/tables-by-name.ts';
import type { ControlStore } from '../../storage/control/control-store.ts';
import { principalOf, projectOf } from '../guard.ts';
import { hasRole } from '../principal.ts';
import { listEntries, toEntry } from './list-entries.ts';

const state = z.record(z.string(), z.unknown()).nullable();

const entryFields = z.object({
  id: z.string(),
  at: timeField,
  actor: z.enum(actorKinds).describe('Who made the change. `service`: the service itself, as at its first start.'),
  actor_id: z.string().nullable().describe('The id of the API key, member or Stripe webhook, or the name of the job.'),
  actor_name: z.string().nullable().describe('The name of the API key or member, as it was then.'),
  address: z.string().nullable().describe('The address that the request came from.'),
  request: z.string().nullable().describe('The method and the path of the route.'),
  action: z.enum(['created', 'changed', 'deleted']),
  kind: z.string().meta({ enum: auditKinds }),
  subject: z.string().describe('The id or name of what was changed. Empty once it is erased.'),
  subject_name: z
    .string()
    .nullable()
    .describe(
      'The e-mail address of the member that it is about, as it was then; null for every other subject, and for callers who are not owners.',
    ),
  before: state.describe('What was changed or deleted, as it was; null for what was created, or is erased.'),
  after: state.describe('The same fields as they are now; null for what was deleted, or is erased.'),
});

export type AuditEntryWire = z.output<typeof entryFields>;

const exampleEntry = {
  id: 'aud_01M7Y940HM46W4C89N0CDQSXWE',
  at: '2026-11-21T05:26:29.684Z',
  actor: 'api_key' as const,
  actor_id: 'key_01M7Y93Z6Q0S6W3N1H9D2B7C4F',
  actor_name: 'finance',
  address: '203.0.113.7',
  request: 'PUT /api/budgets/{name}/',
  action: 'changed' as const,
  kind: 'budget',
  subject: 'support',
  subject_name: null,
  before: { amount: 500 },
  after: { amount: 800 },
};

const filters = {
  actor: z.enum(actorKinds).optional().describe('Only changes by this kind of actor.'),
  actor_id: storedParameter(64).optional().describe('Only changes by this API key, member, Stripe webhook or job.'),
  who: storedParameter(1_024)
    .optional()
    .describe('Only changes by the actor with this id or name, or of this kind, such as `admin_token`.'),
  kind: z.enum(auditKinds).optional().describe('Only changes of this kind of subject.'),
  subject: storedParameter(1_024)
    .optional()
    .describe('Only changes of the subject with this id, name or e-mail address.'),
  from: instantParameter.optional().describe('Only changes from this time on.'),
  to: instantParameter.optional().describe('Only changes before this time.'),
  ...pageQueryFields,
};

const adminEntryFields = z.object({
  ...entryFields.shape,
  project_id: z.string().nullable().describe('Null for a change of the whole service.'),
});

const description =
  'Each change of a price, of revenue, a setting or a key is an entry, written with the change itself. An entry is never changed, ' +
  'except that an erasure takes the name out. Secrets are never in it.';
const tags = ['Audit'];

/** `GET /api/audit/` and, of all projects and the whole service, `GET /admin/audit/` (D34.3). */
export function registerAudit(app: App, { control }: { readonly control: ControlStore }): void {
  app.get('/api/audit/', {
    config: { access: 'read' },
    schema: {
      summary: 'Who changed what, newest first',
      description,
      tags,
      querystring: z.strictObject(filters),
      response: { 200: pageAnswer('entries', entryFields, 'A page of the audit log.', exampleEntry) },
    },
    handler: async (request) => {
      const { id: projectId } = projectOf(request);
      const principal = principalOf(request);
      // As in the list of members.
      const seesMembers =
        principal.kind === 'admin' || (principal.kind === 'member' && hasRole(principal.member, 'owner', projectId));
      const { rows, end } = await listEntries(control, { ...toQuestion(request.query), projectId, seesMembers });
      return { entries: rows.map((row) => toEntry(row, { seesMembers })), ...end };
    },
  });
  app.get('/admin/audit/', {
    config: { access: 'admin' },
    schema: {
      summary: 'Who changed what in all projects and in the whole service, newest first',
      description,
      tags,
      querystring: z.strictObject({
        project_id: storedParameter(64).optional().describe('Only changes of this project.'),
        ...filters,
      }),
      response: {
        200: pageAnswer('entries', adminEntryFields, 'A page of the audit log.', {
          ...exampleEntry,
          project_id: 'prj_01M7Y93YBQ6W4H7YZZC39E96E8',
        }),
      },
    },
    handler: async (request) => {
      const { project_id: projectId, ...query } = request.query;
      const sees = { seesMembers: true };
      const { rows, end } = await listEntries(control, { ...toQuestion(query), ...sees, projectId });
      return { entries: rows.map((row) => ({ ...toEntry(row, sees), project_id: row.project_id })), ...end };
    },
  });
}

type Query = z.output<z.ZodObject<typeof filters>>;

const toQuestion = ({ actor, actor_id, who, kind, subject, from, to, limit, cursor }: Query) => ({
  ...{ actor, actorId: actor_id, who, kind, subject, from, before: to, limit, cursor },
});
