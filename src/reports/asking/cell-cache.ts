import { LRUCache } from 'lru-cache';
import { sharedWithOthers } from '../../lib/asker.ts';
import { type Money, readMoney } from '../../lib/money.ts';
import { crossingColumn } from '../../rollups/rollups/cells.ts';
import { dimensionsOf, type Grain, tablesOf } from '../../rollups/rollups/grains.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { Clause } from '../../storage/analytic/clause.ts';

/** The cost, within one cell, of a feature run that spans several days or customers. */
export interface CrossingCost {
  /** A hash of the feature run, as text. */
  readonly run: string;
  readonly cost: Money;
}

/** The feature runs of a cell or a row. */
export interface RunSums {
  /** The gross cost of all of them. */
  readonly runCost: Money;
  readonly runs: number;
  readonly maxRunCost: Money;
  /** Those that other cells of the row may have too. */
  readonly crossing: readonly CrossingCost[];
}

/** The costs and feature runs of a cell whose grain has at most one dimension. */
export interface CostCell extends RunSums {
  /** Days since 1970-01-01. */
  readonly day: number;
  /** The value of the grain's dimension; '' if it has none. */
  readonly value: string;
  readonly cost: Money;
}

/** The sealed cells of one project and grain, and of one tag, that an answer adds up. */
export interface CachedCellsWanted {
  readonly projectId: string;
  readonly grain: Grain;
  /** The key of the tag of a grain by one. */
  readonly tagKey: string | undefined;
  readonly seals: readonly number[];
  /** Selects the rows of these seals. */
  readonly whereSeals: (seals: readonly number[]) => Clause;
}

/** The most cells and costs of crossing runs that one cache holds, of all projects. Each takes about 200 bytes. */
const maxHeld = 100_000;
/** The most cells and costs of crossing runs that one statement reads. If there are more, the store adds them up. */
export const maxRead = 20_000;
/** How long cells are held, in milliseconds. Short, because erased data must leave memory too. */
const heldMs = 300_000;

/** Caches the narrow cells of sealed days, and those by a tag (docs/decisions/0015). A day that is sealed again has a new seal. */
export class CellCache {
  readonly #store: Pick<AnalyticStore, 'select'>;
  /** By project, grain, tag and seal. */
  readonly #held = new LRUCache<string, readonly CostCell[]>({
    maxSize: maxHeld,
    ttl: heldMs,
    sizeCalculation: (cells) => cells.reduce((sum, { crossing }) => sum + 1 + crossing.length, 1),
  });
  /** By project, grain and tag: a number of missing seals of which more than `maxRead` had to be read. */
  readonly #tooMany = new LRUCache<string, number>({ max: 1_000, ttl: heldMs });
  /**
   * By project, grain and tag: the latest read in progress. The next read waits for it, and reads only the seals that are
   * still missing. If it fails, the reads that wait for it fail at once: they would only wait for the same store again.
   */
  readonly #underWay = new Map<string, Promise<unknown>>();

  constructor(store: Pick<AnalyticStore, 'select'>) {
    this.#store = store;
  }

  /**
   * In no particular order; undefined if too many are not in memory, so that the store should add them up.
   * @throws Problem as the store's `select` does
   */
  async read(wanted: CachedCellsWanted): Promise<readonly CostCell[] | undefined> {
    const of = `${wanted.projectId} ${wanted.grain} ${wanted.tagKey ?? ''}`;
    const { cells, missing } = this.#find(of, wanted.seals);
    if (missing.length === 0) return cells;
    const before = Promise.resolve(this.#underWay.get(of));
    const underWay = sharedWithOthers(() => before.then(async () => await this.#complete(of, wanted)));
    this.#underWay.set(of, underWay);
    try {
      return await underWay;
    } finally {
      if (this.#underWay.get(of) === underWay) this.#underWay.delete(of);
    }
  }

  /** The held cells of these seals, and the seals whose cells are not held. */
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

  async #complete(of: string, { grain, seals, whereSeals }: CachedCellsWanted): Promise<CostCell[] | undefined> {
    const { cells, missing } = this.#find(of, seals);
    if (missing.length === 0) return cells;
    if (missing.length >= (this.#tooMany.get(of) ?? Number.POSITIVE_INFINITY)) return undefined;
    const where = whereSeals(missing);
    // Finding the size does not read the costs of crossing runs. Where it is too large, no cell is read.
    const size = `SELECT count() + sum(length(${crossingColumn})) AS size FROM ${tablesOf(grain)[0]} WHERE ${where.sql}`;
    const rows = await this.#store.select<CellRow & { readonly seal: number }>(
      `SELECT toFloat64(seal) AS seal, ${columnsOfCell(grain, crossingColumn)} FROM ${tablesOf(grain)[0]}
        WHERE ${where.sql} AND (${size}) <= ${maxRead}`,
      where.parameters,
    );
    if (rows.length === 0) {
      const [found] = await this.#store.select<{ readonly size: string }>(size, where.parameters);
      if (Number(found?.size) > maxRead) {
        this.#tooMany.set(of, missing.length);
        return undefined;
      }
    }
    const bySeal = Map.groupBy(rows, ({ seal }) => seal);
    for (const seal of missing) {
      const ofSeal = (bySeal.get(seal) ?? []).map(toCostCell);
      this.#held.set(`${of} ${seal}`, ofSeal);
      cells.push(...ofSeal);
    }
    return cells;
  }
}

/** Feature runs as the store returns them: money as decimal text; a hash of each crossing run, and its cost. */
export interface RunsRow {
  readonly run_cost: string;
  readonly runs: string;
  readonly max_run_cost: string;
  readonly crossing_runs?: readonly string[];
  readonly crossing_costs?: readonly string[];
}

export interface CellRow extends RunsRow {
  readonly day_number: number;
  readonly value: string;
  readonly cost: string;
}

/** The columns of a `CellRow`. `crossingSql`: the array of the costs of crossing runs; without it, rows have none. */
export const columnsOfCell = (grain: Grain, crossingSql: string | undefined): string =>
  `toUInt16(day) AS day_number, ${dimensionsOf(grain)[0] ?? "''"} AS value, cost, run_cost, runs, max_run_cost,
    ${crossingSql === undefined ? '[]' : `arrayMap(piece -> hex(piece.1), ${crossingSql})`} AS crossing_runs,
    ${crossingSql === undefined ? '[]' : `${crossingSql}.2`} AS crossing_costs`;

export const toRunSums = (row: RunsRow): RunSums => ({
  runCost: readMoney(row.run_cost),
  runs: Number(row.runs),
  maxRunCost: readMoney(row.max_run_cost),
  crossing: (row.crossing_runs ?? []).map((run, index) => ({ run, cost: readMoney(row.crossing_costs?.[index]) })),
});

export const toCostCell = (row: CellRow): CostCell => ({
  day: row.day_number,
  value: row.value,
  cost: readMoney(row.cost),
  ...toRunSums(row),
});
