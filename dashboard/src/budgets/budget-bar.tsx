import { toExactDollars, toPercent } from '../lib/format.ts';
import { type BudgetTone, toTone } from './tone.ts';

interface BudgetBarProps {
  readonly className?: string;
  readonly amount: number;
  readonly spent: number;
  readonly spentPct: number;
  readonly forecast: number | null;
  readonly thresholds: readonly number[];
  readonly thresholdsPassed: readonly number[];
}

const fills: Readonly<Record<BudgetTone, string>> = {
  calm: 'fill-accent',
  warned: 'fill-warn',
  over: 'fill-bad',
};

/** Thresholds above this percentage don't widen the bar. */
const mostPct = 150;
/** The least distance of two labelled marks, as shares of the bar; the second is for narrow windows. */
const [leastGap, leastNarrowGap] = [0.05, 0.11];

/** What is spent and forecast, against the amount and its thresholds. */
export function BudgetBar({
  className = '',
  amount,
  spent,
  spentPct,
  forecast,
  thresholds,
  thresholdsPassed,
}: BudgetBarProps) {
  const marks = [...new Set([...thresholds, 100])].toSorted((a, b) => a - b);
  const full = Math.max(amount, spent, forecast ?? 0, ...toShown(marks).map((pct) => (pct * amount) / 100));
  const share = (value: number): number => Math.min(1, Math.max(0, value / full));
  const shown = marks
    .map((pct) => ({ pct, at: share((pct * amount) / 100) }))
    .filter(({ pct }) => pct * amount <= full * 100);
  const label = [
    `${toPercent(spentPct)} of ${toExactDollars(amount)} spent`,
    ...(forecast === null ? [] : [`${toPercent((100 * forecast) / amount)} forecast`]),
    `thresholds at ${thresholds.map((pct) => `${pct}%`).join(', ')}`,
  ].join(', ');
  return (
    <div role="img" aria-label={label} className={`relative pb-5 ${className}`}>
      <svg
        viewBox="0 0 1000 10"
        preserveAspectRatio="none"
        className={`h-3 w-full overflow-hidden rounded-full ${fills[toTone(spentPct, thresholdsPassed)]}`}
        aria-hidden="true"
      >
        <rect width="1000" height="10" className="fill-line" />
        {forecast !== null && <rect data-part="forecast" width={1_000 * share(forecast)} height="10" opacity="0.35" />}
        <rect data-part="spent" width={1_000 * share(spent)} height="10" />
      </svg>
      {shown.map(({ pct, at }, index) => (
        <span
          key={pct}
          aria-hidden="true"
          className={`absolute top-0 h-4 border-l ${pct === 100 ? 'border-ink' : 'border-mute/60'}`}
          style={{ left: `${Math.min(99.9, 100 * at)}%` }}
        >
          {isApart(shown, index, leastGap) && (
            <span
              className={`absolute top-4 text-[11px] leading-4 whitespace-nowrap ${at > 0.94 ? 'right-0' : at < 0.04 ? 'left-0' : '-translate-x-1/2'} ${pct === 100 ? 'font-medium text-ink' : 'text-mute'} ${isApart(shown, index, leastNarrowGap) ? '' : 'max-sm:hidden'}`}
            >
              {pct}%
            </span>
          )}
        </span>
      ))}
    </div>
  );
}

const toShown = (marks: readonly number[]): readonly number[] => marks.filter((pct) => pct <= mostPct);

/** Whether a mark has room for its label: the amount itself always, others after the marks before them. */
function isApart(marks: readonly { readonly pct: number; readonly at: number }[], index: number, gap: number): boolean {
  const mark = marks[index];
  if (!mark || mark.pct === 100) return true;
  return marks.every(
    (other, place) => other === mark || Math.abs(other.at - mark.at) >= gap || (other.pct !== 100 && place > index),
  );
}
