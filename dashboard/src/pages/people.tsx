import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { askApi } from '../api/client.ts';
import { keepAnswer } from '../api/queries.ts';
import type { Invitation, InvitedMember, Member, MembersQuery, Role } from '../api/types.ts';
import { toTime } from '../lib/format.ts';
import { type Asking, InviteForm, LinkShown } from '../people/invite-form.tsx';
import { useAccess } from '../state/session.tsx';
import { Badge, Button, Card, CardHead, Empty, ErrorNote, PageHead, SelectBox } from '../ui/basics.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Name } from '../ui/name.tsx';
import { useTableView } from '../ui/table-view.tsx';
import { useIsNarrow } from '../ui/use-is-narrow.ts';

const roleNames: Readonly<Record<Role, string>> = { viewer: 'viewer', editor: 'editor', owner: 'owner' };
const base = '/admin/members/';

/** The members of the project: owners invite them, change their roles, make new links, and remove them. */
export function People() {
  const { project, isAdmin, isOwner, session } = useAccess();
  const queries = useQueryClient();
  const isNarrow = useIsNarrow();
  const [isInviting, setInviting] = useState(false);
  const [shown, setShown] = useState<{ readonly of: string; readonly invitation: Invitation }>();
  const key = [project.id, base];
  const asked = { project_id: project.id } satisfies MembersQuery;
  const query = `?${new URLSearchParams(Object.entries(asked))}`;
  const members = keepAnswer(
    useQuery({
      queryKey: key,
      queryFn: ({ signal }) => askApi<{ readonly members: readonly Member[] }>(base + query, { signal }),
      enabled: isOwner,
    }),
  );
  const refresh = () => queries.invalidateQueries({ queryKey: key });
  const show = ({ email, invitation }: Pick<InvitedMember, 'email' | 'invitation'>) => {
    if (invitation) setShown({ of: email, invitation });
  };
  const change = useMutation({
    mutationFn: (asking: Asking) => askApi(asking.path, asking),
    onSuccess: refresh,
  });
  const link = useMutation({
    mutationFn: async ({ id, email }: Member) => ({
      email,
      invitation: await askApi<Invitation>(`${base}${id}/links/`, { method: 'POST' }),
    }),
    onSuccess: async (answer) => {
      show(answer);
      await refresh();
    },
  });
  const error = change.error ?? link.error;
  const name = ({ email, name: given, is_admin: admin, id }: Member) => (
    <>
      <span className="font-medium">{given ?? email}</span>
      {id === session.member?.id && <span className="text-mute"> (you)</span>}
      {given !== null && <span className="block truncate text-xs text-mute">{email}</span>}
      {admin && <Badge>admin of all projects</Badge>}
    </>
  );
  const roleOf = ({ roles }: Pick<Member, 'roles'>): Role =>
    roles.find((one) => one.project_id === project.id)?.role ?? 'viewer';
  const role = ({ id, email, roles }: Member) => (
    <SelectBox
      aria-label={`Role of ${email}`}
      className="w-28 min-w-28"
      options={roleNames}
      value={roleOf({ roles })}
      disabled={change.isPending}
      onChange={({ target }) =>
        change.mutate({
          path: `${base}${id}/`,
          method: 'PATCH',
          body: { roles: [{ project_id: project.id, role: target.value }] },
        })
      }
    />
  );
  const seen = ({ last_seen_at: at, invited_until: until }: Member) =>
    at !== null
      ? toTime(at, project.timezone)
      : until !== null
        ? `invited until ${toTime(until, project.timezone)}`
        : 'never';
  const actions = (member: Member) => (
    <>
      <Button aria-label={`New link for ${member.email}`} disabled={link.isPending} onClick={() => link.mutate(member)}>
        New link
      </Button>
      <ConfirmButton
        aria-label={`Remove ${member.email}`}
        disabled={change.isPending}
        onConfirm={() => change.mutate({ path: `${base}${member.id}/${query}`, method: 'DELETE' })}
      >
        Remove
      </ConfirmButton>
    </>
  );
  const columns: Column<Member>[] = [
    {
      id: 'email',
      title: 'Member',
      value: ({ email, name: given }) => [given, email].filter(Boolean).join(' '),
      show: name,
    },
    { id: 'role', title: 'Role', value: roleOf, show: role },
    { id: 'seen', title: 'Last seen', value: ({ last_seen_at: at }) => at, show: seen },
  ];
  const { table, tools } = useTableView('members', columns, members.data?.members);
  const actionColumn: Column<Member> = {
    id: 'actions',
    title: '',
    isNumber: true,
    show: (member) => <span className="flex justify-end gap-2">{actions(member)}</span>,
  };
  const named = <Name name={project.name} />;
  if (!isOwner)
    return (
      <>
        <PageHead title="People" />
        <Card>
          <Empty title="Owners see the members">Owners of {named} invite members and give roles.</Empty>
        </Card>
      </>
    );
  return (
    <>
      <PageHead title="People" about={<>Who signs in to {named}, and what they may do</>}>
        <Button kind="main" onClick={() => setInviting(true)}>
          Invite somebody
        </Button>
      </PageHead>
      {error && <ErrorNote problem={error} />}
      <Card aria-label="Members">
        <CardHead title="Members">{tools}</CardHead>
        {isNarrow && table.rows?.length ? (
          <ul aria-label="Members" className="border-t border-line">
            {table.rows.map((member) => (
              <li key={member.id} className="space-y-2 border-b border-line px-4 py-3 last:border-0">
                <p>{name(member)}</p>
                <p className="text-xs text-mute">{seen(member)}</p>
                <div className="flex flex-wrap items-center gap-2">
                  {role(member)}
                  {actions(member)}
                </div>
              </li>
            ))}
          </ul>
        ) : (
          <DataTable
            name="Members, table"
            answer={members}
            idOf={({ id }) => id}
            empty={<Empty title="No member yet">Invite somebody by e-mail, with a role in {named}.</Empty>}
            {...table}
            columns={[...table.columns, actionColumn]}
          />
        )}
      </Card>
      {isInviting && (
        <InviteForm
          project={project}
          isAdmin={isAdmin}
          onClose={() => setInviting(false)}
          onInvited={async (member) => {
            show(member);
            await refresh();
          }}
        />
      )}
      {shown && <LinkShown {...shown} onClose={() => setShown(undefined)} />}
    </>
  );
}
