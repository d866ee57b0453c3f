import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dollar, type Money, parseMoney, parseWideMoney, type WideMoney } from '../../src/lib/money.ts';
import { AnswerTooLarge } from '../../src/lib/problem.ts';
import { runAtOnce } from '../../src/lib/slices.ts';
import {
  type BurnDown,
  type CreditTerms,
  calcBurnDown,
  calcEarliestStart,
  coveredShares,
  type DailyGross,
} from '../../src/reports/facts/burn-down.ts';

const whole = 10n ** 18n;
const usd = (amount: string): Money => parseMoney(amount) ?? 0n;

const grant = (id: string, fields: Partial<CreditTerms> = {}): CreditTerms => ({
  id,
  provider: 'openai',
  models: null,
  amount: usd('1'),
  startsOn: '2024-03-01',
  expiresOn: null,
  priority: 0,
  ...fields,
});
const cost = (day: string, model: string, amount: string, provider = 'openai'): DailyGross => ({
  day,
  provider,
  model,
  cost: usd(amount),
});

const burnDownOf = (grants: readonly CreditTerms[], costs: readonly DailyGross[]): BurnDown =>
  runAtOnce(calcBurnDown(grants, costs));

/** Covers costs, and says which share of each: day, provider and model → decimal text, what is not covered left out. */
function shareOut(grants: readonly CreditTerms[], costs: readonly DailyGross[]) {
  const burnDown = burnDownOf(grants, costs);
  const shares: Record<string, string> = {};
  for (const row of costs) {
    const covered = coveredShares(burnDown)(row);
    if (covered > 0n) shares[nameOf(row)] = covered === whole ? '1' : `0.${String(covered).padStart(18, '0')}`;
  }
  return { ...burnDown, shareOf: shares };
}

const nameOf = ({ day, provider, model }: DailyGross) => `${day} ${provider} ${model}`;

const usedBy = ({ uses }: BurnDown, id: string): WideMoney => uses.get(id)?.total ?? -1n;
const usedOn = ({ uses }: BurnDown, id: string, day: string): WideMoney | undefined => uses.get(id)?.byDay.get(day);

test('D7.2: the example of the README', () => {
  const burnDown = shareOut(
    [
      grant('A', { provider: 'OpenAI', models: ['gpt-5*'], amount: usd('9'), expiresOn: '2024-03-31' }),
      grant('B', { amount: usd('20') }),
      grant('C', { amount: usd('12'), startsOn: '2024-03-02', priority: 1 }),
    ],
    [
      cost('2024-03-01', 'gpt-5-mini', '4'),
      cost('2024-03-01', 'gpt-5', '8'),
      cost('2024-03-01', 'o3', '6'),
      cost('2024-03-01', 'claude', '5', 'anthropic'),
      cost('2024-03-02', 'gpt-5', '16'),
      cost('2024-03-02', 'o3', '6'),
      cost('2024-03-03', 'gpt-5', '1'),
      cost('2024-03-03', 'o3', '2'),
    ],
  );
  expect(burnDown.shareOf).toEqual({
    '2024-03-01 openai gpt-5-mini': '1',
    '2024-03-01 openai gpt-5': '1',
    '2024-03-01 openai o3': '1',
    '2024-03-02 openai gpt-5': '1',
    '2024-03-02 openai o3': '1',
    '2024-03-03 openai gpt-5': '0.333333333333333333',
    '2024-03-03 openai o3': '0.333333333333333333',
  });
  expect(usedOn(burnDown, 'A', '2024-03-01')).toBe(parseWideMoney('9'));
  expect(usedOn(burnDown, 'B', '2024-03-01')).toBe(parseWideMoney('9'));
  expect(usedOn(burnDown, 'B', '2024-03-02')).toBe(parseWideMoney('11'));
  expect(usedOn(burnDown, 'C', '2024-03-02')).toBe(parseWideMoney('11'));
  expect(usedOn(burnDown, 'C', '2024-03-03')).toBe(parseWideMoney('0.999999999999999999'));
  expect(['A', 'B', 'C'].map((id) => usedBy(burnDown, id))).toEqual(
    ['9', '20', '11.999999999999999999'].map(parseWideMoney),
  );
  expect(burnDown.uses.get('A')?.byDay.size).toBe(1);
});

describe('D7.2: grants are used in the order', () => {
  // Each grant holds half of the day, so the two that come first are used and the last is not.
  const first = { amount: usd('1') };
  test.each([
    ['lower priority', { priority: -1 }, { priority: 0, expiresOn: '2024-03-01' }],
    [
      'sooner expiry',
      { expiresOn: '2024-03-05', startsOn: '2024-03-01' },
      { expiresOn: '2024-03-06', startsOn: '2024-02-01' },
    ],
    ['an expiry before none', { expiresOn: '2100-12-31' }, { expiresOn: null, startsOn: '2024-01-01' }],
    ['sooner start', { startsOn: '2024-02-28' }, { startsOn: '2024-03-01' }],
    ['lower id', {}, {}],
  ] satisfies [string, Partial<CreditTerms>, Partial<CreditTerms>][])('%s', (rule, sooner, later) => {
    // The ids say the opposite, except where they decide.
    const [soonerId, laterId] = rule === 'lower id' ? ['a', 'b'] : ['b', 'a'];
    const grants = [grant(soonerId, { ...first, ...sooner }), grant(laterId, { ...first, ...later })];
    for (const given of [grants, grants.toReversed()]) {
      const burnDown = shareOut(given, [cost('2024-03-01', 'm', '1')]);
      expect(usedBy(burnDown, soonerId)).toBe(parseWideMoney('1'));
      expect(usedBy(burnDown, laterId)).toBe(0n);
    }
  });
});

test.each([
  ['the day before it starts', '2024-02-29', 0n],
  ['its first day', '2024-03-01', whole],
  ['its last day', '2024-03-03', whole],
  ['the day after it expires', '2024-03-04', 0n],
])('D7.1: a grant on %s', (_name, day, covered) => {
  const { shares } = burnDownOf([grant('a', { expiresOn: '2024-03-03' })], [cost(day, 'm', '0.5')]);
  expect(shares.map((share) => share.covered)).toEqual(covered === 0n ? [] : [covered]);
});

test.each([
  ['an exact name', ['m1'], ['m1']],
  ['a prefix, which may be the whole name', ['m1*'], ['m1', 'm1-mini', 'm1*x']],
  ['names and prefixes that overlap', ['m1', 'm1-*', 'm1-mini'], ['m1', 'm1-mini']],
  ['the prefix of everything', ['*'], ['m1', 'm1-mini', 'm1*x', 'M1', '']],
  ['no models: all of them', null, ['m1', 'm1-mini', 'm1*x', 'M1', '']],
])('D7.1: models: %s', (_name, models, expected) => {
  const costs = ['m1', 'm1-mini', 'm1*x', 'M1', ''].map((model) => cost('2024-03-01', model, '0.1'));
  const { models: grouped, shareOf } = shareOut([grant('a', { models })], costs);
  expect(Object.values(shareOf)).toEqual(expected.map(() => '1'));
  expect(grouped.map(({ model }) => model).sort()).toEqual([...expected].sort());
});

test('D7.3: a provider matches without regard to case, and each spelling is covered alike', () => {
  const burnDown = shareOut(
    [grant('a', { provider: 'OpenAI' })],
    [
      cost('2024-03-01', 'm', '1', 'openai'),
      cost('2024-03-01', 'm', '3', 'OPENAI'),
      cost('2024-03-01', 'm', '3', 'open ai'),
      cost('2024-03-01', 'm', '3', ''),
    ],
  );
  expect(burnDown.shareOf).toEqual({
    '2024-03-01 openai m': '0.250000000000000000',
    '2024-03-01 OPENAI m': '0.250000000000000000',
  });
});

test('D7.2: a grant of models and one of all overlap: the second covers the same fraction of what the first left', () => {
  const burnDown = shareOut(
    [grant('a', { models: ['x'], amount: usd('5') }), grant('b', { amount: usd('5') })],
    [cost('2024-03-01', 'x', '10'), cost('2024-03-01', 'y', '5')],
  );
  expect(burnDown.shareOf).toEqual({
    '2024-03-01 openai x': '0.750000000000000000',
    '2024-03-01 openai y': '0.500000000000000000',
  });
});

test('D7.2: a model that a first grant covers whole keeps no later grant from the others', () => {
  const burnDown = shareOut(
    [grant('a', { models: ['x'], amount: usd('5') }), grant('b', { amount: usd('5') })],
    [cost('2024-03-01', 'x', '2'), cost('2024-03-01', 'y', '4')],
  );
  expect(burnDown.shareOf).toEqual({ '2024-03-01 openai x': '1', '2024-03-01 openai y': '1' });
  expect(usedBy(burnDown, 'b')).toBe(parseWideMoney('4'));
});

test('D7.3: a day that costs nothing takes no credits and has no share', () => {
  const burnDown = burnDownOf([grant('a')], [cost('2024-03-01', 'x', '0'), cost('2024-03-02', 'y', '0.25')]);
  expect(burnDown.shares.map(({ day }) => day)).toEqual(['2024-03-02']);
  expect(usedBy(burnDown, 'a')).toBe(parseWideMoney('0.25'));
});

test('D7.2: models that the same grants cover are one group, so that few parameters are bound', () => {
  const costs = ['a1', 'a2', 'b1', 'b2', 'c'].map((model) => cost('2024-03-01', model, '1'));
  const { models, shares } = burnDownOf(
    [grant('x', { models: ['a*', 'b*'] }), grant('y', { models: ['b*'], amount: usd('3') })],
    costs,
  );
  expect(new Set(models.map(({ model, group }) => `${model[0]} ${group}`)).size).toBe(2);
  expect(models).toHaveLength(4);
  expect(shares).toHaveLength(2);
});

test('a model is in its group once, however many days it has, and whatever else its provider has', () => {
  const costs = ['2024-03-01', '2024-03-02'].flatMap((day) => ['x', 'y', 'x'].map((model) => cost(day, model, '0.1')));
  expect(burnDownOf([grant('a')], costs).models).toEqual([
    { provider: 'openai', model: 'x', group: 1 },
    { provider: 'openai', model: 'y', group: 1 },
  ]);
});

test('D7.2: other grants make another group, also where their ids run together', () => {
  const grants = ['a', 'bc'].map((id) => grant(id, { models: ['x'] }));
  const others = ['ab', 'c'].map((id) => grant(id, { models: ['y'], amount: usd('0.5') }));
  const burnDown = shareOut([...grants, ...others], [cost('2024-03-01', 'x', '2'), cost('2024-03-01', 'y', '2')]);
  expect(burnDown.shareOf).toEqual({ '2024-03-01 openai x': '1', '2024-03-01 openai y': '0.500000000000000000' });
});

test('D7.2: costs decide from the earliest start of a grant on', () => {
  const starts = ['2024-03-02', '2023-12-31', '2024-01-01'];
  expect(calcEarliestStart(starts.map((startsOn, index) => grant(`${index}`, { startsOn })))).toBe('2023-12-31');
  expect(calcEarliestStart([])).toBeUndefined();
});

test('D7.3: without grants nothing is covered, and a grant without costs is not used', () => {
  expect(burnDownOf([], [cost('2024-03-01', 'x', '1')])).toEqual({
    models: [],
    shares: [],
    uses: new Map(),
  });
  expect(burnDownOf([grant('a')], [])).toEqual({
    models: [],
    shares: [],
    uses: new Map([['a', { total: 0n, byDay: new Map() }]]),
  });
});

test('D7.3: the smallest grant and the largest day stay exact', () => {
  const burnDown = shareOut([grant('a', { amount: 1n })], [cost('2024-03-01', 'x', '3000000')]);
  // 1e-12 of 3e6 is 3.33e-19: less than the last digit of a share.
  expect(burnDown.shareOf).toEqual({});
  expect(usedBy(burnDown, 'a')).toBe(0n);
});

describe('D7.3: laws, for any grants and costs', () => {
  const days = ['2024-03-01', '2024-03-02', '2024-03-03', '2024-03-04'];
  const day = fc.constantFrom(...days);
  const provider = fc.constantFrom('p', 'P', 'q');
  const model = fc.constantFrom('m', 'm1', 'm1-mini', 'n');
  const pattern = fc.constantFrom('m', 'm*', 'm1*', 'n', '*');
  const amount = fc.oneof(
    fc.bigInt({ min: 1n, max: 20n }),
    fc.bigInt({ min: 1n, max: 20n }).map((units) => units * dollar),
    fc.bigInt({ min: 1n, max: 30n * dollar }),
  );
  const grants = fc
    .array(
      fc.record({
        provider,
        models: fc.option(fc.uniqueArray(pattern, { minLength: 1, maxLength: 3 })),
        amount,
        startsOn: day,
        expiresOn: fc.option(day),
        priority: fc.integer({ min: -1, max: 1 }),
      }),
      { maxLength: 6 },
    )
    .map((list) => list.map((fields, index): CreditTerms => ({ id: `g${index}`, ...fields })));
  const costs = fc.uniqueArray(fc.record({ day, provider, model, cost: fc.oneof(fc.constant(0n), amount) }), {
    maxLength: 24,
    selector: (row) => `${row.day} ${row.provider} ${row.model}`,
  });

  const isValid = ({ startsOn, expiresOn }: CreditTerms, on: string) =>
    startsOn <= on && (expiresOn === null || on <= expiresOn);
  const isEligible = ({ provider: of, models }: CreditTerms, row: DailyGross) =>
    of.toLowerCase() === row.provider.toLowerCase() &&
    (models === null || models.some((name) => new RegExp(`^${name.replace('*', '.*')}$`).test(row.model)));
  const isSooner = (a: CreditTerms, b: CreditTerms) => {
    const key = (g: CreditTerms) => [String(g.priority + 5), g.expiresOn ?? '9', g.startsOn, g.id].join(' ');
    return key(a) < key(b);
  };

  test('shares are above 0 and at most 1, and only what a valid grant is for has one', () => {
    fc.assert(
      fc.property(grants, costs, (terms, rows) => {
        const burnDown = burnDownOf(terms, rows);
        for (const { covered } of burnDown.shares) expect(covered > 0n && covered <= whole).toBe(true);
        for (const row of rows) {
          if (coveredShares(burnDown)(row) === 0n) continue;
          expect(terms.some((g) => isValid(g, row.day) && isEligible(g, row))).toBe(true);
        }
      }),
    );
  });

  test('no grant is used for more than its amount, and all uses are the sum of cost × share', () => {
    fc.assert(
      fc.property(grants, costs, (terms, rows) => {
        const burnDown = burnDownOf(terms, rows);
        const { uses } = burnDown;
        const discounts = new Map<string, bigint>();
        for (const row of rows) {
          const discount = row.cost * coveredShares(burnDown)(row);
          if (discount > 0n) discounts.set(row.day, (discounts.get(row.day) ?? 0n) + discount);
        }
        expect([...uses.keys()].sort()).toEqual(terms.map(({ id }) => id).sort());
        const usesByDay = new Map<string, bigint>();
        for (const { id, amount: most } of terms) {
          const { total = -1n, byDay = new Map<string, bigint>() } = uses.get(id) ?? {};
          expect(total >= 0n && total <= most * whole).toBe(true);
          expect([...byDay.values()].reduce((sum, used) => sum + used, 0n)).toBe(total);
          for (const [on, used] of byDay) usesByDay.set(on, (usesByDay.get(on) ?? 0n) + used);
        }
        expect([...usesByDay].sort()).toEqual([...discounts].sort());
      }),
    );
  });

  test('the order in which grants and costs are given means nothing', () => {
    fc.assert(
      fc.property(
        grants.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        costs.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        ([terms, shuffledTerms], [rows, shuffledRows]) => {
          const one = shareOut(terms, rows);
          const other = shareOut(shuffledTerms, shuffledRows);
          expect(other.shareOf).toEqual(one.shareOf);
          for (const { id } of terms) expect(other.uses.get(id)).toEqual(one.uses.get(id));
        },
      ),
    );
  });

  test('a grant is used up, or its costs of the day are covered, before a later grant covers any of them', () => {
    fc.assert(
      fc.property(grants, costs, (terms, rows) => {
        for (const [index, sooner] of terms.entries()) {
          // What the grant covers does not depend on later ones: taken away, they leave it and its costs as they were.
          const soonerTerms = terms.filter((other) => other === sooner || isSooner(other, sooner));
          const alone = shareOut(soonerTerms, rows);
          expect(alone.uses.get(`g${index}`)).toEqual(burnDownOf(terms, rows).uses.get(`g${index}`));
          let used = 0n;
          for (const on of days.filter((d) => isValid(sooner, d))) {
            const eligible = rows.filter((row) => row.day === on && row.cost > 0n && isEligible(sooner, row));
            used += alone.uses.get(sooner.id)?.byDay.get(on) ?? 0n;
            const isAllCovered = eligible.every((row) => alone.shareOf[nameOf(row)] === '1');
            // Cutting shares off leaves less than 1e-18 of each cost.
            const dust = eligible.reduce((sum, row) => sum + row.cost, 0n);
            if (!isAllCovered) expect(sooner.amount * whole - used < dust).toBe(true);
          }
        }
      }),
    );
  });

  test('every cost that the same grants are for is covered by the same share', () => {
    fc.assert(
      fc.property(grants, costs, (terms, rows) => {
        const { shareOf } = shareOut(terms, rows);
        const byKind = new Map<string, Set<string>>();
        for (const row of rows.filter(({ cost: amountOf }) => amountOf > 0n)) {
          const kind = `${row.day} ${terms.filter((g) => isEligible(g, row)).map(({ id }) => id)}`;
          const known = byKind.get(kind) ?? new Set<string>();
          byKind.set(kind, known.add(shareOf[nameOf(row)] ?? '0'));
        }
        expect([...byKind.values()].filter(({ size }) => size > 1)).toEqual([]);
      }),
    );
  });
});

test('many grants over many days and models let others be answered, and cover each model on its day', () => {
  const numbers = Array.from({ length: 30 }, (_, number) => number);
  const grants = numbers.map((number) => grant(`g${number}`, { models: [`m${number}`], amount: usd('100') }));
  const costs = numbers.flatMap((day) =>
    numbers.map((model) => cost(`2024-03-${String(day + 1).padStart(2, '0')}`, `m${model}`, '1')),
  );
  let yields = 0;
  const work = calcBurnDown(grants, costs);
  for (let step = work.next(); !step.done; step = work.next()) yields += 1;
  expect(yields).toBeGreaterThanOrEqual(numbers.length ** 2);
  expect(burnDownOf(grants, costs).shares).toHaveLength(numbers.length ** 2);
});

test('a thousand grants of each of many models, on one day or many, are gone through in slices, and too many refused', () => {
  const grants = Array.from({ length: 1_000 }, (_, index) => grant(`g${index}`, { amount: usd('0.01') }));
  /** Each model is in a group of its own. */
  const ofOne = Array.from({ length: 300 }, (_, index) => grant(`o${index}`, { models: [`m${index}`] }));
  const costsOn = (days: number) =>
    Array.from({ length: 300 * days }, (_, index) =>
      cost(`${2024 + Math.floor(index / 300)}-03-01`, `m${index % 300}`, '1'),
    );
  let yields = 0;
  const work = calcBurnDown([...grants, ...ofOne], costsOn(1));
  for (let step = work.next(); !step.done; step = work.next()) yields += 1;
  // Finding the grants of 300 models, and sorting their costs by grant, have 300,000 steps each.
  expect(yields).toBeGreaterThan(1_000 + 300 + 2 * 140);

  const tooMany = calcBurnDown([...grants, ...ofOne], costsOn(17));
  expect(() => runAtOnce(tooMany)).toThrow(AnswerTooLarge);
});
