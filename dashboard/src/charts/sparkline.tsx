interface SparklineProps {
  readonly values: readonly number[];
  readonly label: string;
}

const width = 96;
const height = 24;

/** A small line chart in a cell. Each has its own scale: it shows the shape, the other cells the amounts. */
export function Sparkline({ values, label }: SparklineProps) {
  const most = Math.max(...values, 0);
  const least = Math.min(...values, 0);
  const span = most - least || 1;
  const step = width / Math.max(values.length - 1, 1);
  const points = values.map(
    (value, index) =>
      `${(index * step).toFixed(1)},${(height - 2 - ((value - least) / span) * (height - 4)).toFixed(1)}`,
  );
  return (
    <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label} className="h-6 w-24 text-accent">
      <polyline points={points.join(' ')} fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinejoin="round" />
    </svg>
  );
}
