import type { Access } from './state/session.tsx';
import { useSignOut } from './state/sign-out.ts';
import { Badge, Button, ErrorNote } from './ui/basics.tsx';
import { Icon } from './ui/icons.tsx';

/** Below the menu: the timezone of the days, what the session may do, and the way out. */
export function Foot({ access: { project, isAdmin, isOwner, canWrite, session } }: { readonly access: Access }) {
  const { member } = session;
  const signOut = useSignOut();
  return (
    <div className="border-t border-line px-2.5 pt-1 text-xs text-mute">
      {project.pending_timezone !== null && <p>The timezone is changing to {project.pending_timezone}.</p>}
      {member && (
        <p className="truncate font-medium text-ink" title={member.email}>
          {member.name ?? member.email}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-x-1.5">
        <span
          title="Days and periods are in this timezone. Amounts are rounded: point at one for all its digits."
          className="max-w-full truncate"
        >
          {project.timezone}
        </span>
        <Badge>{isAdmin ? 'admin' : isOwner ? 'owner' : canWrite ? 'read, write' : 'read only'}</Badge>
        <a href="/docs/" className="rounded px-1 underline hover:text-ink">
          API
        </a>
        <Button
          kind="quiet"
          className="-mr-2 ml-auto px-2"
          aria-label="Sign out"
          title="Sign out"
          onClick={() => signOut.mutate()}
        >
          <Icon name="out" />
        </Button>
      </div>
      {signOut.error && <ErrorNote problem={signOut.error} />}
    </div>
  );
}
