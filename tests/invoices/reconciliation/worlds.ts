// Random projects whose invoices are made from the truth plus known faults, with the amount of each fault.
import fc from 'fast-check';
import type { InvoiceEntry, InvoiceKind } from '../../../src/billing/invoices/entry.ts';
import type { ListRates } from '../../../src/billing/invoices/reconciliation/list-rates.ts';
import type { UsageRecord } from '../../../src/billing/invoices/reconciliation/usage.ts';
import type { OverrideWire, PartKind } from '../../../src/billing/invoices/reconciliation/wire.ts';
import { toDay, toDayNumber } from '../../../src/lib/days.ts';
import { type UsageBucket, usageBuckets } from '../../../src/lib/usage-buckets.ts';
import { picos } from '../../support/decimal.ts';

export const firstDay = toDayNumber('2024-10-01');

/** The buckets that models of these worlds use. */
const buckets = ['input', 'cacheRead', 'output'] as const satisfies readonly UsageBucket[];
/** USD for a million tokens, in these buckets' order: as picodollars for one token. */
type Rates = readonly [bigint, bigint, bigint];

const rateLists: readonly Rates[] = [
  [2_500_000n, 1_250_000n, 10_000_000n],
  [150_000n, 75_000n, 600_000n],
  [3_000_000n, 300_000n, 15_000_000n],
  [1_100_000n, 550_000n, 4_400_000n],
  [800_000n, 80_000n, 4_000_000n],
];

export interface Faults {
  /** A service that reports no calls has a model of its own. */
  readonly missingService: boolean;
  /** Part of the calls with a model are of a service that reports none. */
  readonly halfMissing: boolean;
  readonly unpricedModel: boolean;
  readonly notInvoiced: boolean;
  /** All prices of one model of the second provider, in hundredths of the list's; null for none. */
  readonly ratio: number | null;
  /** From which day on. */
  readonly ratioFrom: number;
  /** The price of output tokens of another model there, in hundredths of the list's; null for none. */
  readonly outputPrice: number | null;
  /** Hundredths off all prices of the first provider, unnamed on the invoice; 0 for none. */
  readonly discount: number;
  /** The same as an entry of its own, of the second provider. */
  readonly namedDiscount: number;
  readonly tax: boolean;
  readonly credit: boolean;
  /** Calls near midnight are on the next or previous day at the provider. */
  readonly timezone: boolean;
  /** The invoice of the second provider has all calls a day later. */
  readonly late: boolean;
  readonly cents: boolean;
}

export interface WorldSpec {
  readonly seed: number;
  readonly days: number;
  readonly faults: Faults;
}

const no = { weight: 2, arbitrary: fc.constant(null) };
const anyFaults: fc.Arbitrary<Faults> = fc.record({
  missingService: fc.boolean(),
  halfMissing: fc.boolean(),
  unpricedModel: fc.boolean(),
  notInvoiced: fc.boolean(),
  ratio: fc.oneof(no, {
    weight: 3,
    arbitrary: fc.integer({ min: 40, max: 250 }).filter((pct) => Math.abs(pct - 100) > 2),
  }),
  ratioFrom: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 4 })),
  outputPrice: fc.oneof(no, {
    weight: 3,
    arbitrary: fc.integer({ min: 40, max: 250 }).filter((pct) => Math.abs(pct - 100) > 5),
  }),
  discount: fc.constantFrom(0, 0, 5, 12),
  namedDiscount: fc.constantFrom(0, 0, 12),
  tax: fc.boolean(),
  credit: fc.boolean(),
  timezone: fc.boolean(),
  late: fc.boolean(),
  cents: fc.boolean(),
});

export const noFaults: Faults = {
  ...{ missingService: false, halfMissing: false, unpricedModel: false, notInvoiced: false, ratio: null, ratioFrom: 0 },
  ...{ outputPrice: null, discount: 0, namedDiscount: 0, tax: false, credit: false, timezone: false, late: false },
  cents: false,
};

export const anyWorld: fc.Arbitrary<WorldSpec> = fc.record({
  seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  days: fc.integer({ min: 10, max: 32 }),
  faults: anyFaults,
});

export interface World {
  readonly range: { readonly from: number; readonly to: number };
  readonly usage: readonly UsageRecord[];
  readonly entries: readonly InvoiceEntry[];
  /** What each part must be, in picodollars; other parts must be 0. */
  readonly expected: ReadonlyMap<PartKind, bigint>;
  readonly ratesOf: (provider: string, model: string) => ListRates | undefined;
  /** The models that have a price. */
  readonly priced: readonly { readonly provider: string; readonly model: string }[];
}

/** A small generator of random numbers, so that a world is made of its seed alone. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Model {
  readonly provider: string;
  readonly model: string;
  readonly rates: Rates;
  readonly isUnpriced?: boolean;
}

const cent = 10n ** 10n;
const roundTo = (amount: bigint, step: bigint): bigint => ((amount + step / 2n) / step) * step;
const sumOf = (counts: readonly bigint[], rates: Rates): bigint =>
  counts.reduce((sum, count, index) => sum + count * (rates[index] ?? 0n), 0n);

export function makeWorld({ seed, days, faults }: WorldSpec): World {
  const random = randomOf(seed);
  const range = { from: firstDay, to: firstDay + days - 1 };
  const isInRange = (day: number) => day >= range.from && day <= range.to;
  const usage: UsageRecord[] = [];
  const entries: InvoiceEntry[] = [];
  const expected = new Map<PartKind, bigint>();
  const expectPart = (kind: PartKind, amount: bigint) => expected.set(kind, (expected.get(kind) ?? 0n) + amount);
  const rates = (index: number): Rates => rateLists[index % rateLists.length] ?? [1n, 1n, 1n];
  const first = { provider: 'openai' };
  const second = { provider: 'anthropic' };
  const models: readonly Model[] = [
    { ...first, model: 'gpt-a', rates: rates(0) },
    { ...first, model: 'gpt-b', rates: rates(1) },
    { ...first, model: 'gpt-c', rates: rates(3) },
    { ...second, model: 'claude-a', rates: rates(2) },
    { ...second, model: 'claude-b', rates: rates(4) },
    { ...second, model: 'claude-c', rates: rates(2) },
    { ...second, model: 'claude-d', rates: rates(4) },
    { ...second, model: 'claude-e', rates: rates(0) },
    ...(faults.unpricedModel ? [{ ...first, model: 'house-llm', rates: rates(3), isUnpriced: true }] : []),
  ];
  /** Truth charged by provider day and model, in the order of `models`. */
  const charge = (entry: Omit<InvoiceEntry, 'externalId' | 'dateTo' | 'description'>): bigint => {
    const amount = faults.cents && entry.kind === 'usage' ? roundTo(entry.amount, cent) : entry.amount;
    entries.push({
      ...entry,
      amount,
      externalId: `e${entries.length}`,
      dateTo: entry.dateFrom,
      description: undefined,
    });
    return amount;
  };
  const makeCounts = (): bigint[] =>
    // Between three and thirty million tokens of input: a few dollars up to hundreds a day.
    buckets.map((bucket) => BigInt(Math.floor((1 + 9 * random()) * (bucket === 'output' ? 500_000 : 3_000_000))));
  const toRecord = (place: { day: number; providerDay: number }, of: Model, counts: readonly bigint[]): UsageRecord => {
    const calls = 1n + BigInt(Math.floor(random() * 1_000));
    const tokens = usageBuckets.map((bucket) => counts[(buckets as readonly UsageBucket[]).indexOf(bucket)] ?? 0n);
    return {
      ...place,
      provider: of.provider,
      model: of.model,
      calls,
      unpriced: of.isUnpriced ? calls : 0n,
      unpricedTokens: of.isUnpriced ? counts.reduce((a, b) => a + b, 0n) : 0n,
      cost: of.isUnpriced ? 0n : sumOf(counts, of.rates),
      tokens,
      units: new Map(),
    };
  };

  for (const of of models) {
    const isLate = faults.late && of.provider === second.provider;
    const isSkipped = faults.notInvoiced && of.model === 'claude-d';
    for (let day = range.from - 2; day <= range.to + 2; day += 1) {
      const counts = makeCounts();
      const records = [toRecord({ day, providerDay: day }, of, counts)];
      if (faults.timezone) records.push(toRecord({ day, providerDay: day + 1 }, of, makeCounts()));
      usage.push(...records);
      for (const record of records) {
        const invoiceDay = record.providerDay + (isLate ? 1 : 0);
        if (!isSkipped || !isInRange(record.providerDay)) {
          const moved = (isInRange(invoiceDay) ? record.cost : 0n) - (isInRange(record.day) ? record.cost : 0n);
          if (!isSkipped) expectPart('timing', moved);
        }
        if (isSkipped) {
          const atProvider = record.providerDay + (isLate ? 1 : 0);
          expectPart('timing', (isInRange(atProvider) ? record.cost : 0n) - (isInRange(record.day) ? record.cost : 0n));
          if (isInRange(atProvider)) expectPart('not_invoiced', -record.cost);
        }
      }
    }
    if (isSkipped) continue;
    for (let day = range.from; day <= range.to; day += 1) {
      const used = usage.filter((record) => record.model === of.model && record.providerDay + (isLate ? 1 : 0) === day);
      const tokens = buckets.map((bucket) =>
        used.reduce((sum, record) => sum + (record.tokens[usageBuckets.indexOf(bucket)] ?? 0n), 0n),
      );
      const list = sumOf(tokens, of.rates);
      let amount = list;
      if (of.provider === first.provider && faults.discount > 0) {
        amount = (list * BigInt(100 - faults.discount)) / 100n;
        if (!of.isUnpriced) expectPart('discount', amount - list);
      }
      if (of.model === 'claude-a' && faults.ratio !== null && day - range.from >= faults.ratioFrom) {
        amount = (list * BigInt(faults.ratio)) / 100n;
        expectPart('price', amount - list);
      }
      if (of.model === 'claude-b' && faults.outputPrice !== null) {
        const extra = ((tokens[2] ?? 0n) * of.rates[2] * BigInt(faults.outputPrice - 100)) / 100n;
        amount += extra;
        expectPart('price', extra);
      }
      if (of.model === 'claude-c' && faults.halfMissing) {
        const extra = sumOf(makeCounts(), of.rates);
        amount += extra;
        expectPart('not_seen', extra);
      }
      const charged = charge({ ...of, dateFrom: toDay(day), amount, kind: 'usage' });
      if (of.isUnpriced) expectPart('unpriced', charged);
    }
  }
  if (faults.missingService) {
    for (let day = range.from; day <= range.to; day += 1) {
      const amount = sumOf(makeCounts(), rates(0));
      expectPart('not_seen', charge({ ...first, model: 'o-unseen', dateFrom: toDay(day), amount, kind: 'usage' }));
    }
  }
  const addOther = (kind: Exclude<InvoiceKind, 'usage'>, part: PartKind, amount: bigint) => {
    expectPart(part, charge({ ...second, model: undefined, dateFrom: toDay(range.to), amount, kind }));
  };
  const charged = entries.reduce((sum, { amount }) => sum + amount, 0n);
  if (faults.namedDiscount > 0) addOther('discount', 'discount', (-charged * BigInt(faults.namedDiscount)) / 100n);
  if (faults.tax) addOther('tax', 'tax', (charged * 19n) / 100n);
  if (faults.credit) addOther('credit', 'credit', -picos('25'));
  const known = new Map(models.filter(({ isUnpriced }) => !isUnpriced).map((one) => [one.model, one.rates]));
  return {
    range,
    usage,
    entries,
    expected,
    priced: models.filter(({ isUnpriced }) => !isUnpriced).map(({ provider, model }) => ({ provider, model })),
    ratesOf: (_provider, model) => {
      const found = known.get(model);
      return found && toListRates(found);
    },
  };
}

function toListRates(rates: Rates): ListRates {
  const [input, cacheRead, output] = rates.map((rate) => rate * 1_000_000n);
  const none = Object.fromEntries(usageBuckets.map((bucket) => [bucket, null])) as ListRates['perMtok'];
  return {
    perMtok: { ...none, input: input ?? null, cacheRead: cacheRead ?? null, output: output ?? null },
    perRequest: null,
    units: new Map(),
  };
}

/** The same world after the override and a reprice of all days. */
export function reprice(world: World, override: OverrideWire): World {
  const rateOf: Readonly<Record<(typeof buckets)[number], number>> = {
    input: override.input_per_mtok,
    cacheRead: override.cache_read_per_mtok ?? override.input_per_mtok,
    output: override.output_per_mtok,
  };
  return {
    ...world,
    usage: world.usage.map((record) => {
      const day = toDay(record.day);
      const isMeant =
        record.model === override.model &&
        (override.provider === undefined || override.provider === record.provider) &&
        day >= override.effective_from &&
        (override.effective_to === undefined || day <= override.effective_to);
      if (!isMeant) return record;
      const cost = buckets.reduce(
        (sum, bucket) =>
          sum + ((record.tokens[usageBuckets.indexOf(bucket)] ?? 0n) * picos(rateOf[bucket])) / 1_000_000n,
        0n,
      );
      return { ...record, cost };
    }),
  };
}
