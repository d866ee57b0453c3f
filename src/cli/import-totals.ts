import { IdSet } from '../ingest/imports/id-set.ts';
import { type Money, parseMoney, toJsonNumber } from '../lib/money.ts';
import { calledAs } from './called-as.ts';
import { type CostOfCall, toAmount } from './cost-reader.ts';
import { printTable, toCount, toDollars } from './print.ts';

export interface ReadCall {
  readonly id: string;
  readonly model: string;
  readonly timeMs: number;
  /** The cost by the source, in US dollars; undefined where it has none. */
  readonly cost: number | undefined;
  /** Whether it is the first call of its record. */
  readonly isFirst: boolean;
}

interface OfModel {
  calls: number;
  here: Money;
  there: Money;
}

const mostModels = 10;
/** A file may name any number of models; the rest are summed up. */
const maxModels = 10_000;
const otherModels = 'others';

/** Records read, calls made, and their costs by Farthing and by the source. Each call counts once. */
export class ImportTotals {
  records = 0;
  /** Parts of the export that are no calls. */
  others = 0;
  bad = 0;
  unpriced = 0;
  /** Calls that the service doesn't have, such as those of days that are no longer kept. */
  missing = 0;
  hasCosts = false;
  #hasSourceCosts = false;
  readonly #seen = new IdSet();
  readonly #refused = new IdSet();
  readonly #models = new Map<string, OfModel>();

  /** Calls that were made, each counted once. */
  get calls(): number {
    return this.#seen.size - this.#refused.size;
  }

  add({ id, model, cost, isFirst }: ReadCall): void {
    if (isFirst) this.records += 1;
    if (!this.#seen.add(id)) return;
    const ofModel = this.#ofModel(model);
    ofModel.calls += 1;
    if (cost === undefined) return;
    this.#hasSourceCosts = true;
    ofModel.there += parseMoney(cost) ?? 0n;
  }

  /** Removes a call that the service refused. */
  refuse({ id, model, cost }: ReadCall): void {
    if (!this.#refused.add(id)) return;
    const ofModel = this.#ofModel(model);
    ofModel.calls -= 1;
    ofModel.there -= parseMoney(cost ?? 0) ?? 0n;
  }

  isRefused({ id }: ReadCall): boolean {
    return this.#refused.size > 0 && this.#refused.has(id);
  }

  /** Adds costs by Farthing. Of the `asked` calls, those without a cost are missing. */
  addCosts(costs: readonly CostOfCall[], asked: number): void {
    this.missing += asked - costs.length;
    for (const { model, cost, cost_source: source } of costs) {
      this.#ofModel(model).here += toAmount(cost);
      if (source === 'unpriced') this.unpriced += 1;
    }
  }

  #ofModel(name: string): OfModel {
    const model = this.#models.has(name) || this.#models.size < maxModels ? name : otherModels;
    let sums = this.#models.get(model);
    if (sums === undefined) {
      sums = { calls: 0, here: 0n, there: 0n };
      this.#models.set(model, sums);
    }
    return sums;
  }

  #sum(side: 'here' | 'there'): Money {
    return [...this.#models.values()].reduce((sum, model) => sum + model[side], 0n);
  }

  /** The models whose costs differ most, at most ten. */
  #largest(): [string, OfModel][] {
    if (!this.hasCosts || !this.#hasSourceCosts) return [];
    const size = ({ here, there }: OfModel) => (here > there ? here - there : there - here);
    return [...this.#models]
      .filter(([, sums]) => sums.here !== sums.there)
      .sort(([, a], [, b]) => (size(a) < size(b) ? 1 : -1))
      .slice(0, mostModels);
  }

  toJson() {
    return {
      records: this.records + this.others + this.bad,
      calls: this.calls,
      others: this.others,
      refused: this.bad,
      unpriced: this.unpriced,
      not_found: this.missing,
      cost: this.hasCosts ? toJsonNumber(this.#sum('here')) : null,
      source_cost: this.#hasSourceCosts ? toJsonNumber(this.#sum('there')) : null,
      differences: this.#largest().map(([model, { calls, here, there }]) => ({
        model,
        calls,
        cost: toJsonNumber(here),
        source_cost: toJsonNumber(there),
        difference: toJsonNumber(here - there),
      })),
    };
  }

  print(): void {
    const { records, calls, others, refused, cost, source_cost: sourceCost, differences, ...rest } = this.toJson();
    printTable(
      ['', 'number'],
      [
        ['records read', toCount(records)],
        ['calls made', toCount(calls)],
        ['not calls', toCount(others)],
        ['not imported', toCount(refused)],
        ['cost by Farthing', toDollars(cost)],
        ['cost as the source had it', toDollars(sourceCost)],
      ],
    );
    if (cost === null)
      console.log('Give --api-key, a key with the scope read, to see what the calls cost by Farthing.');
    if (rest.unpriced > 0)
      console.log(
        `Calls without a known cost: ${toCount(rest.unpriced)} (for a missing price: ${calledAs} prices set).`,
      );
    if (rest.not_found > 0) console.log(`Calls of days that are no longer kept: ${toCount(rest.not_found)}.`);
    if (differences.length === 0) return;
    console.log('The largest differences by model:');
    printTable(
      ['model', 'calls', 'Farthing', 'source', 'difference'],
      differences.map((row) => [
        row.model,
        toCount(row.calls),
        toDollars(row.cost),
        toDollars(row.source_cost),
        toDollars(row.difference),
      ]),
    );
  }
}
