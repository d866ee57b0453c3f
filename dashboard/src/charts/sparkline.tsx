interface SparklineProps {
  readonly values: readonly number[];
  /** The least and the largest value of all that stand in the column: one scale for them. */
  readonly range: readonly [least: number, most: number];
  readonly label: string;
}

const width = 96;
const height = 24;

/** A small line chart in a cell, over a line for zero. */
export function Sparkline({ values, range: [lowest, highest], label }: SparklineProps) {
  const [least, most] = [Math.min(lowest, 0), Math.max(highest, 0)];
  const span = most - least || 1;
  const step = width / Math.max(values.length - 1, 1);
  const toY = (value: number) => (height - 2 - ((value - least) / span) * (height - 4)).toFixed(1);
  const points = values.map((value, index) => `${(index * step).toFixed(1)},${toY(value)}`);
  return (
    <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label} className="h-6 w-24 text-accent">
      <line x1="0" x2={width} y1={toY(0)} y2={toY(0)} className="stroke-line" strokeWidth="1" />
      <polyline points={points.join(' ')} fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinejoin="round" />
    </svg>
  );
}
