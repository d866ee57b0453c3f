import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { App } from '../../lib/http/app.ts';
import { listAnswer } from '../../lib/http/page-envelope.ts';
import { problemWith } from '../../lib/http/problem-schema.ts';
import { Problem } from '../../lib/problem.ts';
import { storableText } from '../../lib/tag-map.ts';
import { toTime } from '../../lib/times.ts';
import type { ControlQueries, ControlSources } from '../../storage/control/control-store.ts';
import { principalOf } from '../guard.ts';
import { makeInvitation, noteSent } from '../invitations.ts';
import { lockMember, type Member, type Members } from '../members.ts';
import { hasRole, type Principal, requireMay } from '../principal.ts';
import { exampleProject } from '../project-record.ts';
import type { Projects } from '../projects.ts';
import {
  changedRoles,
  emailField,
  exampleInvitation,
  exampleMember,
  givenRoles,
  invitationFields,
  invitedFields,
  memberFields,
  memberName,
  ofMember,
  toMemberWire,
} from './wire.ts';

export interface MemberRoutesOptions extends ControlSources {
  readonly members: Members;
  readonly projects: Projects;
  /** The address of the dashboard, if it is configured. */
  readonly publicUrl: string | undefined;
  /** Whether members sign in with a provider, so that nobody gets a link. */
  readonly hasProvider: boolean;
  /** Sends a link by e-mail; says why it could not. Undefined where none is sent. */
  readonly sendLink: ((to: string, link: string, expiresAt: number) => Promise<string | undefined>) | undefined;
}

const projectQuery = z.strictObject({
  project_id: storableText(100).optional().describe('Only this project. An owner must name one of theirs.'),
});

const noMember = () => new Problem('not_found', 'There is no member with this id.');

/** `GET/POST/PATCH/DELETE /admin/members/` (D34.2): for admins, and for owners of projects within these. */
export function registerMembers(app: App, options: MemberRoutesOptions): void {
  const { control, clock, members, projects, sendLink } = options;
  const config = { access: 'admin', role: 'owner', roleIn: 'handler' } as const;
  const tags = ['Members'];

  /** Refuses a change in a project that does not exist or whose owner does not ask. */
  const requireOwner = async (principal: Principal, projectId: string) => {
    requireMay(principal, { access: 'admin', role: 'owner', project: projectId });
    if (!(await projects.find(projectId)))
      throw new Problem('not_found', `There is no project with the id ${projectId}.`);
  };
  const requireOwners = async (principal: Principal, given: readonly { readonly project_id: string }[]) => {
    for (const { project_id: id } of given) await requireOwner(principal, id);
  };
  const requireAdmin = (principal: Principal) =>
    requireMay(principal, { access: 'admin', role: 'admin', project: undefined });
  /** The member, as it is stored now, if the principal sees it. */
  const findMember = async (principal: Principal, id: string): Promise<Member> => {
    const member = await members.read(id);
    if (!member || !sees(principal, member)) throw noMember();
    return member;
  };
  const change = async <T>(work: (transaction: ControlQueries) => Promise<T>): Promise<T> =>
    await control.transaction().execute(work);

  /** Makes and delivers a link; undefined if the caller may not make one for this member. */
  const invite = async (request: FastifyRequest, id: string) => {
    if (options.hasProvider) return undefined;
    const principal = principalOf(request);
    const invited = await change(async (transaction) => {
      // Locked, as it may be removed meanwhile.
      await lockMember(transaction, id);
      const member = await members.read(id, transaction);
      if (!member) throw noMember();
      const isShown = mayBecome(principal, member);
      if (!isShown && sendLink === undefined) return undefined;
      const shownTo = isShown && principal.kind === 'member' ? [principal.member.id, ...principal.shownTo] : [];
      const made = await makeInvitation({ memberId: id, shownTo }, { control: transaction, clock });
      return { ...made, email: member.email, isShown };
    });
    members.forget(id);
    if (!invited) return undefined;
    const { email, secret, expiresAt, isShown } = invited;
    const link = `${originOf(request, options)}/sign-in/#${secret}`;
    const mailError = await sendLink?.(email, link, expiresAt);
    const isSent = sendLink !== undefined && mailError === undefined;
    if (isSent) await noteSent(secret, control);
    return {
      link: isSent || !isShown ? null : link,
      sent_to: isSent ? email : null,
      mail_error: mailError ?? null,
      expires_at: toTime(expiresAt),
    };
  };
  const readFor = async (principal: Principal, id: string) => {
    const member = await members.read(id);
    if (!member) throw noMember();
    return toWireFor(principal, member);
  };

  app.get('/admin/members/', {
    config,
    schema: {
      summary: 'The members',
      description: 'By e-mail: all of the instance to an admin, and those of a project to its owners.',
      tags,
      querystring: projectQuery,
      response: { 200: listAnswer('members', memberFields, 'The members.', exampleMember) },
    },
    handler: async (request) => {
      const principal = principalOf(request);
      const { project_id: projectId } = request.query;
      if (projectId === undefined) requireAdminOrProject(principal, requireAdmin);
      else await requireOwner(principal, projectId);
      return { members: (await members.list(projectId)).map((member) => toWireFor(principal, member)) };
    },
  });
  app.post('/admin/members/', {
    config,
    schema: {
      summary: 'Invite a member',
      description:
        'Somebody who is a member already gets the further roles. The answer has a link that signs in once within 24 hours, unless it is sent by e-mail, or members sign in with a provider. Owners give roles in their projects.',
      tags,
      body: z
        .strictObject({
          email: emailField,
          name: memberName.nullish(),
          is_admin: z.boolean().default(false).describe('Only admins can make admins.'),
          roles: givenRoles.default([]),
        })
        .meta({
          examples: [
            { email: 'ada@example.com', name: 'Ada', roles: [{ project_id: exampleProject.id, role: 'editor' }] },
          ],
        }),
      response: {
        200: invitedFields.meta({
          description: 'A member already, with the further roles.',
          examples: [{ ...exampleMember, invitation: null }],
        }),
        201: invitedFields.meta({
          description: 'The new member.',
          examples: [{ ...exampleMember, invitation: exampleInvitation }],
        }),
        409: problemWith().describe('The instance has the most members that it may have.'),
      },
    },
    handler: async (request, reply) => {
      const principal = principalOf(request);
      const { email, name = null, is_admin: isAdmin, roles: given } = request.body;
      if (isAdmin || given.length === 0) requireAdmin(principal);
      await requireOwners(principal, given);
      const roles = given.map(({ project_id: projectId, role }) => ({ projectId, role }));
      const { id, isNew } = await change((transaction) => members.add({ email, name, isAdmin, roles }, transaction));
      members.forget(id);
      const invitation = isNew ? await invite(request, id) : undefined;
      const member = await readFor(principal, id);
      return reply.code(isNew ? 201 : 200).send({ ...member, invitation: invitation ?? null });
    },
  });
  app.patch('/admin/members/:id/', {
    config,
    schema: {
      summary: 'Change a member',
      description:
        'Roles that are left out stay. A change counts within a second on this instance, and within ten on every other.',
      tags,
      params: ofMember,
      body: z
        .strictObject({
          name: memberName.nullable().optional(),
          is_admin: z.boolean().optional(),
          roles: changedRoles.optional(),
        })
        .meta({ examples: [{ roles: [{ project_id: exampleProject.id, role: 'viewer' }] }] }),
      response: {
        200: memberFields.meta({ description: 'The changed member.', examples: [exampleMember] }),
      },
    },
    handler: async (request) => {
      const principal = principalOf(request);
      const { id } = await findMember(principal, request.params.id);
      const { name, is_admin: isAdmin, roles: given = [] } = request.body;
      if (name !== undefined || isAdmin !== undefined) requireAdmin(principal);
      await requireOwners(principal, given);
      const roles = given.map(({ project_id: projectId, role }) => ({ projectId, role }));
      const changed = await change((transaction) => members.change(id, { name, isAdmin, roles }, transaction));
      if (!changed) throw noMember();
      members.forget(id);
      return await readFor(principal, id);
    },
  });
  app.delete('/admin/members/:id/', {
    config,
    schema: {
      summary: 'Remove a member',
      description:
        'With `project_id`, from the project alone; a member without another role is then removed, unless they are an admin. The sessions end within a second on this instance, and within ten on every other.',
      tags,
      params: ofMember,
      querystring: projectQuery,
      response: { 204: z.null().describe('Removed.') },
    },
    handler: async (request, reply) => {
      const principal = principalOf(request);
      const { id } = await findMember(principal, request.params.id);
      const { project_id: projectId } = request.query;
      if (projectId === undefined) requireAdminOrProject(principal, requireAdmin);
      else await requireOwner(principal, projectId);
      await change(async (transaction) => {
        if (projectId !== undefined) {
          await members.change(id, { roles: [{ projectId, role: null }] }, transaction);
          const left = await members.read(id, transaction);
          if (left === undefined || left.isAdmin || left.roles.size > 0) return;
        }
        await members.remove(id, transaction);
      });
      members.forget(id);
      return reply.code(204).send(null);
    },
  });
  app.post('/admin/members/:id/links/', {
    config,
    schema: {
      summary: 'Make a new link',
      description:
        'Signs the member in once, within 24 hours, for example on another device. It replaces an unused link. Owners can make links only for members of their projects.',
      tags,
      params: ofMember,
      response: {
        201: invitationFields.meta({ description: 'The link.', examples: [exampleInvitation] }),
        409: problemWith().describe('Members sign in with a provider here.'),
      },
    },
    handler: async (request, reply) => {
      const member = await findMember(principalOf(request), request.params.id);
      if (options.hasProvider)
        throw new Problem('conflict', 'Members sign in with the OpenID provider here; no link is needed.');
      const made = await invite(request, member.id);
      if (!made)
        throw new Problem(
          'forbidden',
          'This member has rights that you do not have: ask an admin of the instance for the link.',
        );
      return reply.code(201).send(made);
    },
  });
}

/** Without a project, the question is of the whole instance. @throws Problem that tells an owner to name a project */
function requireAdminOrProject(principal: Principal, requireAdmin: (principal: Principal) => void): void {
  if (principal.kind === 'member' && !principal.member.isAdmin)
    throw new Problem(
      'forbidden',
      'Name a project of yours with ?project_id=prj_…; only an admin may do this for all.',
    );
  requireAdmin(principal);
}

/** Whether a principal manages a member: an admin does, and an owner of a project that the member is in. */
const sees = (principal: Principal, { roles }: Member): boolean =>
  principal.kind === 'admin' ||
  (principal.kind === 'member' &&
    (principal.member.isAdmin || [...roles.keys()].some((project) => hasRole(principal.member, 'owner', project))));

/** Whether a principal may do all that a member may, and so may hold a link that signs in as that member. */
const mayBecome = (principal: Principal, member: Member): boolean =>
  principal.kind === 'admin' ||
  (principal.kind === 'member' &&
    (principal.member.isAdmin ||
      (!member.isAdmin && [...member.roles.keys()].every((project) => hasRole(principal.member, 'owner', project)))));

const toWireFor = (principal: Principal, member: Member) =>
  toMemberWire(
    member,
    (project) =>
      principal.kind === 'admin' || (principal.kind === 'member' && hasRole(principal.member, 'owner', project)),
  );

const originOf = (request: FastifyRequest, { publicUrl }: MemberRoutesOptions): string =>
  (publicUrl ?? `${request.protocol}://${request.host}`).replace(/\/+$/, '');
