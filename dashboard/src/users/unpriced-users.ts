import type { PerformanceRow } from '../api/types.ts';
import { useQuestion } from '../state/question.ts';
import { useUserTag } from '../state/tags.ts';
import { useUnpriced } from '../state/unpriced.ts';

/** Whether a user's cost is $0 because none of its calls has a price. The tag tells whose calls they are. */
export function useIsUnpriced(isAsked = true): (name: string, row: Pick<PerformanceRow, 'cost'>) => boolean {
  const { days, asOf } = useQuestion();
  const tag = useUserTag();
  const unpriced = useUnpriced(tag ?? 'tag:user', {
    days,
    isAsked: isAsked && tag !== undefined && asOf === undefined,
  });
  return (name, { cost }) => cost === 0 && unpriced?.has(name) === true;
}
