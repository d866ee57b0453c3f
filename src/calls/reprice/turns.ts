import { type Day, dayMs, listDayStarts, type Period, toDayNumber } from '../../lib/days.ts';
import type { OpenedBook } from '../../pricing/price-book.ts';

/** Where the prices of calls may change: between two turns the same names, terms and sizes have the same price. */
export interface Turns {
  /** In milliseconds since 1970, ascending, from before the first call on. */
  readonly instantsMs: readonly number[];
  /** The models of calls whose prices depend on the time of day, and their instants: those above and more. */
  readonly hourly: readonly string[];
  readonly hourlyMs: readonly number[];
  /** The models of calls whose prices depend on a prompt's size, and the sizes above which they change. */
  readonly sized: readonly string[];
  readonly sizes: readonly number[];
}

/** A model of calls, and those by whose prices it may be priced. */
export interface PricedModel {
  readonly provider: string;
  readonly model: string;
  readonly priced: readonly string[];
}

/** The turns of a book on some days. `timezone` is that of the days of its overrides. */
export function listTurns(
  models: readonly PricedModel[],
  book: OpenedBook,
  { timezone, span }: { readonly timezone: string; readonly span: Period },
): Turns {
  // No timezone is a day or more off UTC.
  const fromMs = (toDayNumber(span.dateFrom) - 1) * dayMs;
  const untilMs = (toDayNumber(span.dateTo) + 2) * dayMs;
  const instants = new Set<number>();
  const edges = new Set<number>();
  const days = new Set<Day>();
  const sizes = new Set<number>();
  const hourly = new Set<string>();
  const sized = new Set<string>();
  for (const { provider, model, priced } of models) {
    for (const name of priced) {
      const turns = book.turnsOf({ provider, model: name });
      for (const instant of turns.instantsMs) if (instant > fromMs && instant < untilMs) instants.add(instant);
      for (const day of turns.days) days.add(day);
      for (const edge of turns.edgesMs) edges.add(edge);
      for (const size of turns.sizes) sizes.add(size);
      if (turns.edgesMs.length > 0) hourly.add(model);
      if (turns.sizes.length > 0) sized.add(model);
    }
  }
  for (const instant of listChanges([...days], timezone, span)) instants.add(instant);
  const midnights = Array.from({ length: (untilMs - fromMs) / dayMs }, (_, day) => fromMs + day * dayMs);
  const ofHours = midnights.flatMap((midnight) => [...edges].map((edge) => midnight + edge));
  const sorted = (all: Iterable<number>) => [...new Set(all)].sort((a, b) => a - b);
  return {
    instantsMs: sorted([fromMs, ...instants]),
    hourly: [...hourly],
    hourlyMs: sorted([fromMs, ...instants, ...ofHours]),
    sized: [...sized],
    sizes: sorted(sizes),
  };
}

/** The instants at which one of these days, or a day before it, becomes one after: clocks may repeat a day's start. */
function listChanges(days: readonly Day[], timezone: string, { dateFrom, dateTo }: Period): number[] {
  if (days.length === 0) return [];
  const starts = listDayStarts(timezone, dateFrom, dateTo);
  return starts.flatMap(({ timeMs, day }, index) => {
    const before = starts[index - 1]?.day;
    return before !== undefined && days.some((edge) => before < edge !== day < edge) ? [timeMs] : [];
  });
}
