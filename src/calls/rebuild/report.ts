import type { AnalyticStore } from '../../clickhouse/analytic-store.ts';
import type { Clause } from '../../clickhouse/clause.ts';
import type { RebuildRow } from '../../control/schema.ts';
import { compareCodePoints } from '../../lib/code-points.ts';
import type { Day } from '../../lib/days.ts';
import { formatMoney, type Money, parseMoney } from '../../lib/money.ts';

/** A cost in the generation in force (`before`) and in the new one (`after`), in decimal USD. */
export interface Difference {
  readonly before: string;
  readonly after: string;
}

/** What changes a cost: what is read from the texts of events, or prices. */
export type Cause = 'reading' | 'price';

/** What a rebuild changes (D5.5). */
export interface RebuildReport extends Difference {
  /** Each from where the one before ends: together they are the whole difference. Absent where nothing could be read anew yet. */
  readonly by_cause?: readonly (Difference & { readonly cause: Cause })[];
  /** Days before this one are frozen and were left alone; absent when no day is frozen. */
  readonly kept_from?: Day;
  readonly by_day: readonly (Difference & { readonly date: Day })[];
  /** The 1,000 largest differences; the rest is in `other_models`. */
  readonly by_model: readonly (Difference & { readonly model: string })[];
  readonly other_models: Difference & { readonly models: number };
  /** The 1,000 largest differences; the rest is in `others`. */
  readonly by_customer: readonly (Difference & { readonly customer: string })[];
  readonly others: Difference & { readonly customers: number };
}

const maxListed = 1_000;
const withinMs = 30_000;

interface Sums {
  before: Money;
  after: Money;
}

/** A report built month by month, so that none of its statements takes long. */
export class ReportDraft {
  readonly #byDay = new Map<string, Sums>();
  readonly #byModel = new Map<string, Sums>();
  readonly #byCustomer = new Map<string, Sums>();
  readonly #months: string[];
  /** The cost as read anew, at the prices before. */
  #read: Money = 0n;

  private constructor(months: string[]) {
    this.#months = months;
  }

  /**
   * Begins a report on rows in force and rows of the new generations, whose numbers are parameters of the clause:
   * `new_generation`, and `reading_generation`, which is the same one where only one is written.
   */
  static async begin(store: AnalyticStore, rows: Clause): Promise<ReportDraft> {
    const months = await store.select<{ month: string }>(
      `SELECT DISTINCT toString(toYYYYMM(day)) AS month FROM calls WHERE ${rows.sql} ORDER BY month`,
      rows.parameters,
      withinMs,
    );
    return new ReportDraft(months.map(({ month }) => month));
  }

  /** Adds the next month; false when no month is left. */
  async addMonth(store: AnalyticStore, rows: Clause): Promise<boolean> {
    const month = this.#months[0];
    if (month === undefined) return false;
    const select = async (columns: string) =>
      await store.select<{ date: string; name: string; before: string; read: string; after: string }>(
        `SELECT ${columns}, sumIf(cost, generation NOT IN ({new_generation:UInt64}, {reading_generation:UInt64})) AS before,
            sumIf(cost, generation = {reading_generation:UInt64}) AS read,
            sumIf(cost, generation = {new_generation:UInt64}) AS after
          FROM calls FINAL WHERE ${rows.sql} AND toYYYYMM(day) = {month:UInt32} GROUP BY date, name`,
        { ...rows.parameters, month: Number(month) },
        withinMs,
      );
    const byDay = await select('toString(day) AS date, model AS name');
    const byCustomer = await select("'' AS date, customer AS name");
    // Added when the whole month is read, because a failed step is retried.
    for (const row of byDay) {
      add(this.#byDay, row.date, row);
      add(this.#byModel, row.name, row);
      this.#read += read(row.read);
    }
    for (const row of byCustomer) add(this.#byCustomer, row.name, row);
    this.#months.shift();
    return true;
  }

  finish({ reread }: Pick<RebuildRow, 'reread'>, keptFrom?: Day): RebuildReport {
    const models = listLargest(this.#byModel);
    const customers = listLargest(this.#byCustomer);
    const total = sumUp([...this.#byDay.values()]);
    return {
      ...toDifference(total),
      by_cause: splitByCause(total, reread === 1 ? this.#read : total.before),
      ...(keptFrom !== undefined && { kept_from: keptFrom }),
      by_day: [...this.#byDay]
        .sort(([a], [b]) => compareCodePoints(a, b))
        .map(([date, sums]) => ({ date, ...toDifference(sums) })),
      by_model: models.listed.map(([model, sums]) => ({ model, ...toDifference(sums) })),
      other_models: { models: models.others.length, ...toDifference(sumUp(models.others)) },
      by_customer: customers.listed.map(([customer, sums]) => ({ customer, ...toDifference(sums) })),
      others: { customers: customers.others.length, ...toDifference(sumUp(customers.others)) },
    };
  }
}

/** The parts of a difference: from the cost before to the cost as read anew, and from there to the cost after. */
const splitByCause = ({ before, after }: Sums, asRead: Money): NonNullable<RebuildReport['by_cause']> => [
  { cause: 'reading', ...toDifference({ before, after: asRead }) },
  { cause: 'price', ...toDifference({ before: asRead, after }) },
];

/**
 * The report without the name of one customer, whose costs move to `others`; undefined if the report does not name it.
 */
export function withoutCustomer(report: RebuildReport, name: string): RebuildReport | undefined {
  const named = report.by_customer.find(({ customer }) => customer === name);
  if (!named) return undefined;
  const others = sumUp(
    [report.others, named].map(({ before, after }) => ({ before: read(before), after: read(after) })),
  );
  return {
    ...report,
    by_customer: report.by_customer.filter((row) => row !== named),
    others: { customers: report.others.customers + 1, ...toDifference(others) },
  };
}

function add(sums: Map<string, Sums>, name: string, { before, after }: Difference): void {
  const known = sums.get(name) ?? { before: 0n, after: 0n };
  sums.set(name, { before: known.before + read(before), after: known.after + read(after) });
}

const read = (text: string): Money => parseMoney(text) ?? 0n;

const sumUp = (all: readonly Sums[]): Sums =>
  all.reduce((total, { before, after }) => ({ before: total.before + before, after: total.after + after }), {
    before: 0n,
    after: 0n,
  });

const toDifference = ({ before, after }: Sums): Difference => ({
  before: formatMoney(before),
  after: formatMoney(after),
});

const sizeOf = ({ before, after }: Sums): Money => (after > before ? after - before : before - after);

/** Sorts by size of the difference, equal ones by name, and lists the first `maxListed`. */
function listLargest(sums: ReadonlyMap<string, Sums>): { listed: [string, Sums][]; others: Sums[] } {
  const sorted = [...sums].sort(([a, left], [b, right]) => {
    const [sizeA, sizeB] = [sizeOf(left), sizeOf(right)];
    return sizeA === sizeB ? compareCodePoints(a, b) : sizeA > sizeB ? -1 : 1;
  });
  return { listed: sorted.slice(0, maxListed), others: sorted.slice(maxListed).map(([, left]) => left) };
}
