/** What the whole of the days before is called beside that of the days. */
export const beforeName = 'The days before';

/** One line or one layer of bars, with a value for every period. */
export interface Series {
  readonly name: string;
  /** Null where there is nothing to show. */
  readonly values: readonly (number | null)[];
  /** The name of a custom property. */
  readonly color: string;
}

export interface ChartData {
  /** The first days of the periods. */
  readonly periods: readonly string[];
  readonly series: readonly Series[];
  /** The whole of every period, asked for as such and not added up here. */
  readonly totals?: readonly number[] | undefined;
  /** The whole of every period of the days before, in order: the first beside the first. */
  readonly before?: readonly (number | null)[] | undefined;
}
