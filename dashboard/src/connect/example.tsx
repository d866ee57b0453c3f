import type { Project } from '../api/types.ts';
import { palette } from '../charts/colors.ts';

/** Made-up costs by day, of two models. */
const days = [26, 31, 29, 34, 12, 10, 30, 35, 33, 41, 16, 13, 38, 44].map((cost, day) => [cost, 8 + ((day * 5) % 9)]);

/** A made-up overview: what a project shows after its first calls. */
export function Example({ type }: { readonly type: Project['type'] }) {
  const figures = [
    ['AI cost', '$1,284.20', '+8.2% vs the weeks before'],
    ...(type === 'revenue'
      ? [['Gross margin', '71.4%', '1 customer unprofitable'] as const]
      : [['Cost per ticket', '$0.042', '−3.1% vs the weeks before'] as const]),
  ] as const;
  return (
    <figure>
      <div className="grid grid-cols-2 gap-2">
        {figures.map(([label, value, about]) => (
          <p key={label} className="rounded-lg border border-line px-3 py-2 text-xs text-mute">
            {label}
            <span className="block text-base font-semibold text-ink">{value}</span>
            {about}
          </p>
        ))}
      </div>
      <svg viewBox="0 0 280 64" aria-hidden="true" className="mt-3 w-full">
        {days.map((costs, day) =>
          costs.map((cost, model) => (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place
              key={`${day} ${model}`}
              x={20 * day + 3}
              y={62 - cost - (model === 0 ? 0 : (costs[0] ?? 0) + 1)}
              width="14"
              height={cost}
              rx="2"
              fill={`var(${palette[model]})`}
            />
          )),
        )}
      </svg>
      <figcaption className="mt-1 text-xs text-mute">An example of the overview, with made-up figures.</figcaption>
    </figure>
  );
}
