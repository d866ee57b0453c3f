// What holds each kind of alert, for numbers that are given.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resolveSettings } from '../../src/alerting/alerts/settings.ts';
import { findPassedBudgets } from '../../src/alerting/kinds/budget/rule.ts';
import { type DayCoverage, findCoverageDrops } from '../../src/alerting/kinds/coverage-drop/rule.ts';
import { findEndingCredits } from '../../src/alerting/kinds/credit-ending/rule.ts';
import { alertKinds } from '../../src/alerting/kinds/kinds.ts';
import {
  dropShortSilences,
  findSilence,
  type Stretch,
  usualSilenceMs,
} from '../../src/alerting/kinds/no-events/rule.ts';
import { findPriceChanges } from '../../src/alerting/kinds/price-change/rule.ts';
import { findUnpricedModels } from '../../src/alerting/kinds/unpriced-model/rule.ts';
import { findUnprofitableCustomers, resolveMonth } from '../../src/alerting/kinds/unprofitable-customer/rule.ts';
import { type Cause, identify } from '../../src/alerting/rule/cause.ts';
import { spellUsd } from '../../src/alerting/rule/wording.ts';
import { dollar } from '../../src/lib/money.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const dayAfter = (day: string, days: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);

const firing = (causes: readonly Cause[]) =>
  causes.filter(({ state }) => state === 'holds').map(({ subject }) => subject);
const lasting = (causes: readonly Cause[]) => causes.map(({ subject }) => subject);

const dollars = (amount: number) => BigInt(amount) * dollar;

test('D20.3: every kind has defaults, and a setting that several kinds have has the same bounds in each', () => {
  expect(Object.fromEntries(alertKinds.map((kind) => [kind, resolveSettings(kind, {})]))).toEqual({
    budget: { forecast: false },
    runaway: { minutes: 10, least_amount: 2, factor: 3, amount: 0 },
    anomaly: { least_amount: 5 },
    unprofitable_customer: { margin_below_pct: 0, least_cost: 1, apply_credits: false },
    unpriced_model: { days: 7, least_calls: 1 },
    price_change: { days: 7 },
    coverage_drop: { drop_points: 10, least_calls: 100 },
    credit_ending: { days: 14 },
    no_events: { factor: 1.5, least_minutes: 60 },
  });
});

test('D20.3: texts have amounts to the cent, and small ones with four digits', () => {
  const amounts = [1_234.5, 0.51174755, -0.0123456, 0];
  expect(amounts.map((amount) => spellUsd(amount))).toEqual(['$1,234.50', '$0.51', '-$0.01235', '$0.00']);
  // Beside a larger one to the cent as that is, but never as zero.
  expect([0.02145, 0.0012].map((amount) => spellUsd(amount, 22.85))).toEqual(['$0.02', '$0.0012']);
});

test('D20.3: a changed list price fires once for each model and new price, with both prices', () => {
  const change = {
    ...{ provider: 'openai', model: 'gpt', calls: 3, isInForce: false, from: undefined },
    rates: [
      { rate: 'input', before: '2.5', after: '5' },
      { rate: 'cache_read', before: null, after: '0.25' },
    ],
  };
  const [one, ...others] = findPriceChanges([change], { days: 7 });
  expect(others).toEqual([]);
  expect(one).toEqual({
    subject: { provider: 'openai', model: 'gpt', after: 'input 5, cache_read 0.25' },
    state: 'holds',
    numbers: {
      ...{ calls: 3, days: 7, in_force: false, from: null },
      rates: [
        { rate: 'input', before: 2.5, after: 5 },
        { rate: 'cache_read', before: null, after: 0.25 },
      ],
    },
    title: 'The list price of gpt has changed',
    text:
      'gpt of openai: input $5 per million tokens instead of $2.5, cache read $0.25 per million tokens instead of no price. ' +
      'The new price is not in force yet: "farthing prices update" puts the newer list prices in force. ' +
      'gpt had 3 calls in the last 7 days.',
    path: '/prices',
  });
  // From another price of before, and in force: the same cause. To another price: another cause.
  const rest = change.rates.slice(1);
  const identities = [
    change,
    { ...change, calls: 9, isInForce: true },
    { ...change, rates: [{ rate: 'input', before: '2', after: '5' }, ...rest] },
    { ...change, rates: [{ rate: 'input', before: '2.5', after: '6' }, ...rest] },
    { ...change, model: 'gpt-2' },
  ].map((changed) => findPriceChanges([changed], { days: 7 }).map(identify)[0]);
  expect(identities.slice(0, 3)).toEqual([identities[0], identities[0], identities[0]]);
  expect(new Set(identities).size).toBe(3);
});

test('D20.3: a model fires from the number of calls without a price on, and lasts until there is none', () => {
  const usage = fc.record({ calls: fc.integer({ min: 1, max: 20 }), unpriced: fc.integer({ min: 0, max: 20 }) });
  fc.assert(
    fc.property(fc.array(usage, { maxLength: 6 }), fc.integer({ min: 1, max: 10 }), (usages, least) => {
      const models = usages.map(({ calls, unpriced }, index) => ({
        model: index === 0 ? '' : `model ${index}`,
        calls,
        unpricedCalls: Math.min(calls, unpriced),
        unreportedCalls: Math.min(calls, unpriced, index),
      }));
      const found = findUnpricedModels({ models, today: '2026-03-09' }, { days: 7, least_calls: least });
      const named = (keep: (unpriced: number) => boolean) =>
        models.filter(({ unpricedCalls }) => keep(unpricedCalls)).map(({ model }) => ({ model }));
      expect(firing(found)).toEqual(named((unpriced) => unpriced >= least));
      expect(lasting(found)).toEqual(named((unpriced) => unpriced > 0));
    }),
  );
  const find = (unreportedCalls: number) =>
    findUnpricedModels(
      { models: [{ model: 'house llm', calls: 20, unpricedCalls: 12, unreportedCalls }], today: '2026-03-09' },
      { days: 7, least_calls: 1 },
    )[0];
  expect(find(5)?.text).toMatch(
    /have no price, and count as \$0\. 5 of these report no usage, which no price mends\.$/,
  );
  expect(find(12)).toMatchObject({
    title: 'Calls of house llm report no usage',
    text: 'In the last 7 days, 12 of 20 calls of house llm report no usage, and count as $0.',
  });
  expect(find(0)).toMatchObject({
    title: 'house llm has no price',
    text: 'In the last 7 days, 12 of 20 calls of house llm have no price, and count as $0.',
    path: '/calls?from=2026-03-03&to=2026-03-09&models=%5B%22house%20llm%22%5D',
    numbers: { unpriced_calls: 12, calls: 20, days: 7 },
  });
});

test('D20.3: a grant fires when its first end is within the days, and lasts three days longer', () => {
  const today = '2026-02-20';
  const offset = fc.option(fc.integer({ min: -3, max: 40 }), { nil: undefined });
  const grants = fc.array(
    fc.record({
      starts: fc.integer({ min: -20, max: 3 }),
      expires: offset,
      runsOut: offset,
      remaining: fc.constantFrom(0, 0.5, 100),
    }),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(grants, fc.integer({ min: 1, max: 30 }), (made, days) => {
      const found = findEndingCredits(
        {
          today,
          grants: made.map(({ starts, expires, runsOut, remaining }, index) => ({
            id: `grt_${index}`,
            name: null,
            provider: 'openai',
            starts_on: dayAfter(today, starts),
            expires_on: expires === undefined ? null : dayAfter(today, expires),
            runs_out_on: runsOut === undefined ? null : dayAfter(today, runsOut),
            remaining,
          })),
        },
        { days },
      );
      const within = (most: number) =>
        made.flatMap(({ starts, expires, runsOut, remaining }, index) => {
          const left = Math.min(expires ?? Number.POSITIVE_INFINITY, runsOut ?? Number.POSITIVE_INFINITY);
          return remaining > 0 && starts <= 0 && left >= 0 && left <= most ? [{ grant: `grt_${index}` }] : [];
        });
      expect(firing(found)).toEqual(within(days));
      expect(lasting(found)).toEqual(within(days + 3));
    }),
  );
});

test('D20.3: a customer fires below the margin, unless it costs next to nothing or nobody has revenue', () => {
  const row = fc.record({
    revenue: fc.integer({ min: 0, max: 40 }),
    cost: fc.integer({ min: 0, max: 40 }),
  });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 6 }), fc.integer({ min: -50, max: 60 }), (made, limit) => {
      const rows = made.map(({ revenue, cost }, index) => ({
        customer: index === 0 ? '' : `c${index}`,
        revenue,
        cost,
        margin: revenue - cost,
        // D8.2
        margin_pct: revenue > 0 ? (100 * (revenue - cost)) / revenue : cost === 0 ? 0 : -100,
      }));
      const month = { dateFrom: '2026-02-01', dateTo: '2026-02-20' };
      const found = findUnprofitableCustomers(
        { rows, month },
        { margin_below_pct: limit, least_cost: 5, apply_credits: false },
      );
      const below = (pct: number) =>
        rows.some(({ revenue }) => revenue > 0)
          ? rows
              .filter((one) => one.customer !== '' && one.cost >= 5 && one.margin_pct < pct)
              .map(({ customer }) => ({ customer }))
          : [];
      expect(firing(found)).toEqual(below(limit));
      expect(lasting(found)).toEqual(below(limit + 2));
    }),
  );
});

test('D20.3: the running month is judged from its eighth day on, and before that the last one', () => {
  expect(resolveMonth('2026-03-08')).toEqual({ dateFrom: '2026-03-01', dateTo: '2026-03-08' });
  expect(resolveMonth('2026-03-07')).toEqual({ dateFrom: '2026-02-01', dateTo: '2026-02-28' });
  expect(resolveMonth('2028-03-01')).toEqual({ dateFrom: '2028-02-01', dateTo: '2028-02-29' });
  expect(resolveMonth('2026-01-01')).toEqual({ dateFrom: '2025-12-01', dateTo: '2025-12-31' });
});

test('D20.3: a share that is lower than usual fires, and lasts until half of the drop is made up for', () => {
  const today = '2026-04-30';
  const made = fc.record({
    usual: fc.integer({ min: 20, max: 100 }),
    days: fc.integer({ min: 0, max: 28 }),
    share: fc.integer({ min: 0, max: 100 }),
    ago: fc.integer({ min: 0, max: 3 }),
    drop: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(
    fc.property(made, ({ usual, days, share, ago, drop }) => {
      const of = (day: string, pct: number): DayCoverage => ({
        day,
        calls: 1_000,
        priced: pct * 10,
        attributed: 1_000,
      });
      const history: DayCoverage[] = [
        ...Array.from({ length: days }, (_, index) => of(dayAfter(today, index - days - ago), usual)),
        of(dayAfter(today, -ago), share),
        // Too few calls to be judged.
        ...Array.from({ length: ago }, (_, index) => ({ ...of(dayAfter(today, index + 1 - ago), 0), calls: 99 })),
      ];
      const found = findCoverageDrops(
        { days: history, today, yesterday: dayAfter(today, -1) },
        { drop_points: drop, least_calls: 100 },
      );
      const fall = days < 7 ? Number.NEGATIVE_INFINITY : usual - share;
      expect(firing(found)).toEqual(fall >= drop && ago <= 1 ? [{ share: 'priced' }] : []);
      expect(lasting(found)).toEqual(fall >= drop / 2 ? [{ share: 'priced' }] : []);
    }),
  );
});

test('D20.3: a silence fires when it is longer than usual by the factor, for a project with a week of events', () => {
  const start = Date.parse('2026-03-01T00:00:00Z');
  const gaps = fc.array(fc.integer({ min: 5, max: 3_000 }), { minLength: 0, maxLength: 20 });
  fc.assert(
    fc.property(
      gaps,
      fc.integer({ min: 0, max: 9_000 }),
      fc.integer({ min: 10, max: 30 }),
      (minutes, silent, tenths) => {
        let at = start;
        const stretches = [0, ...minutes].map((gap) => {
          at += gap * minuteMs;
          const stretch = { firstMs: at, lastMs: at + minuteMs };
          at = stretch.lastMs;
          return stretch;
        });
        const factor = tenths / 10;
        const found = findSilence(
          { stretches, nowMs: at + silent * minuteMs },
          { factor, least_minutes: 60 },
          'Europe/Berlin',
        );
        const isKnown = at - start >= 7 * dayMs;
        const longest = Math.max(0, ...minutes);
        expect(found).toHaveLength(isKnown && silent >= 60 && silent > factor * longest ? 1 : 0);
      },
    ),
  );
  expect(findSilence({ stretches: [], nowMs: start }, { factor: 1, least_minutes: 15 }, 'Europe/Berlin')).toEqual([]);
});

test('D20.3: the silences that are kept between looks give the same answer as all arrivals', () => {
  const gapMinutes = fc.oneof(fc.integer({ min: 5, max: 600 }), fc.integer({ min: 5, max: 30_000 }));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(gapMinutes, fc.integer({ min: 0, max: 20_000 })), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 10, max: 30 }),
      (steps, tenths) => {
        const settings = { factor: tenths / 10, least_minutes: 60 };
        const all: Stretch[] = [];
        let kept: Stretch[] = [];
        let at = Date.parse('2026-03-01T00:00:00Z');
        for (const [gap, silent] of steps) {
          const stretch = { firstMs: at + gap * minuteMs, lastMs: at + (gap + 1) * minuteMs };
          at = stretch.lastMs;
          all.push(stretch);
          const isRecent = ({ lastMs }: Stretch) => lastMs >= at - usualSilenceMs;
          kept = dropShortSilences([...kept, stretch].filter(isRecent));
          const nowMs = at + silent * minuteMs;
          expect(findSilence({ stretches: kept, nowMs }, settings, 'Europe/Berlin')).toEqual(
            findSilence({ stretches: all.filter(isRecent), nowMs }, settings, 'Europe/Berlin'),
          );
        }
      },
    ),
  );
  const steady = Array.from({ length: 8_000 }, (_, index) => ({ firstMs: index * 300_000, lastMs: index * 300_000 }));
  expect(dropShortSilences(steady)).toHaveLength(2);
});

test('D20.1: each threshold is a cause, and so is a forecast above the amount, if it is asked for', () => {
  const budget = {
    ...({ name: 'b', period: 'week', scope: {}, each: undefined, thresholds: [50, 100], applyCredits: false } as const),
    ...{ amount: dollars(100), createdAt: 0, updatedAt: 0 },
  };
  const state = (passed: readonly number[], forecast: number | undefined) => ({
    ...{ budget, of: undefined, periodFrom: '2026-05-04', periodTo: '2026-05-10', since: undefined, passed, near: [] },
    ...{ spent: dollars(60), forecast: forecast === undefined ? undefined : dollars(forecast) },
  });
  const find = (passed: readonly number[], forecast: number | undefined, isAsked: boolean) =>
    findPassedBudgets([state(passed, forecast)], { forecast: isAsked }, 'Europe/Berlin').map((cause) => [
      cause.subject.threshold,
      cause.state,
    ]);
  expect(find([50], 120, false)).toEqual([[50, 'holds']]);
  expect(find([], undefined, true)).toEqual([]);
  expect(find([50, 100], 101, true)).toEqual([
    [50, 'holds'],
    [100, 'holds'],
    ['forecast', 'holds'],
  ]);
  expect(find([], 100, true)).toEqual([['forecast', 'lingers']]);
  expect(find([], 95, true)).toEqual([]);
  const [passed, likely] = findPassedBudgets([state([50], 120)], { forecast: true }, 'Europe/Berlin');
  expect(passed).toMatchObject({
    title: 'The budget "b" has passed 50%',
    text: '$60.00 of $100.00 is spent (60.0%), from 2026-05-04 to 2026-05-10.',
  });
  expect(likely?.text).toContain('$120.00 is spent by the end of the period; the budget is $100.00. So far $60.00');
  const [ofNone] = findPassedBudgets(
    [{ ...state([50], undefined), budget: { ...budget, each: 'customer' }, of: '' }],
    { forecast: false },
    'Europe/Berlin',
  );
  expect(ofNone?.title).toBe('The budget "b" has passed 50% for usage without a customer');
  // Times are those of the project.
  const ofHour = { ...state([50], undefined), since: Date.parse('2026-05-04T08:00:00Z') };
  const [hour] = findPassedBudgets([ofHour], { forecast: false }, 'Europe/Berlin');
  expect(hour?.text).toContain('in the hour from 2026-05-04 10:00:00 Europe/Berlin.');
});
