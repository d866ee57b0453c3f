import { toDayRange, toDollars } from '../lib/format.ts';
import { type Comparison, toComparedChange, toFeeChange, toLeftWords, toVersus } from '../state/comparison.ts';
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

/** Whether changes lead to other amounts than the rows' own, which have other days, too; and the room that changes have. */
function useChanges() {
  const { comparison, days } = useQuestion();
  const isOfOthers = comparison?.days.from !== days.from || comparison.days.to !== days.to;
  const isADay = comparison && toComparedChange(1, 1, comparison).endsWith('a day');
  const room = `text-right text-xs leading-4 ${isADay ? 'min-w-22' : isOfOthers ? 'min-w-18' : 'min-w-14'}`;
  return { comparison, isOfOthers, room };
}

/** Beside the head of the amounts of the days before. */
export const ChangeHead = () => (
  <>
    {' '}
    <span className={`inline-block ${useChanges().room}`}>Change</span>
  </>
);

/** The amount of the days before, and the change from it. */
export function Compared({ now, before, format, isGoodUp }: ComparedProps) {
  const { comparison, isOfOthers, room } = useChanges();
  if (!comparison) return null;
  const change = toComparedChange(now, before, comparison);
  const isSame = change.startsWith('±0%');
  const isUp = change.startsWith('+');
  return (
    <span className="inline-flex items-center gap-1">
      {format(before)}
      <span className={`${room} ${isSame ? 'text-mute' : isUp === isGoodUp ? 'text-good' : 'text-bad'}`}>
        {change}
        {isOfOthers && <span className="block text-mute">→ {format(now)}</span>}
      </span>
    </span>
  );
}

interface VersusProps {
  readonly comparison: Comparison | undefined;
  /** Undefined until known. */
  readonly now: number | undefined;
  readonly before: number | undefined;
  readonly format?: (amount: number) => string;
}

/** A change from the days before, with both amounts and their days in its title: the figure above it may have other days. */
export function Versus({ comparison, now, before, format = toDollars }: VersusProps) {
  const { days } = useQuestion();
  if (!comparison || now === undefined || before === undefined) return null;
  const isOfFewer = before !== 0 && comparison.days.from !== days.from;
  return (
    <span
      title={`${format(now)} on ${toDayRange(comparison.days)}, ${format(before)} on ${toDayRange(comparison.before)}`}
    >
      <Prose>{toVersus(comparison, now, before, format) + (isOfFewer ? toLeftWords(comparison, days) : '')}</Prose>
    </span>
  );
}

interface Earned {
  readonly revenue: number;
}

interface RevenueVersusProps {
  readonly comparison: Comparison | undefined;
  readonly now: Earned | undefined;
  readonly before: Earned | undefined;
}

/** The change of the revenue, and what only the lengths of the months make of it. */
export function RevenueVersus({ comparison, now, before }: RevenueVersusProps) {
  const question = useQuestion();
  const fees =
    comparison && now && before && before.revenue !== 0
      ? toFeeChange(comparison, now.revenue, before.revenue)
      : undefined;
  if (question.hasToday && question.days.from === question.days.to) return 'of the whole day, which is not over';
  return (
    <>
      <Versus comparison={comparison} now={now?.revenue} before={before?.revenue} />
      {fees && (
        <span className="block" title="A monthly fee is spread over the days of its month">
          {comparison && now && before && fees === toComparedChange(now.revenue, before.revenue, comparison) ? (
            'all from month lengths'
          ) : (
            <>
              <span className="whitespace-nowrap">{fees}</span> from month lengths alone
            </>
          )}
        </span>
      )}
    </>
  );
}
