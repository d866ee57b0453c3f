import { toComparedChange } from '../state/comparison.ts';
import { useQuestion } from '../state/question.ts';

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
  const isSame = change.startsWith('±0%');
  const isUp = change.startsWith('+');
  return (
    <>
      {format(before)}{' '}
      <span
        className={`inline-block text-right text-xs ${change.endsWith('a day') ? 'min-w-22' : 'min-w-14'} ${isSame ? 'text-mute' : isUp === isGoodUp ? 'text-good' : 'text-bad'}`}
      >
        {change}
      </span>
      {/* The change leads to this, not to the row's own amount: that has other days, too. */}
      {(comparison.days.from !== days.from || comparison.days.to !== days.to) && (
        <span className="block text-xs leading-4 text-mute">→ {format(now)}</span>
      )}
    </>
  );
}
