import { useIsReached } from '../state/connection.ts';
import { Card, Empty, Skeleton } from './basics.tsx';

/** In place of a page whose script is on its way. */
export const Waiting = () =>
  useIsReached() ? (
    <Skeleton className="h-96" />
  ) : (
    <Card>
      <Empty title="This opens as soon as the service answers">Pages that you have visited still show.</Empty>
    </Card>
  );
