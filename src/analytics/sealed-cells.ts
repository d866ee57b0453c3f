import { LRUCache } from 'lru-cache';
import { crossingColumn } from '../calls/rollups/cells.ts';
import { dimensionsOf, type Grain } from '../calls/rollups/grains.ts';
import type { AnalyticStore } from '../clickhouse/analytic-store.ts';
import type { Clause } from '../clickhouse/clause.ts';
import { type Money, parseMoney } from '../lib/money.ts';

/** What a feature run that has several days or customers cost in a cell. */
export interface CrossingCost {
  /** A hash of the feature run, as text. */
  readonly run: string;
  readonly cost: Money;
}

/** What a cell of a grain with at most one dimension has of costs and feature runs. */
export interface CostCell {
  /** Days since 1970-01-01. */
  readonly day: number;
  /** Of the grain's dimension; '' where it has none. */
  readonly value: string;
  readonly cost: Money;
  readonly runCost: Money;
  readonly runs: number;
  readonly maxRunCost: Money;
  readonly crossing: readonly CrossingCost[];
}

/** Sealed cells of a project and grain that an answer adds up. */
export interface SealedCellsWanted {
  readonly projectId: string;
  readonly grain: Grain;
  readonly seals: readonly number[];
  /** Selects the rows of such seals. */
  readonly whereSeals: (seals: readonly number[]) => Clause;
}

/** How many cells, and costs of crossing runs in them, are held of all projects; each takes some 200 bytes. */
const maxHeld = 100_000;
/** How many are read for one answer; of more, the store adds up. */
const maxRead = 20_000;
/** How long they are held, in milliseconds: what is erased from the stores shall not be in memory for long. */
const heldMs = 300_000;

/**
 * The narrow cells of sealed days, held in memory: they are few, they never change, and whatever period, page or filter an answer
 * has, it is a sum of them (docs/decisions/0018). A day that is sealed anew has another seal, so nothing is out of date.
 */
export class SealedCells {
  readonly #store: Pick<AnalyticStore, 'select'>;
  /** By project, grain and seal. */
  readonly #held = new LRUCache<string, readonly CostCell[]>({
    maxSize: maxHeld,
    ttl: heldMs,
    sizeCalculation: (cells) => 1 + countHeld(cells),
  });
  /** How many seals of a project and grain had more cells than are read. */
  readonly #tooMany = new LRUCache<string, number>({ max: 1_000, ttl: heldMs });
  /** The last reading of a project and grain that is under way: what it reads, the next one needs not. */
  readonly #reading = new Map<string, Promise<unknown>>();

  constructor(store: Pick<AnalyticStore, 'select'>) {
    this.#store = store;
  }

  /**
   * The cells of these seals, in no order; undefined where they are so many that the store had better add them up.
   * @throws Problem as the store's `select` does
   */
  async read(wanted: SealedCellsWanted): Promise<readonly CostCell[] | undefined> {
    const of = `${wanted.projectId} ${wanted.grain}`;
    const { cells, missing } = this.#find(of, wanted.seals);
    if (missing.length === 0) return cells;
    const reading = Promise.allSettled([this.#reading.get(of)]).then(async () => await this.#complete(of, wanted));
    this.#reading.set(of, reading);
    try {
      return await reading;
    } finally {
      if (this.#reading.get(of) === reading) this.#reading.delete(of);
    }
  }

  /** What is held of some seals, and of which nothing is. */
  #find(of: string, seals: readonly number[]): { cells: CostCell[]; missing: number[] } {
    const cells: CostCell[] = [];
    const missing: number[] = [];
    for (const seal of seals) {
      const held = this.#held.get(`${of} ${seal}`);
      if (held) cells.push(...held);
      else missing.push(seal);
    }
    return { cells, missing };
  }

  async #complete(of: string, { grain, seals, whereSeals }: SealedCellsWanted): Promise<CostCell[] | undefined> {
    const { cells, missing } = this.#find(of, seals);
    if (missing.length === 0) return cells;
    if (missing.length >= (this.#tooMany.get(of) ?? Number.POSITIVE_INFINITY)) return undefined;
    const where = whereSeals(missing);
    const [size] = await this.#store.select<{ cells: number }>(
      `SELECT toFloat64(count() + sum(length(${crossingColumn}))) AS cells FROM narrow_cells WHERE ${where.sql}`,
      where.parameters,
    );
    if (size === undefined || size.cells > maxRead) {
      this.#tooMany.set(of, missing.length);
      return undefined;
    }
    const rows = await this.#store.select<CellRow & { readonly seal: number }>(
      `SELECT toFloat64(seal) AS seal, ${columnsOfCell(grain, { withCrossing: true })} FROM narrow_cells WHERE ${where.sql}`,
      where.parameters,
    );
    const bySeal = Map.groupBy(rows, ({ seal }) => seal);
    for (const seal of missing) {
      const ofSeal = (bySeal.get(seal) ?? []).map(toCostCell);
      this.#held.set(`${of} ${seal}`, ofSeal);
      cells.push(...ofSeal);
    }
    return cells;
  }
}

const countHeld = (cells: readonly CostCell[]): number =>
  cells.reduce((sum, { crossing }) => sum + 1 + crossing.length, 0);

/** A cell as the store gives it: money as decimal text. */
export interface CellRow {
  readonly day_number: number;
  readonly value: string;
  readonly cost: string;
  readonly run_cost: string;
  readonly runs: string;
  readonly max_run_cost: string;
  readonly crossing_runs: readonly string[];
  readonly crossing_costs: readonly string[];
}

/** The columns of a `CellRow`, of cells of a grain, with or without what crossing runs cost in them. */
export const columnsOfCell = (grain: Grain, { withCrossing }: { readonly withCrossing: boolean }): string =>
  `toUInt16(day) AS day_number, ${dimensionsOf(grain)[0] ?? "''"} AS value, cost, run_cost, runs, max_run_cost,
    ${withCrossing ? `arrayMap(piece -> hex(piece.1), ${crossingColumn})` : '[]'} AS crossing_runs,
    ${withCrossing ? `${crossingColumn}.2` : '[]'} AS crossing_costs`;

export function toCostCell(row: CellRow): CostCell {
  return {
    day: row.day_number,
    value: row.value,
    cost: readMoney(row.cost),
    runCost: readMoney(row.run_cost),
    runs: Number(row.runs),
    maxRunCost: readMoney(row.max_run_cost),
    crossing: row.crossing_runs.map((run, index) => ({ run, cost: readMoney(row.crossing_costs[index]) })),
  };
}

function readMoney(text: string | undefined): Money {
  const money = text === undefined ? null : parseMoney(text);
  if (money === null) throw new RangeError(`${text} is no amount of money`);
  return money;
}
