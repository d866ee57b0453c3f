import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useApi, useTotal } from '../api/queries.ts';
import type { Call, ExplainedCall, OpenCall, Page, UsageRow } from '../api/types.ts';
import { toCostBody } from '../state/costs.ts';
import { useQuestion } from '../state/question.ts';

const Explanation = lazy(async () => ({ default: (await import('../calls/explanation.tsx')).Explanation }));

/** How the cost of the only call of the days was reached: after the first one, that is the number that the page shows. */
export function OnlyCall() {
  const question = useQuestion();
  const body = toCostBody(question, question.days);
  const usage = useTotal<UsageRow>('/api/usage/', body);
  const isOnly = usage.row?.calls === 1 && question.asOf === undefined;
  const calls = useApi<Page<Call>>('/api/calls/', { ...body, limit: 1 }, { enabled: isOnly });
  const id = isOnly ? calls.data?.rows[0]?.event_id : undefined;
  const call = useApi<ExplainedCall | OpenCall>(`/api/calls/${encodeURIComponent(id ?? '')}/`, undefined, {
    enabled: id !== undefined,
  });
  if (id === undefined || call.data?.open !== false) return null;
  return (
    <section aria-label="The only call" className="space-y-2">
      <p className="text-[13px] text-mute">
        These days have one call. This is how its cost was reached:{' '}
        <Link to="/calls/$id" params={{ id }} search={true} className="text-accent underline underline-offset-2">
          The call and its events
        </Link>
      </p>
      <Suspense>
        <Explanation call={call.data} />
      </Suspense>
    </section>
  );
}
