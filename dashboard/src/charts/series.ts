/** The label of the total of the days before. */
export const beforeName = 'The days before';

/** One line, or one layer of stacked bars, with a value for every period. */
export interface Series {
  readonly name: string;
  /** What it is of, where it leads somewhere. */
  readonly of?: string;
  /** Null for periods without a value. */
  readonly values: readonly (number | null)[];
  /** The name of a CSS custom property. */
  readonly color: string;
}

export interface ChartData {
  /** The first days of the periods. */
  readonly periods: readonly string[];
  readonly series: readonly Series[];
  /** The total of every period, from the API and not summed here. */
  readonly totals?: readonly number[] | undefined;
  /** The total of every period of the days before, each in the place of its weekday. */
  readonly before?: readonly (number | null)[] | undefined;
  /** The place of the period that is not over; it is hatched. */
  readonly running?: number | undefined;
}
