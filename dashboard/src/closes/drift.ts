import type { DriftCause, DriftRow } from '../api/types.ts';
import { otherColor, palette } from '../charts/colors.ts';
import { remarkOnSteps } from '../charts/remarks.ts';
import type { ChartData } from '../charts/series.ts';
import { toDay, toWholeName } from '../lib/format.ts';
import type { DriftBy } from '../state/search.ts';

/** What has changed of one day, customer or cause, in USD. */
export interface DriftGroup {
  readonly name: string;
  readonly label: string;
  readonly cost: number;
  readonly revenue: number;
  readonly credits: number;
  /** What has changed the most of it. */
  readonly causes: readonly DriftCause[];
}

export const causeLabels: Readonly<Record<DriftCause, string>> = {
  late_events: 'Late events',
  reprice: 'New prices',
  timezone: 'Another timezone',
  erasure: 'Erased customers',
  revenue: 'Revenue',
  credits: 'Credits',
  shared_costs: 'Shared costs',
};

const labelOf: Readonly<Record<DriftBy, (row: DriftRow) => string>> = {
  day: ({ day }) => toDay(day),
  customer: ({ customer }) => toWholeName(customer),
  cause: ({ cause }) => causeLabels[cause],
};

/** Rounds to the 12 digits of amounts (D5.1), since a sum of doubles may have more. */
const add = (a: number, b: number | undefined): number => Number((a + (b ?? 0)).toFixed(12));
/** With the change of shared costs, where it was asked for, in that of the cost. */
export const withShared = <Of extends { readonly cost?: number; readonly shared_cost?: number }>(of: Of): Of => ({
  ...of,
  cost: add(of.cost ?? 0, of.shared_cost),
});
export const sizeOf = ({ cost = 0, revenue = 0, credits = 0 }: Partial<DriftGroup>): number =>
  Math.abs(cost) + Math.abs(revenue) + Math.abs(credits);

/** The drift added up by day, customer or cause. */
export function groupDrift(rows: readonly DriftRow[], by: DriftBy): DriftGroup[] {
  return [...Map.groupBy(rows, (row) => row[by])].map(([name, of]) => {
    const sums = of.reduce(
      (sum, row) => ({
        cost: add(sum.cost, row.cost),
        revenue: add(sum.revenue, row.revenue),
        credits: add(sum.credits, row.credits),
      }),
      { cost: 0, revenue: 0, credits: 0 },
    );
    const causes = new Set(of.toSorted((a, b) => sizeOf(b) - sizeOf(a)).map(({ cause }) => cause));
    const [first] = of;
    return { name, label: first ? labelOf[by](first) : name, ...sums, causes: [...causes] };
  });
}

/** What most of the drift comes from: a cause, or a customer where there is one cause. */
export function remarkOnDrift(rows: readonly DriftRow[], of: 'cost' | 'revenue'): string | undefined {
  const listSteps = (by: DriftBy) =>
    groupDrift(rows, by)
      .map((group) => ({ label: group.label, change: group[of] }))
      .filter(({ change }) => change !== 0);
  const causes = listSteps('cause');
  return remarkOnSteps(causes.length > 1 ? causes : listSteps('customer'), 'difference');
}

/** The change of cost, or of revenue, by day: a layer for each cause. */
export function toDriftChart(rows: readonly DriftRow[], of: 'cost' | 'revenue' | 'credits'): ChartData {
  const changed = rows.filter((row) => (row[of] ?? 0) !== 0);
  const periods = [...new Set(changed.map(({ day }) => day))].toSorted();
  const causes = [...new Set(changed.map(({ cause }) => cause))].toSorted();
  const sums = new Map<string, number>();
  for (const row of changed) {
    const key = `${row.day}\n${row.cause}`;
    sums.set(key, add(sums.get(key) ?? 0, row[of]));
  }
  return {
    periods,
    series: causes.map((cause, index) => ({
      name: causeLabels[cause],
      color: palette[index] ?? otherColor,
      values: periods.map((day) => sums.get(`${day}\n${cause}`) ?? 0),
    })),
  };
}
