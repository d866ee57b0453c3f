import { toCompactCount, toCount, toExactDollars, toShortDollars } from '../lib/format.ts';

interface FigureProps {
  readonly value: number;
}

const Short = ({ short, whole }: { readonly short: string; readonly whole: string }) =>
  short === whole ? short : <span title={whole}>{short}</span>;

interface DollarsProps extends FigureProps {
  /** Whether it is a change, which has a plus above zero. */
  readonly isSigned?: boolean;
}

/** USD in a card, which has room for few characters; the title has all of them. */
export function Dollars({ value, isSigned = false }: DollarsProps) {
  const sign = isSigned && value > 0 ? '+' : '';
  return <Short short={sign + toShortDollars(value)} whole={sign + toExactDollars(value)} />;
}

/** From this count on a card is too narrow for all digits. */
const leastShort = 1e7;

/** A count in a card. */
export const Count = ({ value }: FigureProps) => (
  <Short short={value < leastShort ? toCount(value) : toCompactCount(value)} whole={toCount(value)} />
);
