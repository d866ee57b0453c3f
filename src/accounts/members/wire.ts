import { z } from 'zod';
import { roles } from '../../lib/http/access.ts';
import { findRepeated } from '../../lib/repeated.ts';
import { pathId, storableText } from '../../lib/tag-map.ts';
import { timeField, toTime, toTimeOrNull } from '../../lib/times.ts';
import type { Member } from '../members.ts';
import { exampleProject } from '../project-record.ts';

const role = z
  .enum(roles)
  .describe('The role of the member in the project; each may do all that the roles before it may.');
const projectId = storableText(100).meta({ examples: [exampleProject.id] });

export const emailField = z
  .email({ error: 'must be an e-mail address' })
  .max(254)
  .transform((text) => text.toLowerCase())
  .meta({ type: 'string', format: 'email', examples: ['ada@example.com'] });
export const memberName = storableText(200);

/** At most one role in each project. */
const oneInEach = <Role extends z.ZodType>(given: Role) =>
  z
    .array(z.strictObject({ project_id: projectId, role: given }))
    .max(1_000)
    .superRefine(
      (items, context) => {
        // Items may have other faults.
        const ids = items.map((item: unknown): unknown => Object(item).project_id);
        for (const [index, other] of findRepeated(ids.map((id) => (typeof id === 'string' ? id : undefined)))) {
          const message = `must not be repeated: /roles/${other}/project_id is the same`;
          context.addIssue({ code: 'custom', path: [index, 'project_id'], message, params: { code: 'duplicate' } });
        }
      },
      { when: ({ value }) => Array.isArray(value) },
    );
export const givenRoles = oneInEach(role);
export const changedRoles = oneInEach(role.nullable().describe('Null removes the role.'));

export const memberFields = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  is_admin: z.boolean().describe('Whether the member may do everything on the instance.'),
  roles: z
    .array(z.object({ project_id: z.string(), role }))
    .describe('An owner sees only roles in their own projects.'),
  created_at: timeField,
  last_seen_at: timeField.nullable().describe('May lag by a minute.'),
  invited_until: timeField.nullable().describe('When the open link ends; null without one.'),
});

export const invitationFields = z.object({
  link: z.string().nullable().describe('Shown only once, and only if it was not sent.'),
  sent_to: z.string().nullable().describe('The e-mail address that the link was sent to.'),
  mail_error: z.string().nullable().describe('Why it could not be sent.'),
  expires_at: timeField,
});

export const invitedFields = memberFields.extend({
  invitation: invitationFields
    .nullable()
    .describe('The one-time link; null if members sign in with a provider, or if an admin must make it.'),
});

export const exampleMember = {
  id: 'mem_01M7Y9419SSBD2J6QZV5T3K8WN',
  email: 'ada@example.com',
  name: 'Ada',
  is_admin: false,
  roles: [{ project_id: exampleProject.id, role: 'editor' as const }],
  created_at: '2026-11-21T05:26:30.643Z',
  last_seen_at: null,
  invited_until: '2026-11-22T05:26:30.643Z',
};
export const exampleInvitation = {
  link: 'https://farthing.example.com/sign-in/#fi_9pYq0x3VbTnW5kZs7LdR2mHcJ8gFa1Ue6XoBiNtC',
  sent_to: null,
  mail_error: null,
  expires_at: '2026-11-22T05:26:30.643Z',
};

export const ofMember = z.object({
  id: pathId.describe('The id of the member.').meta({ examples: [exampleMember.id] }),
});

/** A member as somebody may see it, who sees roles in the projects for which `sees` holds. */
export const toMemberWire = (member: Member, sees: (projectId: string) => boolean) => ({
  id: member.id,
  email: member.email,
  name: member.name,
  is_admin: member.isAdmin,
  roles: [...member.roles].filter(([id]) => sees(id)).map(([id, is]) => ({ project_id: id, role: is })),
  created_at: toTime(member.createdAt),
  last_seen_at: toTimeOrNull(member.lastSeenAt),
  invited_until: toTimeOrNull(member.invitedUntil),
});
