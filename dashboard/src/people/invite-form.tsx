import { type Asked, askApi } from '../api/client.ts';
import type { Invitation, InvitedMember, NewMember, Project, Role } from '../api/types.ts';
import { toTime } from '../lib/format.ts';
import { useAccess } from '../state/session.tsx';
import { Field, Select } from '../ui/basics.tsx';
import { SecretText } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { type Fields, FormDialog } from '../ui/form-dialog.tsx';

/** A request to the routes of members. */
export interface Asking extends Pick<Asked, 'method' | 'body'> {
  readonly path: string;
}

interface InviteFormProps {
  readonly project: Project;
  readonly isAdmin: boolean;
  readonly onClose: () => void;
  readonly onInvited: (member: InvitedMember) => Promise<void>;
}

const roleOptions = {
  viewer: 'viewer: reads',
  editor: 'editor: reads, and writes prices, revenue, tags, budgets, closes',
  owner: 'owner: all of the project, with members, keys and settings',
};

export function InviteForm({ project, isAdmin, onClose, onInvited }: InviteFormProps) {
  const options = isAdmin ? { ...roleOptions, admin: 'admin: everything of the instance' } : roleOptions;
  const save = async ({ role = 'viewer', email = '', ...named }: Fields) => {
    const given = (role === 'admin' ? 'owner' : role) as Role;
    const isMade = { is_admin: role === 'admin', roles: [{ project_id: project.id, role: given }] };
    const body: NewMember = { email, ...named, ...isMade };
    await onInvited(await askApi<InvitedMember>('/admin/members/', { method: 'POST', body }));
  };
  return (
    <FormDialog title="Invite somebody" action="Invite" save={save} onClose={onClose}>
      <Field label="E-mail" name="email" type="email" required />
      <Field label="Name" name="name" />
      <Select label={`Role in ${project.name}`} name="role" options={options} />
    </FormDialog>
  );
}

interface LinkShownProps {
  readonly of: string;
  readonly invitation: Invitation;
  readonly onClose: () => void;
}

/** The one-time link, or where it was sent. */
export function LinkShown({ of, invitation, onClose }: LinkShownProps) {
  const { project } = useAccess();
  const until = toTime(invitation.expires_at, project.timezone);
  return (
    <Dialog title={`The link for ${of}`} onClose={onClose}>
      <div className="space-y-4">
        {invitation.mail_error !== null && <p className="text-warn">The e-mail {invitation.mail_error}.</p>}
        {invitation.link === null ? (
          invitation.sent_to !== null && <p>It was sent to {invitation.sent_to}.</p>
        ) : (
          <>
            <SecretText secret={invitation.link} />
            <p>Send it to {of} yourself: whoever opens it first signs in.</p>
          </>
        )}
        <p className="text-mute">It signs in once, until {until}.</p>
      </div>
    </Dialog>
  );
}
