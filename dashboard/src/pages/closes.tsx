import { useState } from 'react';
import { useApi } from '../api/queries.ts';
import type { Close } from '../api/types.ts';
import { CloseMonth } from '../closes/close-month.tsx';
import { ClosesCard } from '../closes/closes-card.tsx';
import { DriftCards } from '../closes/drift-card.tsx';
import { SharedSwitch } from '../filters/bar.tsx';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Button, Card, Empty, FailureNote, PageHead, Skeleton } from '../ui/basics.tsx';

/** Days whose figures are kept as they were, and what has changed of them since. */
export function Closes() {
  const { project, canWrite } = useAccess();
  const { search } = useQuestion();
  const [isClosing, setClosing] = useState(false);
  const closes = useApi<{ closes: readonly Close[] }>('/api/closes/?limit=1000');
  const all = closes.data?.closes;
  const shown = all?.find(({ id }) => id === search.close) ?? all?.[0];
  return (
    <>
      <PageHead title="Closes" about={`Figures that stay as they were · ${project.timezone}`}>
        {shown && <SharedSwitch />}
        {canWrite && (
          <Button kind="main" disabled={!all} onClick={() => setClosing(true)}>
            Close a month
          </Button>
        )}
      </PageHead>
      <FailureNote answer={closes} />
      {closes.isPending && <Skeleton className="h-44" />}
      {all?.length === 0 && (
        <Card>
          <Empty title="No close yet">
            Close a month once its invoices are in. Its costs, margins and key metrics can then be asked for as they
            were, to the last digit, and this page lists what has changed since: late events, new prices, revenue,
            erased customers.
          </Empty>
        </Card>
      )}
      {all && all.length > 0 && <ClosesCard closes={all} shown={shown} />}
      {shown && <DriftCards key={shown.id} close={shown} />}
      {isClosing && <CloseMonth latest={all?.[0]?.through} onClose={() => setClosing(false)} />}
    </>
  );
}
