import { toDayNumber } from '../../../lib/days.ts';
import type { Money } from '../../../lib/money.ts';
import type { Slices } from '../../../lib/slices.ts';
import { allocate, calcEarned } from '../../../reports/facts/allocation.ts';
import type { InvoiceEntry, InvoiceKind } from '../entry.ts';
import type { Crossing, DayRange, Line, ProviderLines, Segment } from './line.ts';
import { type LineName, type MatchedNames, matchNames, providerKey } from './match-names.ts';
import { shareTools } from './share-tools.ts';
import { addUsage, type LineUsage, noUsage, type UsageRecord } from './usage.ts';

/** The input of a reconciliation: the calls and the entries of a range of days. */
export interface Reconciled {
  readonly range: DayRange;
  /** Includes the days before and after the range, because calls near its edges may be on other days at the provider. */
  readonly usage: readonly UsageRecord[];
  readonly entries: readonly InvoiceEntry[];
}

const isWithin = ({ from, to }: DayRange, day: number): boolean => day >= from && day <= to;

const spanOf = ({ dateFrom, dateTo }: InvoiceEntry): DayRange => ({
  from: toDayNumber(dateFrom),
  to: toDayNumber(dateTo),
});

/** The lines of every provider, with the charge and the cost of the calls, by day. */
export function* makeLines({ range, usage, entries }: Reconciled): Slices<ProviderLines[]> {
  const usageEntries = entries.filter(({ kind }) => kind === 'usage');
  const others = entries.filter(({ kind }) => kind !== 'usage').map(({ provider }) => provider);
  const names = matchNames(usage, usageEntries, others);
  const lines = yield* collectLines({ range, usage, entries }, names);
  const shared = yield* shareTools({ entries, lines, range, lineOf: names.lineOfEntry });
  const all = shared === entries ? lines : yield* collectLines({ range, usage, entries: shared }, names);
  const byProvider = Map.groupBy(all, ({ provider }) => providerKey(provider));
  return [...byProvider].map(([key, ofProvider]) => ({
    key,
    lines: ofProvider,
    step: findStep(usageEntries.filter(({ provider }) => providerKey(provider) === key)),
  }));
}

function* collectLines({ range, usage, entries }: Reconciled, names: MatchedNames): Slices<Line[]> {
  const drafts = new Map<LineName, Draft>();
  const draftOf = (name: LineName): Draft => {
    const found = drafts.get(name) ?? new Draft(name, range);
    drafts.set(name, found);
    return found;
  };
  for (const record of usage) {
    draftOf(names.lineOfCall(record)).addUsage(record);
    yield;
  }
  for (const entry of entries) {
    draftOf(names.lineOfEntry(entry)).addEntry(entry);
    yield;
  }
  const lines: Line[] = [];
  for (const draft of drafts.values()) {
    lines.push(draft.toLine());
    yield;
  }
  return lines;
}

const cent = 10n ** 10n;

function findStep(entries: readonly InvoiceEntry[]): Money {
  let step = cent;
  for (const { amount } of entries) while (step > 1n && amount % step !== 0n) step /= 10n;
  return step;
}

type Others = Map<Exclude<InvoiceKind, 'usage'>, Money>;

const noOthers: Others = new Map();

class Draft {
  readonly name: LineName;
  readonly #range: DayRange;
  readonly #length: number;
  readonly #crossings: Crossing[] = [];
  readonly #computed: Money[];
  readonly #used: LineUsage[];
  readonly #charged: Money[];
  /** Undefined for the days without any, which are most. */
  readonly #others: (Others | undefined)[];
  readonly #seen = new Set<string>();
  readonly #repeated = new Set<number>();
  /** The entries of usage, with their whole amounts. */
  readonly #charges: { readonly from: number; readonly to: number; readonly amount: Money }[] = [];
  readonly #spans: { readonly from: number; to: number; entries: number }[] = [];

  constructor(name: LineName, range: DayRange) {
    this.name = name;
    this.#range = range;
    this.#length = range.to - range.from + 1;
    this.#computed = new Array<Money>(this.#length).fill(0n);
    this.#used = new Array<LineUsage>(this.#length + 2).fill(noUsage);
    this.#charged = new Array<Money>(this.#length).fill(0n);
    this.#others = new Array<Others | undefined>(this.#length).fill(undefined);
  }

  addUsage(record: UsageRecord): void {
    const { from } = this.#range;
    if (isWithin(this.#range, record.day)) add(this.#computed, record.day - from, record.cost);
    // Without entries, the day at the provider does not matter.
    const day = this.name.isInvoiced ? record.providerDay : record.day;
    if (day !== record.day) this.#crossings.push(record);
    const place = day - from + 1;
    const used = this.#used[place];
    if (used) this.#used[place] = addUsage(used, record);
  }

  addEntry(entry: InvoiceEntry): void {
    const span = spanOf(entry);
    const isOneDay = span.from === span.to;
    const allocation = allocate(entry.amount, span);
    const from = Math.max(span.from, this.#range.from);
    const to = Math.min(span.to, this.#range.to);
    const content = JSON.stringify([entry.dateFrom, entry.dateTo, `${entry.amount}`, entry.description ?? '']);
    const isRepeated = entry.kind === 'usage' && entry.amount !== 0n && this.#seen.has(content);
    if (entry.kind === 'usage') {
      this.#seen.add(content);
      this.#charges.push({ ...span, amount: entry.amount });
    }
    for (let day = from; day <= to; day += 1) {
      const earned = isOneDay ? entry.amount : calcEarned(allocation, { from: day, to: day });
      const place = day - this.#range.from;
      if (entry.kind === 'usage') {
        add(this.#charged, place, earned);
        if (isRepeated) this.#repeated.add(place);
      } else {
        const others = this.#others[place] ?? new Map();
        this.#others[place] = others;
        others.set(entry.kind, (others.get(entry.kind) ?? 0n) + earned);
      }
    }
    if (entry.kind === 'usage' && from <= to) {
      this.#spans.push({ from: from - this.#range.from, to: to - this.#range.from, entries: 1 });
    }
  }

  toLine(): Line {
    return {
      ...this.name,
      name: this.name,
      used: this.#used,
      crossings: this.#crossings,
      days: Array.from({ length: this.#length }, (_, place) => ({
        computed: this.#computed[place] ?? 0n,
        used: this.#used[place + 1] ?? noUsage,
        charged: this.#charged[place] ?? 0n,
        others: this.#others[place] ?? noOthers,
      })),
      segments: this.#toSegments(),
      repeated: this.#repeated,
      isStoredTwoWays: this.#isStoredTwoWays(),
    };
  }

  /** Whether an entry of several days is the sum of the entries of parts of them. */
  #isStoredTwoWays(): boolean {
    return this.#charges
      .filter(({ from, to }) => from < to)
      .slice(0, mostLookedAt)
      .some((whole) => {
        const within = this.#charges.filter(
          (one) =>
            one !== whole && one.from >= whole.from && one.to <= whole.to && one.to - one.from < whole.to - whole.from,
        );
        return within.length > 1 && within.reduce((sum, { amount }) => sum + amount, 0n) === whole.amount;
      });
  }

  /** The segments: days joined by common entries, and each day without an entry. */
  #toSegments(): Segment[] {
    const joined: { from: number; to: number; entries: number }[] = [];
    for (const span of this.#spans.sort((a, b) => a.from - b.from)) {
      const last = joined.at(-1);
      if (last && span.from <= last.to) {
        last.to = Math.max(last.to, span.to);
        last.entries += 1;
      } else joined.push({ ...span });
    }
    const segments: Segment[] = [];
    let next = 0;
    const addSingle = (until: number) => {
      for (; next < until; next += 1) segments.push({ from: next, to: next, entries: 0 });
    };
    for (const span of joined) {
      addSingle(span.from);
      segments.push(span);
      next = span.to + 1;
    }
    addSingle(this.#length);
    return segments;
  }
}

/** The most entries of several days that are compared with those of their days: each goes through all others. */
const mostLookedAt = 100;

function add(amounts: Money[], place: number, amount: Money): void {
  amounts[place] = (amounts[place] ?? 0n) + amount;
}
