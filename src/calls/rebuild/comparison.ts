import { compareCodePoints } from '../../lib/code-points.ts';
import type { Day } from '../../lib/days.ts';
import { formatMoney, type Money, parseMoney } from '../../lib/money.ts';
import type { PartName } from '../../lib/units.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import type { RebuildRow } from '../../storage/control/schema/schema.ts';

/** A cost in the generation in force (`before`) and in the new one (`after`), in decimal USD. */
export interface Difference {
  readonly before: string;
  readonly after: string;
}

/** The causes of a changed cost: rereading the texts of events, or prices. */
export type DifferenceCause = 'reading' | 'price';

/** What a rebuild changes (D5.5). */
export interface RebuildComparison extends Difference {
  /** Each cause starts where the previous one ends, so together they explain the whole difference. */
  readonly by_cause: readonly (Difference & { readonly cause: DifferenceCause })[];
  /** Days before this one are frozen and were left alone; absent when no day is frozen. */
  readonly kept_from?: Day;
  readonly by_day: readonly (Difference & { readonly date: Day })[];
  /** The 1,000 largest differences; the rest is in `other_models`. */
  readonly by_model: readonly (Difference & { readonly model: string })[];
  readonly other_models: Difference & { readonly models: number };
  /** The 1,000 largest differences; the rest is in `others`. */
  readonly by_customer: readonly (Difference & { readonly customer: string } & Earning)[];
  readonly others: Difference & { readonly customers: number };
  /** In decimal USD, of all customers on the days of a reprice; absent unless the project is of type revenue. */
  readonly revenue?: string;
  /** Calls that an assumption applies to but that keep their current price; absent without assumptions. */
  readonly unchanged?: UnchangedCalls;
  /** Kinds of tokens that cost as assumed what a wider kind does; absent without assumptions. */
  readonly widened?: readonly Widened[];
}

/** The revenue of a customer on the days of the comparison; absent where `revenue` is. */
interface Earning {
  readonly revenue?: string;
}

/** Why a call keeps its current price: an event reports its cost, or the assumption lacks a price for some of it. */
export type UnchangedReason = 'reported_cost' | 'no_price';

export interface UnchangedCalls {
  readonly calls: number;
  /** In decimal USD, included in `after`. */
  readonly cost: string;
  /** The models with most calls. */
  readonly by_model: readonly {
    readonly model: string;
    readonly reason: UnchangedReason;
    readonly calls: number;
    readonly cost: string;
  }[];
}

/** Calls of a model that use kinds of tokens whose own price no list has. */
interface Widened {
  readonly model: string;
  readonly kinds: readonly PartName[];
  readonly calls: number;
}

const maxListed = 1_000;
const maxRowsListed = 100;
const withinMs = 30_000;

interface Sums {
  before: Money;
  after: Money;
}

/** Calls of a model that keep their price. */
interface Unchanged {
  readonly model: string;
  readonly reason: UnchangedReason;
  readonly calls: number;
  readonly cost: Money;
}

/** What a project's entries earn on some days, in all and by customer. */
export interface Earned {
  readonly total: Money;
  /** Customers without an entry on these days are absent. */
  readonly byCustomer: ReadonlyMap<string, Money>;
}

/** What some calls cost before and after, by day, model and customer. */
export class ComparisonSums {
  readonly #byDay = new Map<string, Sums>();
  readonly #byModel = new Map<string, Sums>();
  readonly #byCustomer = new Map<string, Sums>();
  readonly #unchanged = new Map<string, Unchanged>();
  readonly #widened = new Map<string, Widened>();

  addDay(day: Day, model: string, before: Money, after: Money): void {
    add(this.#byDay, day, before, after);
    add(this.#byModel, model, before, after);
  }

  addCustomer(customer: string, before: Money, after: Money): void {
    add(this.#byCustomer, customer, before, after);
  }

  addUnchanged({ model, reason, calls, cost }: Unchanged): void {
    const key = `${model} ${reason}`;
    const known = this.#unchanged.get(key) ?? { model, reason, calls: 0, cost: 0n };
    this.#unchanged.set(key, { ...known, calls: known.calls + calls, cost: known.cost + cost });
  }

  addWidened({ model, kinds, calls }: Widened): void {
    const key = `${model} ${kinds.join(' ')}`;
    this.#widened.set(key, { model, kinds, calls: (this.#widened.get(key)?.calls ?? 0) + calls });
  }

  finish({ asRead, keptFrom, earned, hasAssumption }: RestOfComparison): RebuildComparison {
    const models = listLargest(this.#byModel);
    const customers = listLargest(this.#byCustomer);
    const total = sumUp([...this.#byDay.values()]);
    return {
      ...toDifference(total),
      by_cause: splitByCause(total, asRead ?? total.before),
      ...(keptFrom !== undefined && { kept_from: keptFrom }),
      by_day: [...this.#byDay]
        .sort(([a], [b]) => compareCodePoints(a, b))
        .map(([date, sums]) => ({ date, ...toDifference(sums) })),
      by_model: models.listed.map(([model, sums]) => ({ model, ...toDifference(sums) })),
      other_models: { models: models.others.length, ...toDifference(sumUp(models.others)) },
      by_customer: customers.listed.map(([customer, sums]) => ({
        customer,
        ...toDifference(sums),
        ...(earned && { revenue: formatMoney(earned.byCustomer.get(customer) ?? 0n) }),
      })),
      others: { customers: customers.others.length, ...toDifference(sumUp(customers.others)) },
      ...(earned && { revenue: formatMoney(earned.total) }),
      ...(hasAssumption && {
        unchanged: listUnchanged(this.#unchanged),
        widened: listMostCalls(this.#widened),
      }),
    };
  }
}

/** What a comparison has besides its sums. */
interface RestOfComparison {
  /** The cost after rereading, at the old prices; undefined where nothing is reread. */
  readonly asRead?: Money | undefined;
  readonly keptFrom: Day | undefined;
  readonly earned: Earned | undefined;
  readonly hasAssumption?: boolean;
}

/** A comparison on a new generation that is built month by month, so that no statement takes long. */
export class ComparisonDraft {
  readonly #sums = new ComparisonSums();
  readonly #months: string[];
  /** The cost after rereading, at the old prices. */
  #read: Money = 0n;

  private constructor(months: string[]) {
    this.#months = months;
  }

  /**
   * Begins a comparison on rows in force and rows of the new generations. The numbers of these are parameters of the
   * clause: `new_generation` and `reread_generation`. Both are the same if the rebuild writes only one generation.
   */
  static async begin(store: AnalyticStore, rows: Clause): Promise<ComparisonDraft> {
    const months = await store.select<{ month: string }>(
      `SELECT DISTINCT toString(toYYYYMM(day)) AS month FROM calls WHERE ${rows.sql} ORDER BY month`,
      rows.parameters,
      withinMs,
    );
    return new ComparisonDraft(months.map(({ month }) => month));
  }

  /** Adds the next month of a rebuild; false when no month is left. */
  async addMonth(store: AnalyticStore, rows: Clause): Promise<boolean> {
    const month = this.#months[0];
    if (month === undefined) return false;
    const ofMonth = {
      sql: `${rows.sql} AND toYYYYMM(day) = {month:UInt32}`,
      parameters: { ...rows.parameters, month: Number(month) },
    };
    const select = async (columns: string) =>
      await store.select<{ date: string; name: string; before: string; read: string; after: string }>(
        `SELECT ${columns}, sumIf(cost, generation NOT IN ({new_generation:UInt64}, {reread_generation:UInt64})) AS before,
            sumIf(cost, generation = {reread_generation:UInt64}) AS read,
            sumIf(cost, generation = {new_generation:UInt64}) AS after
          FROM calls FINAL WHERE ${ofMonth.sql} GROUP BY date, name`,
        ofMonth.parameters,
        withinMs,
      );
    const byDay = await select('toString(day) AS date, model AS name');
    const byCustomer = await select("'' AS date, customer AS name");
    // Add nothing before the whole month is read, because a failed step is retried.
    for (const row of byDay) {
      this.#sums.addDay(row.date, row.name, read(row.before), read(row.after));
      this.#read += read(row.read);
    }
    for (const row of byCustomer) this.#sums.addCustomer(row.name, read(row.before), read(row.after));
    this.#months.shift();
    return true;
  }

  finish(
    { reread }: Pick<RebuildRow, 'reread'>,
    rest: Pick<RestOfComparison, 'keptFrom' | 'earned'>,
  ): RebuildComparison {
    return this.#sums.finish({ ...rest, asRead: reread === 1 ? this.#read : undefined });
  }
}

/** The rows with most calls; rows with equally many are in order of their names. */
const listMostCalls = <Row extends { readonly calls: number }>(rows: ReadonlyMap<string, Row>): Row[] =>
  [...rows]
    .sort(([name, one], [otherName, other]) => other.calls - one.calls || compareCodePoints(name, otherName))
    .slice(0, maxRowsListed)
    .map(([, row]) => row);

function listUnchanged(rows: ReadonlyMap<string, Unchanged>): UnchangedCalls {
  const all = [...rows.values()];
  return {
    calls: all.reduce((sum, { calls }) => sum + calls, 0),
    cost: formatMoney(all.reduce((sum, { cost }) => sum + cost, 0n)),
    by_model: listMostCalls(rows).map((row) => ({ ...row, cost: formatMoney(row.cost) })),
  };
}

/** The parts of a difference: from the cost before to the cost after rereading, and from there to the cost after. */
const splitByCause = ({ before, after }: Sums, asRead: Money): RebuildComparison['by_cause'] => [
  { cause: 'reading', ...toDifference({ before, after: asRead }) },
  { cause: 'price', ...toDifference({ before: asRead, after }) },
];

/** The comparison with the costs of one customer in `others`; undefined if it does not name it. */
export function withoutCustomer(comparison: RebuildComparison, name: string): RebuildComparison | undefined {
  const named = comparison.by_customer.find(({ customer }) => customer === name);
  if (!named) return undefined;
  const others = sumUp(
    [comparison.others, named].map(({ before, after }) => ({ before: read(before), after: read(after) })),
  );
  return {
    ...comparison,
    by_customer: comparison.by_customer.filter((row) => row !== named),
    others: { customers: comparison.others.customers + 1, ...toDifference(others) },
  };
}

function add(sums: Map<string, Sums>, name: string, before: Money, after: Money): void {
  const known = sums.get(name) ?? { before: 0n, after: 0n };
  sums.set(name, { before: known.before + before, after: known.after + after });
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
