import { useMemo } from 'react';
import { useAllRows } from '../api/queries.ts';
import type { PerformanceRow, RankedChanges } from '../api/types.ts';
import type { Comparison } from '../state/comparison.ts';
import { toDates, useQuestion } from '../state/question.ts';
import type { DayRange } from '../state/search.ts';
import { useAccess } from '../state/session.tsx';
import { toPerformanceBody } from './body.ts';
import { rankChanges } from './rank-changes.ts';

/** Whether changes are told by user: in an internal project, and where no filter is set, since costs of users have none. */
export function useHasUserChanges(): boolean {
  const { filters } = useQuestion();
  const { project } = useAccess();
  return project.type === 'internal' && Object.values(filters).every((filter) => filter === undefined);
}

/** What each user's cost changed by: the largest changes, and all others together. Without a comparison nothing is asked. */
export function useUserChanges(asked: Comparison | undefined, most: number): RankedChanges | undefined {
  const question = useQuestion();
  const toBody = (days: DayRange | undefined) =>
    days && { ...toPerformanceBody(question), ...toDates(days), aggregate: 'all', group_by: 'user' };
  const now = useAllRows<PerformanceRow>('/api/performance/', toBody(asked?.days));
  const before = useAllRows<PerformanceRow>('/api/performance/', toBody(asked?.before));
  return useMemo(
    () => (now.data && before.data ? rankChanges(now.data, before.data, most) : undefined),
    [now.data, before.data, most],
  );
}
