import { toComparedChange, toFeeChange, toVersus } from '../state/comparison.ts';
import { useQuestion } from '../state/question.ts';
import { Prose } from './prose.tsx';

interface ComparedProps {
  /** USD, of the days that are compared and of those before. */
  readonly now: number;
  readonly before: number;
  readonly format: (amount: number) => string;
  /** Whether more is better: true for margin, false for cost. */
  readonly isGoodUp: boolean;
}

/** The amount of the days before, and the change from it. */
export function Compared({ now, before, format, isGoodUp }: ComparedProps) {
  const { comparison, days } = useQuestion();
  if (!comparison) return null;
  const change = toComparedChange(now, before, comparison);
  /** Whether the change leads to another amount than the row's own, which has other days, too. */
  const isOfOthers = comparison.days.from !== days.from || comparison.days.to !== days.to;
  const isSame = change.startsWith('±0%');
  const isUp = change.startsWith('+');
  return (
    <>
      {format(before)}{' '}
      <span
        className={`inline-block text-right align-middle text-xs leading-4 ${change.endsWith('a day') ? 'min-w-22' : isOfOthers ? 'min-w-18' : 'min-w-14'} ${isSame ? 'text-mute' : isUp === isGoodUp ? 'text-good' : 'text-bad'}`}
      >
        {change}
        {isOfOthers && <span className="block text-mute">→ {format(now)}</span>}
      </span>
    </>
  );
}

interface Earned {
  readonly revenue: number;
}

interface RevenueVersusProps {
  readonly now: Earned | undefined;
  readonly before: Earned | undefined;
}

/** The change of the revenue, and what only the lengths of the months make of it. */
export function RevenueVersus({ now, before }: RevenueVersusProps) {
  const { comparison } = useQuestion();
  const fees =
    comparison && now && before && before.revenue !== 0
      ? toFeeChange(comparison, now.revenue, before.revenue)
      : undefined;
  return (
    <>
      <Prose>{toVersus(comparison, now?.revenue, before?.revenue)}</Prose>
      {fees && (
        <span className="block" title="A monthly fee is spread over the days of its month">
          <span className="whitespace-nowrap">{fees}</span> from month lengths alone
        </span>
      )}
    </>
  );
}
