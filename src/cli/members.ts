import { Command, Option } from 'commander';
import type { z } from 'zod';
import type { invitationFields, invitedFields, memberFields } from '../accounts/members/wire.ts';
import { roles } from '../lib/http/access.ts';
import { AdminApi, type AdminOptions, CommandError, pathStep } from './api.ts';
import { orDash, printDone, printJson, printTable } from './print.ts';
import { adminCommandsOf, openProject, type ProjectOptions, projectCommandsOf } from './project-option.ts';

type Member = z.output<typeof memberFields>;
type Invited = z.output<typeof invitedFields>;
type Invitation = z.output<typeof invitationFields>;

const path = '/admin/members/';
const roleOption = () => new Option('--role <role>', 'the role of the member in the project').choices([...roles]);

export function membersCommand(): Command {
  const members = new Command('members').description('Manage the people who sign in, and their roles in projects.');
  const command = projectCommandsOf(members);
  const adminCommand = adminCommandsOf(members);
  adminCommand('list', 'List the members and their roles.', 'farthing members list', { isDefault: true })
    .option('--project <id>', 'only the members of this project')
    .action(async (options: ProjectOptions) => {
      const query = options.project === undefined ? '' : `?project_id=${encodeURIComponent(options.project)}`;
      const answer = await new AdminApi(options).get<{ members: Member[] }>(`${path}${query}`);
      if (options.json) printJson(answer);
      else printMembers(answer.members);
    });
  command(
    'invite <email>',
    'Make somebody a member, and print a link that signs in once, within 24 hours.',
    'farthing members invite ada@example.com --role editor',
  )
    .addOption(roleOption().default('viewer'))
    .option('--name <name>', 'name of the member')
    .option('--admin', 'make the member an admin of the instance, who may do everything')
    .action(async (email: string, options: ProjectOptions & { name?: string; role: string; admin?: boolean }) => {
      const given = options.admin ? [] : [{ project_id: (await openProject(options)).id, role: options.role }];
      const body = { email, name: options.name, is_admin: options.admin === true, roles: given };
      const invited = await new AdminApi(options).post<Invited>(path, body);
      if (options.json) return printJson(invited);
      printMembers([invited]);
      printInvitation(invited.invitation);
    });
  command(
    'role <member>',
    'Give a member, by e-mail or id, a role in a project, or take it away.',
    'farthing members role ada@example.com --role owner',
  )
    .addOption(
      roleOption()
        .choices([...roles, 'none'])
        .makeOptionMandatory(),
    )
    .action(async (member: string, options: ProjectOptions & { role: string }) => {
      const { id: project } = await openProject(options);
      const api = new AdminApi(options);
      const role = options.role === 'none' ? null : options.role;
      const body = { roles: [{ project_id: project, role }] };
      const changed = await api.patch<Member>(`${path}${await resolve(api, member)}/`, body);
      if (options.json) return printJson(changed);
      printMembers([changed]);
    });
  adminCommand(
    'link <member>',
    'Make a new link for a member, such as for another device.',
    'farthing members link ada@example.com',
  ).action(async (member: string, options: AdminOptions) => {
    const api = new AdminApi(options);
    const made = await api.post<Invitation>(`${path}${await resolve(api, member)}/links/`);
    if (options.json) printJson(made);
    else printInvitation(made);
  });
  adminCommand('remove <member>', 'Remove a member, whose sessions end.', 'farthing members remove ada@example.com')
    .option('--project <id>', 'from this project alone')
    .action(async (member: string, options: ProjectOptions) => {
      const api = new AdminApi(options);
      const query = options.project === undefined ? '' : `?project_id=${encodeURIComponent(options.project)}`;
      await api.delete(`${path}${await resolve(api, member)}/${query}`);
      printDone(options, `Removed ${member}.`);
    });
  return members;
}

/** The step of the path that names a member who is given by id or e-mail. */
async function resolve(api: AdminApi, member: string): Promise<string> {
  if (!member.includes('@')) return pathStep(member);
  const { members } = await api.get<{ members: Member[] }>(path);
  const found = members.find(({ email }) => email === member.toLowerCase());
  if (!found) throw new CommandError(`There is no member with the e-mail ${member}.`);
  return pathStep(found.id);
}

function printMembers(members: readonly Member[]): void {
  printTable(
    ['id', 'e-mail', 'name', 'roles', 'last seen', 'link until'],
    members.map((one) => [
      ...[one.id, one.email, orDash(one.name)],
      [...(one.is_admin ? ['admin'] : []), ...one.roles.map(({ role, project_id: id }) => `${role} of ${id}`)].join(
        ', ',
      ),
      ...[orDash(one.last_seen_at), orDash(one.invited_until)],
    ]),
  );
}

function printInvitation(invitation: Invitation | null): void {
  if (!invitation) return;
  const { link, sent_to: sentTo, mail_error: mailError, expires_at: until } = invitation;
  if (mailError !== null) console.error(`The e-mail ${mailError}.`);
  if (sentTo !== null) console.log(`The link was sent to ${sentTo}. It signs in once, until ${until}.`);
  if (link !== null) console.log(`This link signs in once, until ${until}:\n${link}`);
}
