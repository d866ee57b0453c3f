import { expect, test } from 'vitest';
import { remarkOnCliff } from '../../dashboard/src/credits/cliff-words.ts';
import { listLevers } from '../../dashboard/src/customer/levers.ts';
import { toSinceWords } from '../../dashboard/src/customer/since.ts';
import { addDays } from '../../dashboard/src/lib/days.ts';
import { toShortName } from '../../dashboard/src/lib/format.ts';
import { parseSearch } from '../../dashboard/src/state/search.ts';
import { rankCauses, remarkOnWaste, toMonthly, toWasteBody, toWastedWords } from '../../dashboard/src/waste/causes.ts';
import {
  remarkOnCustomers,
  remarkOnDays,
  remarkOnWidened,
  toAssumedWords,
  toAssumption,
} from '../../dashboard/src/what-if/assume.ts';
import { findBestCached, rankOffers } from '../../dashboard/src/what-if/offers.ts';

test('D22: the assumption of an address is what is asked, to the last digit, and is said in words', () => {
  const asked = parseSearch({ swap: { 'gpt-4o': 'gpt-5-mini' }, cached: 29, tier: 'batch' });
  const assume = toAssumption(asked);
  expect(assume).toEqual({ models: { 'gpt-4o': 'gpt-5-mini' }, cached_share: 0.29, service_tier: 'batch' });
  expect(toAssumedWords(assume ?? {})).toBe(
    'gpt-5-mini instead of gpt-4o; 29.0% of the input cached; the service tier batch',
  );
  const prices = [
    { model: 'gpt-4o', input_per_mtok: 2, output_per_mtok: 8.125, cache_read_per_mtok: null, per_request: 0.01 },
  ];
  expect(toAssumption(parseSearch({}), prices)).toEqual({ overrides: prices });
  expect(toAssumedWords({ overrides: prices })).toBe(
    'gpt-4o at $2.00 input, $8.125 output for a million tokens and $0.01 a call',
  );
  expect(toAssumption(parseSearch({}))).toBeUndefined();
  expect(toAssumption(parseSearch({ cached: 0 }))).toEqual({ cached_share: 0 });
  const odd = { swap: ['a'], cached: 101, tier: {}, waste: ['nothing'] };
  expect(parseSearch(odd)).toEqual(parseSearch({}));
  expect(parseSearch({ waste: ['aborted', 'failed', 'nothing'] }).waste).toEqual(['failed', 'aborted']);
});

test('D22: an answer says on how many days it is cheaper, and who would begin or cease to pay less than they cost', () => {
  const days = (...pairs: [before: number, after: number][]) =>
    pairs.map(([before, after], index) => ({ date: `2026-11-0${index + 1}`, before, after }));
  expect(remarkOnDays(days([2, 1], [2, 1]))).toBe('Cheaper on every day.');
  expect(remarkOnDays(days([2, 1], [2, 2]))).toBe('Cheaper on 1 of 2 days.');
  expect(remarkOnDays(days([2, 1], [2, 3], [2, 2]))).toBe('Cheaper on 1 of 3 days, more expensive on 1.');
  expect(remarkOnDays(days([2, 2]))).toBe('The same on every day.');
  expect(remarkOnDays([])).toBeUndefined();
  const customer = (name: string, margin_before: number | null, margin_after: number | null) => ({
    customer: name,
    before: 2,
    revenue: null,
    after: 1,
    margin_before,
    margin_after,
  });
  expect(remarkOnCustomers([customer('acme', -1, 1), customer('bolt', 1, -1), customer('core', 1, 1)])).toBe(
    'acme would pay more than they cost; bolt would cost more than they pay.',
  );
  expect(remarkOnCustomers(['a', 'b', 'c', 'd'].map((name) => customer(name, -1, 0)))).toBe(
    'a, b, c and 1 more would pay more than they cost.',
  );
  expect(remarkOnCustomers([customer('acme', null, null), customer('', -1, 1)])).toBeUndefined();
});

test('D22: tokens that cost what a wider kind does are named, the first three', () => {
  const row = (model: string) => ({ model, kinds: ['cache_read' as const, 'input_audio' as const], calls: 1 });
  expect(remarkOnWidened([row('gpt-4')])).toBe(
    'No price is known for cache read and input audio of gpt-4: such tokens cost what a wider kind does.',
  );
  expect(remarkOnWidened(['a', 'b', 'c', 'd'].map(row))).toContain('of c and 1 more: such');
  expect([remarkOnWidened([]), remarkOnWidened(null)]).toEqual([undefined, undefined]);
});

test('D23: a bound reads as one, and the largest cause is named where it is most of the waste', () => {
  expect(toWastedWords({ bound: 'upper', amount: 2 })).toBe('at most $2.00');
  expect(toWastedWords({ bound: 'upper', amount: 0 })).toBe('$0.00');
  expect(toMonthly(28, 28)).toBe(30);
  const swap = { 'gpt-4o': 'gpt-5-mini' };
  expect(toWasteBody({ waste: ['failed', 'dearer_model'], swap })).toEqual({
    waste: ['failed', 'dearer_model'],
    alternatives: swap,
  });
  expect(toWasteBody({ waste: ['failed', 'dearer_model'] })).toEqual({ waste: ['failed'] });
  expect(toWasteBody({ waste: ['dearer_model'] })).toEqual({});
  const row = { bound: 'exact', share: 0, definition: '' } as const;
  const waste = (failed: number, aborted: number) => ({
    total_cost: 10,
    calls: 9,
    wasted: failed + aborted,
    wasted_at_most: failed + aborted,
    share: 0.5,
    rows: [
      { ...row, cause: 'failed', calls: 1, amount: failed } as const,
      { ...row, cause: 'aborted', calls: 2, amount: aborted } as const,
    ],
  });
  expect(remarkOnWaste(waste(3, 1))).toBe('Failed calls: $3.00 in 1 call, 75.0% of the waste of all causes, $4.00.');
  expect(remarkOnWaste({ ...waste(3, 1), wasted: 1 })).toContain('75.0% of the waste of all causes, at most $4.00.');
  expect(remarkOnWaste(waste(0, 1))).toBe('Answers not read to their end: $1.00 in 2 calls, all of the waste.');
  expect(rankCauses(waste(1, 2).rows).map(({ cause }) => cause)).toEqual(['aborted', 'failed']);
  expect(remarkOnWaste(waste(0, 0))).toBeUndefined();
});

test('D25: the end of the credits says the margins before and after it, and how many customers turn', () => {
  const side = (margin_pct: number) => ({
    revenue: 10,
    cost: 10 - margin_pct / 10,
    margin: margin_pct / 10,
    margin_pct,
  });
  const cliff = (turns: boolean[], credits_left = 5, ends_on: string | null = '2026-12-03') => ({
    date_from: '2026-10-28',
    date_to: '2026-11-24',
    credits_left,
    ends_on,
    now: side(61.4),
    after: side(40),
    customers: turns.map((turn, index) => ({
      customer: `c${index}`,
      turns: turn,
      turns_on: null,
      now: side(1),
      after: side(1),
    })),
    others: { count: 5, turns: turns.length - 1, now: side(1), after: side(1) },
  });
  expect(remarkOnCliff(cliff([true, false]))).toBe(
    'From 3 Dec 2026 on, the margin falls from 61.4% to 40.0%, and 2 customers turn unprofitable.',
  );
  expect(remarkOnCliff(cliff([false], 5, null))).toBe(
    'When the credits end, the margin falls from 61.4% to 40.0%, and no customer turns unprofitable.',
  );
  expect(remarkOnCliff(cliff([true], 0))).toBeUndefined();
});

test('D25: a customer’s page says since when the customer pays more or less than it costs', () => {
  const weeks = (...margins: number[]) =>
    margins.map((margin, index) => ({
      date_from: addDays('2026-10-05', 7 * index),
      date_to: addDays('2026-10-11', 7 * index),
      revenue: margin === 0 ? 0 : 10,
      cost: margin === 0 ? 0 : 10 - margin,
    }));
  expect(toSinceWords(weeks(0, 1, 1, -1, -2, 0))).toBe('has cost more than it pays since the week of 26 Oct 2026');
  expect(toSinceWords(weeks(-1, 1, 1))).toBe('has paid more than it costs since the week of 12 Oct 2026');
  expect(toSinceWords(weeks(1, 1, 0))).toBe('pays more than it costs, in each of 2 weeks');
  expect(toSinceWords(weeks(0, 0))).toBe('');
  // A week that is not over says nothing, unless there is no other.
  const running = { date_from: '2026-10-26', date_to: '2026-10-26', revenue: 2, cost: 1 };
  expect(toSinceWords([...weeks(-1, -1, -1), running])).toBe('costs more than it pays, in each of 3 weeks');
  expect(toSinceWords([running])).toBe('pays more than it costs');
  // A single whole week before it may be of another kind.
  expect(toSinceWords([...weeks(-1), running])).toBe('cost more than it paid in the week of 5 Oct 2026');
});

test('D25: a customer’s page says what would change its margin: its price, its dearest model, the credits', () => {
  const days = 30;
  const facts = { name: 'acme', revenue: 60, cost: 48, days, wantedPct: 40, cliff: undefined };
  const models = [
    { name: 'gpt-5-mini', cost: 10 },
    { name: 'gpt-4o', cost: 38 },
  ];
  expect(listLevers({ ...facts, models })).toEqual([
    {
      id: 'price',
      title: 'What it pays',
      text: 'It pays $60.00 and costs $48.00 a month. A margin of 40.0% needs $80.00 a month.',
    },
    {
      id: 'model',
      title: 'The model',
      text: 'gpt-4o is 79.2% of the cost: $38.00 on these days.',
      model: 'gpt-4o',
    },
  ]);
  expect(listLevers({ ...facts, wantedPct: null, models: [] })).toEqual([
    expect.objectContaining({
      text: 'It pays $60.00 and costs $48.00 a month. It may cost $12.00 more a month with no loss.',
    }),
  ]);
  const long = `model-${'a'.repeat(200)}`;
  expect(
    listLevers({ ...facts, revenue: 0, wantedPct: null, models: [{ name: long, cost: 1 }] }).map(({ text }) => text),
  ).toEqual([
    'It pays $0.00 and costs $48.00 a month. Breaking even needs $48.00 a month.',
    `${toShortName(long)} is all of the cost: $1.00 on these days.`,
  ]);
  expect(listLevers({ ...facts, cost: 0, models: [{ name: 'free', cost: 0 }] })).toEqual([]);
  const side = (cost: number) => ({ revenue: 60, cost, margin: 60 - cost, margin_pct: (100 * (60 - cost)) / 60 });
  const whole = { now: side(30), after: side(48) };
  const toText = (turns: boolean, turns_on: string | null) =>
    listLevers({
      ...facts,
      models: [],
      cliff: {
        ...whole,
        date_from: '2026-10-28',
        date_to: '2026-11-24',
        credits_left: 9,
        ends_on: '2026-12-03',
        customers: [{ customer: 'acme', turns, turns_on, ...whole }],
        others: { count: 0, turns: 0, ...whole },
      },
    }).find(({ id }) => id === 'credits')?.text;
  expect(toText(false, null)).toBe(
    'They paid $18.00 of its cost on these days. From 3 Dec 2026 on, its margin is 20.0% instead of 50.0%.',
  );
  expect(toText(true, '2026-12-01')).toBe(
    'They paid $18.00 of its cost on these days. From 1 Dec 2026 on, it costs more than it pays.',
  );
});

test('D22: the feature with most of its input cached is an example, unless it has little input', () => {
  const features = [
    { name: 'agent', input: 40, cached: 60 },
    { name: 'chat', input: 90, cached: 10 },
    { name: 'tiny', input: 1, cached: 9 },
    { name: '', input: 0, cached: 100 },
  ];
  expect(findBestCached(features)).toEqual({ name: 'agent', share: 0.6 });
  expect(findBestCached([{ name: 'chat', input: 90, cached: 0 }])).toBeUndefined();
  const offer = { title: 'a', assume: {} };
  expect(
    rankOffers([
      { ...offer, id: 'dearer', before: 1, after: 2 },
      { ...offer, id: 'less', before: 3, after: 1 },
      { ...offer, id: 'least', before: 9, after: 1 },
      { ...offer, id: 'same', before: 1, after: 1 },
    ]).map(({ id }) => id),
  ).toEqual(['least', 'less']);
});
