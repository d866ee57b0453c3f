import { useLocation, useParams } from '@tanstack/react-router';
import { places } from '../places.ts';
import { useIsReached } from '../state/connection.ts';
import { Card, Empty, PageHead, Skeleton } from './basics.tsx';

/** What the page of the address is called: by what it shows, or by its place in the menu. */
export function usePlaceName(): string | undefined {
  const { pathname } = useLocation();
  const { name, id, run } = useParams({ strict: false });
  return name ?? id ?? run ?? places.find(({ to }) => to === pathname)?.label;
}

/** In place of a page whose script is on its way. */
export const Waiting = () => (useIsReached() ? <Skeleton className="h-96" /> : <Away />);

/** In place of a page of which nothing is known while the service is away. */
export const Away = () => (
  <>
    <PageHead title={usePlaceName() ?? 'Farthing'} />
    <Card>
      <Empty title="This opens as soon as the service answers">
        Check that Farthing runs and that you are connected. Pages that you have visited still show.
      </Empty>
    </Card>
  </>
);
