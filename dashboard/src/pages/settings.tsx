import { useState } from 'react';
import { AccountsCard } from '../accounts/accounts-card.tsx';
import { AuditCard } from '../settings/audit-card.tsx';
import { ClientsCard, useClients } from '../settings/clients-card.tsx';
import { DeleteProjectCard } from '../settings/delete-project.tsx';
import { KeysCard } from '../settings/keys-card.tsx';
import { NewProject } from '../settings/new-project.tsx';
import { ProjectCard } from '../settings/project-card.tsx';
import { useAccess } from '../state/session.tsx';
import { After } from '../ui/after.tsx';
import { Button, Card, Empty, PageHead } from '../ui/basics.tsx';
import { Name } from '../ui/name.tsx';

export function Settings() {
  const { isAdmin, isOwner, project } = useAccess();
  const [isMaking, setMaking] = useState(false);
  return (
    <>
      <PageHead
        title="Settings"
        about={
          <>
            <Name name={project.name} /> · {project.id}
          </>
        }
      >
        {isAdmin && <Button onClick={() => setMaking(true)}>New project</Button>}
      </PageHead>
      <ProjectCard key={`${project.id}${project.name}${project.timezone}${project.retention_days}`} />
      <AccountsCard title="Provider accounts" isFirst={false} />
      {isOwner ? (
        <OfOwner />
      ) : (
        <Card>
          <Empty title="Clients and keys">
            Owners of the project and the admin token make, rotate and revoke them.
          </Empty>
        </Card>
      )}
      <AuditCard />
      {isMaking && <NewProject onClose={() => setMaking(false)} />}
    </>
  );
}

function OfOwner() {
  const { isPending } = useClients();
  const { isAdmin } = useAccess();
  return (
    <>
      <ClientsCard />
      <After isPending={isPending}>
        <KeysCard />
        {isAdmin && <DeleteProjectCard />}
      </After>
    </>
  );
}
