import fc from 'fast-check';
import { expect, test } from 'vitest';
import { askWaste, causes, type WasteCause } from '../api/D23-waste/support.ts';
import { allCalls } from '../support/calls.ts';
import { type Json, sharedFarthing } from '../support/client.ts';
import { quotient } from '../support/decimal.ts';
import { checkCases } from '../support/random-cases.ts';

const farthing = sharedFarthing();

/** Picodollars for a token. Three have a price for cached input; m4 is the dearest. */
const prices: Readonly<Record<string, { input: bigint; cacheRead: bigint; cacheWrite: bigint; output: bigint }>> = {
  m1: { input: 10_000_000n, cacheRead: 1_000_001n, cacheWrite: 12_500_000n, output: 30_000_000n },
  m2: { input: 3_000_007n, cacheRead: 3_000_007n, cacheWrite: 3_000_007n, output: 15_000_000n },
  m3: { input: 700_000n, cacheRead: 70_003n, cacheWrite: 700_000n, output: 2_000_000n },
  m4: { input: 20_000_000n, cacheRead: 2_000_000n, cacheWrite: 20_000_000n, output: 60_000_000n },
};
const alternatives: Readonly<Record<string, string>> = { m1: 'm3', m3: 'm4', m4: 'm2' };
const perMtok = (price: bigint) => Number(price) / 1_000_000;

interface Call {
  readonly id: string;
  readonly timeMs: number;
  readonly run: string;
  readonly feature: string;
  readonly customer: string;
  readonly provider: string;
  readonly model: string;
  readonly outcome: 'ok' | 'failed' | 'aborted' | 'both';
  readonly input: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
}

const firstMs = Date.parse('2024-05-14T23:40:00Z');

/** Steps of 50 s around midnight, so that many calls are exactly 5 minutes apart, or at the same time. */
const call: fc.Arbitrary<Call> = fc.record({
  id: fc.uuid(),
  timeMs: fc.oneof(
    fc.integer({ min: 0, max: 40 }).map((step) => firstMs + 50_000 * step),
    fc.integer({ min: 0, max: 2_000_000 }).map((ms) => firstMs + ms),
  ),
  run: fc.constantFrom('r1', 'r2', 'r3'),
  feature: fc.constantFrom('chat', 'search'),
  customer: fc.constantFrom('acme', 'globex'),
  provider: fc.constantFrom('p1', 'p1', 'p2'),
  model: fc.constantFrom('m1', 'm1', 'm2', 'm3', 'm4'),
  outcome: fc.constantFrom('ok', 'ok', 'ok', 'failed', 'aborted', 'both'),
  input: fc.oneof(fc.constantFrom(0, 1_023, 1_024, 2_047, 2_048), fc.integer({ min: 0, max: 9_000 })),
  cached: fc.constantFrom(0, 0, 0, 512, 1_024),
  written: fc.constantFrom(0, 0, 0, 0, 300),
  output: fc.integer({ min: 0, max: 2_000 }),
});

const toEvent = (one: Call): Json => ({
  event_id: one.id,
  event_type: one.outcome === 'failed' || one.outcome === 'both' ? 'llm.error' : 'llm.after',
  timestamp: new Date(one.timeMs).toISOString(),
  model: one.model,
  provider: one.provider,
  ...(one.outcome === 'aborted' || one.outcome === 'both' ? { aborted: true } : {}),
  prompt_tokens: one.input + one.cached + one.written,
  cached_tokens: one.cached,
  cache_write_tokens: one.written,
  completion_tokens: one.output,
  tags: { run_id: one.run, feature: one.feature, customer: one.customer },
});

/** In picodollars: every price of a token is a whole number of them. */
function costOf({ input, cached, written, output }: Call, model: string): bigint {
  const price = prices[model];
  if (!price) throw new Error(`no price of ${model}`);
  return (
    BigInt(input) * price.input +
    BigInt(cached) * price.cacheRead +
    BigInt(written) * price.cacheWrite +
    BigInt(output) * price.output
  );
}

/** Of calls at the same instant, those of a run are in the order of their ids; those of a cache in that of the store. */
const byText = ({ id }: Call): string => id;
const bySecondHalf = ({ id }: Call): string => id.slice(19) + id.slice(0, 19);

/** The last call before one, among those that `matches`. */
function before(
  calls: readonly Call[],
  one: Call,
  order: (of: Call) => string,
  matches: (other: Call) => boolean,
): Call | undefined {
  const isBefore = (a: Call, b: Call) => a.timeMs < b.timeMs || (a.timeMs === b.timeMs && order(a) < order(b));
  return calls
    .filter((other) => isBefore(other, one) && matches(other))
    .reduce<Call | undefined>((last, other) => (last && isBefore(other, last) ? last : other), undefined);
}

const hasFailed = ({ outcome }: Call): boolean => outcome === 'failed' || outcome === 'both';
const promptOf = ({ input, cached, written }: Call): number => input + cached + written;
const sizeOf = (one: Call): number => Math.floor(Math.log2(promptOf(one)));

/** The cause and the amount of one call among all, by their definitions, in picodollars. */
function judge(one: Call, calls: readonly Call[]): { cause: WasteCause | undefined; amount: bigint } {
  const cost = costOf(one, one.model);
  if (hasFailed(one)) return { cause: 'failed', amount: cost };
  const step = before(
    calls,
    one,
    byText,
    (other) => other.run === one.run && other.feature === one.feature && other.model === one.model,
  );
  if (step && hasFailed(step)) return { cause: 'retried', amount: cost };
  if (one.outcome === 'aborted') return { cause: 'aborted', amount: cost };
  const prompt = before(
    calls,
    one,
    bySecondHalf,
    (other) =>
      promptOf(other) >= 1_024 &&
      sizeOf(other) === sizeOf(one) &&
      other.provider === one.provider &&
      other.model === one.model &&
      other.feature === one.feature,
  );
  const price = prices[one.model];
  const saved = price ? BigInt(one.input) * (price.input - price.cacheRead) : 0n;
  const isCacheable = promptOf(one) >= 1_024 && one.cached === 0 && one.written === 0 && saved > 0n;
  if (isCacheable && prompt && one.timeMs - prompt.timeMs <= 300_000) return { cause: 'uncached_input', amount: saved };
  const other = alternatives[one.model];
  const cheaper = other === undefined ? 0n : cost - costOf(one, other);
  return cheaper > 0n ? { cause: 'dearer_model', amount: cheaper } : { cause: undefined, amount: 0n };
}

const dollar = 10n ** 12n;
const filters: readonly (readonly [Json, (one: Call) => boolean])[] = [
  [{}, () => true],
  [{ customers: ['acme'] }, ({ customer }) => customer === 'acme'],
  [{ features: ['chat'], models: ['m1', 'm4'] }, ({ feature, model }) => feature === 'chat' && /m[14]/.test(model)],
  [{ providers: ['p2'] }, ({ provider }) => provider === 'p2'],
];

test('D23: a call is in one cause, each cause is what its definition says to the last digit, and lists are its calls', async () => {
  await checkCases(
    [fc.uniqueArray(call, { minLength: 1, maxLength: 60, selector: ({ id }) => id }), fc.constantFrom(...filters)],
    25,
    async (calls, [asked, selects]) => {
      const project = await farthing.createProject();
      for (const [model, { input, cacheRead, cacheWrite, output }] of Object.entries(prices)) {
        await project.addPrice({
          model,
          input_per_mtok: perMtok(input),
          cache_read_per_mtok: perMtok(cacheRead),
          cache_write_per_mtok: perMtok(cacheWrite),
          output_per_mtok: perMtok(output),
        });
      }
      await project.post(...calls.map(toEvent));
      const body = { date_from: '2024-05-14', date_to: '2024-05-15', ...asked, alternatives };
      const waste = await askWaste(project, body);

      const judged = calls.filter(selects).map((one) => ({ one, ...judge(one, calls) }));
      const total = judged.reduce((sum, { one }) => sum + costOf(one, one.model), 0n);
      const sumOf = (of: typeof judged) => of.reduce((sum, { amount }) => sum + amount, 0n);
      // Not upper bounds: they may be no waste at all.
      const exact = judged.filter(({ cause }) => cause === 'failed' || cause === 'aborted');
      const share = (amount: bigint) => (total === 0n ? 0 : quotient(amount, total));
      expect(waste).toMatchObject({
        total_cost: quotient(total, dollar),
        calls: judged.length,
        wasted: quotient(sumOf(exact), dollar),
        wasted_at_most: quotient(sumOf(judged), dollar),
        share: share(sumOf(exact)),
      });
      expect(sumOf(judged)).toBeLessThanOrEqual(total);
      const listed: string[] = [];
      for (const cause of causes) {
        const own = judged.filter((each) => each.cause === cause);
        expect(waste.rows.find((row) => row.cause === cause)).toMatchObject({
          calls: own.length,
          amount: quotient(sumOf(own), dollar),
          share: share(sumOf(own)),
        });
        const rows = await allCalls(project, { ...body, waste: [cause] });
        expect(rows.map(({ event_id: id }) => id).toSorted()).toEqual(own.map(({ one }) => one.id).toSorted());
        listed.push(...rows.map(({ event_id: id }) => id));
      }
      expect(new Set(listed).size).toBe(listed.length);
    },
  );
});
