import { EndpointsCard, useEndpoints } from '../alerts/endpoints-card.tsx';
import { HistoryCard, useEndedFirings } from '../alerts/history-card.tsx';
import { KindsCard } from '../alerts/kinds-card.tsx';
import { OpenCard, useOpenFirings } from '../alerts/open-card.tsx';
import { useAlerts } from '../state/alerts.ts';
import { useAccess } from '../state/session.tsx';
import { After } from '../ui/after.tsx';
import { PageHead } from '../ui/basics.tsx';

/** What has fired, what is watched, and who is told. */
export function Alerts() {
  const { project } = useAccess();
  const [open, ended, alerts, endpoints] = [useOpenFirings(), useEndedFirings(), useAlerts(), useEndpoints()];
  const isPending = [open, ended, alerts, endpoints].some((answer) => answer.isPending);
  return (
    <>
      <PageHead title="Alerts" about={`What needs a look · ${project.timezone}`} />
      <OpenCard />
      <After isPending={isPending}>
        <HistoryCard />
        <KindsCard />
        <EndpointsCard />
      </After>
    </>
  );
}
