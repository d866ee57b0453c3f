import type { CSSProperties, ReactNode } from 'react';
import { toColumnDollars, toDollars, toShortName, toSigned } from '../lib/format.ts';
import { NoPrice } from '../ui/no-price.tsx';

/** A bar from one level to another. */
export interface WaterfallStep {
  readonly id: string;
  readonly label: string;
  /** A line under the label. */
  readonly note?: string | undefined;
  readonly from: number;
  readonly to: number;
  /** A level itself, not a change of it. */
  readonly isTotal: boolean;
  /** Whether its amount says nothing, because none of its calls has a price. */
  readonly isUnpriced?: boolean;
}

interface WaterfallProps<Step> {
  /** The accessible name of the list. */
  readonly name: string;
  readonly steps: readonly Step[];
  /** Makes a link of a row. */
  readonly link: (step: Step, row: ReactNode) => ReactNode;
}

/** The width of the drawing, in its own units. */
const width = 1_000;
/** The narrowest bar: a small change must be seen. */
const narrowest = 3;
/** How much larger than all changes the levels may be before the bars begin above zero. */
const mostZero = 3;

/**
 * Changes that lead from one level to another, one below the other. Each row is a text that screen readers read; the
 * bars only illustrate it.
 */
export function Waterfall<Step extends WaterfallStep>({ name, steps, link }: WaterfallProps<Step>) {
  const scale = toScale(steps);
  const toAmount = ({ from, to, isTotal }: WaterfallStep) => (isTotal ? to : to - from);
  const dollars = toColumnDollars(steps.map(toAmount));
  const toChanged = (amount: number) => toSigned(amount, dollars);
  const longest = Math.max(...steps.map((step) => dollars(toAmount(step)).length));
  return (
    <>
      <ol
        aria-label={name}
        className="border-t border-line py-2"
        style={{ '--amounts': `max(6.5rem, ${longest + 2}ch)` } as CSSProperties}
      >
        {steps.map((step, index) => (
          <li key={step.id}>
            {link(
              step,
              <span className="grid min-h-10 grid-cols-[minmax(0,1fr)_auto] items-stretch gap-x-3 px-4 hover:bg-raised/50 sm:grid-cols-[minmax(0,max(13rem,28%))_minmax(0,1fr)_var(--amounts)]">
                <span className="self-center py-1">
                  <span className={`block break-words ${step.isTotal ? 'font-semibold' : ''}`} title={step.label}>
                    {toShortName(step.label)}
                  </span>
                  {step.note !== undefined && (
                    <span className="line-clamp-2 text-xs break-words text-mute">{step.note}</span>
                  )}
                </span>
                <span className="min-h-3 max-sm:order-last max-sm:col-span-2 max-sm:pb-1.5">
                  <StepBar step={step} scale={scale} isLast={index === steps.length - 1} />
                </span>
                <span
                  className={`self-center text-right whitespace-nowrap ${step.isTotal ? 'font-semibold' : step.to > step.from ? 'text-bad' : 'text-good'}`}
                >
                  {step.isUnpriced ? <NoPrice /> : (step.isTotal ? dollars : toChanged)(toAmount(step))}
                </span>
              </span>,
            )}
          </li>
        ))}
      </ol>
      {scale.first > 0 && (
        <p className="border-t border-line px-4 py-2 text-xs text-mute">
          Bars begin at {toDollars(scale.first)}, so that the changes can be seen.
        </p>
      )}
    </>
  );
}

interface Scale {
  readonly first: number;
  readonly last: number;
}

/** From zero, unless all levels are so far above it that the changes would be invisible. */
function toScale(steps: readonly WaterfallStep[]): Scale {
  const levels = steps.flatMap(({ from, to, isTotal }) => (isTotal ? [to] : [from, to]));
  const [least, most] = [Math.min(...levels), Math.max(...levels)];
  const span = most - least;
  const first = least > mostZero * span ? roundDown(least - span, span) : Math.min(least, 0);
  return { first, last: most > first ? most : first + 1 };
}

/** A level of few digits, not far below. */
function roundDown(level: number, span: number): number {
  const step = 10 ** Math.floor(Math.log10(span || level));
  return step * Math.floor(level / step);
}

interface StepBarProps {
  readonly step: WaterfallStep;
  readonly scale: Scale;
  readonly isLast: boolean;
}

/** A bar, and thin lines to the bars above and below it. Where bars are below their texts, there are no lines. */
function StepBar({ step: { from, to, isTotal }, scale: { first, last }, isLast }: StepBarProps) {
  const place = (level: number) => (width * (level - first)) / (last - first);
  const start = isTotal ? place(Math.max(first, 0)) : place(Math.min(from, to));
  const end = isTotal ? place(to) : place(Math.max(from, to));
  const size = Math.max(end - start, isTotal ? 0 : narrowest);
  const color = isTotal ? 'fill-accent' : to > from ? 'fill-bad' : 'fill-good';
  return (
    <svg viewBox={`0 0 ${width} 10`} preserveAspectRatio="none" aria-hidden="true" className="h-full w-full">
      {!isTotal && <Line at={place(from)} from={0} to={2} />}
      <rect x={Math.min(start, width - size)} y="2" width={size} height="6" className={color} />
      {!isLast && <Line at={place(to)} from={8} to={10} />}
    </svg>
  );
}

const Line = ({ at, from, to }: { readonly at: number; readonly from: number; readonly to: number }) => (
  <line x1={at} x2={at} y1={from} y2={to} vectorEffect="non-scaling-stroke" className="stroke-mute max-sm:hidden" />
);
