import { toChange, toDollars } from '../lib/format.ts';

interface ComparedProps {
  /** USD, now and in the days before. */
  readonly now: number;
  readonly before: number;
  /** Whether more is better: true for margin, false for cost. */
  readonly isGoodUp: boolean;
}

/** The amount of the days before, and the change from it. */
export function Compared({ now, before, isGoodUp }: ComparedProps) {
  const change = toChange(now, before);
  const isSame = change === '±0%';
  return (
    <>
      {toDollars(before)}{' '}
      <span
        className={`inline-block min-w-14 text-xs ${isSame ? 'text-mute' : now > before === isGoodUp ? 'text-good' : 'text-bad'}`}
      >
        {change}
      </span>
    </>
  );
}
