// Which unusual costs fire, as which cause, and how they are explained.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Anomaly } from '../../src/alerting/kinds/anomaly/anomaly.ts';
import { type Changes, explain, weekBefore } from '../../src/alerting/kinds/anomaly/explanation.ts';
import {
  asFired,
  findUnusualCosts,
  type NamedAnomalies,
  type SeriesName,
} from '../../src/alerting/kinds/anomaly/rule.ts';
import type { Subject } from '../../src/alerting/rule/cause.ts';
import { dollar } from '../../src/lib/money.ts';

const dayMs = 24 * 3_600_000;
const dayAfter = (day: string, days: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);

const dollars = (amount: number) => BigInt(amount) * dollar;

test('D20.4: unusual costs fire while they may go on, from the day on which they are watched', () => {
  const anomaly = fc.record({
    kind: fc.constantFrom('jump', 'drop', 'small', 'new'),
    from: fc.integer({ min: 1, max: 9 }),
    length: fc.integer({ min: 1, max: 3 }),
    isOpen: fc.boolean(),
  });
  const dayAt = (number: number) => `2026-05-0${number}`;
  const name = fc.constantFrom<SeriesName>(
    { dimension: 'project' },
    { dimension: 'customer', value: 'acme' },
    { dimension: 'model', value: '' },
  );
  fc.assert(
    fc.property(
      fc.array(fc.record({ name, anomaly }), { maxLength: 5 }),
      fc.integer({ min: 1, max: 9 }),
      (made, since) => {
        const unusual = { cost: dollars(90), expected: dollars(30), spread: dollars(2), weeks: 8 };
        const series = made.map((one) => ({
          name: one.name,
          anomalies: [
            {
              kind: one.anomaly.kind,
              from: dayAt(one.anomaly.from),
              isOpen: one.anomaly.isOpen,
              days: Array.from({ length: one.anomaly.length }, (_, index) => ({
                day: dayAfter(dayAt(one.anomaly.from), index),
                ...unusual,
              })),
            } satisfies Anomaly,
          ],
        }));
        const shown = made.filter(({ anomaly: { kind, from, isOpen } }) => kind !== 'small' && isOpen && from >= since);
        const found = findUnusualCosts(series, dayAt(since));
        expect(found.map(({ cause }) => cause.subject)).toEqual(
          shown.map(({ name: of, anomaly: { kind, from } }) => ({
            ...(of.dimension !== 'project' && { [of.dimension]: of.value }),
            kind,
            from: dayAt(from),
          })),
        );
        // Told of the project alone, when that is as unusual on one of the same days.
        const isUp = ({ anomaly: { kind } }: (typeof made)[number]) => kind !== 'drop';
        const lastOf = ({ anomaly: { from, length } }: (typeof made)[number]) => from + length - 1;
        expect(found.map(({ cause }) => cause.state)).toEqual(
          shown.map((one) =>
            one.name.dimension !== 'project' &&
            shown.some(
              (whole) =>
                whole.name.dimension === 'project' &&
                isUp(whole) === isUp(one) &&
                whole.anomaly.from <= lastOf(one) &&
                one.anomaly.from <= lastOf(whole),
            )
              ? 'lingers'
              : 'holds',
          ),
        );
      },
    ),
  );
});

test('D20.4: a late cost that moves the first day of what has fired makes no other cause', () => {
  const jump = (customer: string, from: string, days: number): [NamedAnomalies] => [
    {
      name: { dimension: 'customer', value: customer },
      anomalies: [
        {
          kind: 'jump',
          from,
          isOpen: true,
          days: Array.from({ length: days }, (_, index) => ({
            ...{ day: dayAfter(from, index), cost: dollars(40), expected: dollars(10), spread: dollars(1), weeks: 8 },
          })),
        },
      ],
    },
  ];
  const subjectsOf = (series: readonly NamedAnomalies[], open: readonly Subject[]) =>
    asFired(findUnusualCosts(series, '2026-05-01'), open).map(({ cause }) => cause.subject);
  const fired = { customer: 'acme', kind: 'jump', from: '2026-05-10' };
  expect(subjectsOf(jump('acme', '2026-05-09', 2), [fired])).toEqual([fired]);
  expect(subjectsOf(jump('acme', '2026-05-11', 1), [fired])).toEqual([fired]);
  // Another name, kind or time is another cause.
  const other = { ...fired, from: '2026-05-20' };
  expect(subjectsOf(jump('acme', '2026-05-20', 1), [fired])).toEqual([other]);
  expect(subjectsOf(jump('acme', '2026-05-20', 1), [{ ...fired, kind: 'drop', from: '2026-05-19' }])).toEqual([other]);
  expect(subjectsOf(jump('globex', '2026-05-10', 1), [fired])).toEqual([{ ...fired, customer: 'globex' }]);
});

test('D20.4: an explanation has the largest changes in the direction of the cost, and no others', () => {
  const ofProject: NamedAnomalies = {
    name: { dimension: 'project' },
    anomalies: [
      {
        kind: 'drop',
        from: '2026-05-05',
        isOpen: true,
        days: [{ day: '2026-05-05', cost: dollars(10), expected: dollars(40), spread: dollars(1), weeks: 8 }],
      },
    ],
  };
  const [unusual] = findUnusualCosts([ofProject], '2026-05-01');
  if (!unusual) throw new Error('there is an unusual cost');
  const { anomalies } = ofProject;
  const [ofNone] = findUnusualCosts([{ name: { dimension: 'customer', value: '' }, anomalies }], '2026-05-01');
  expect(ofNone?.cause.title).toBe('Usage without a customer costs less than usual');
  expect(weekBefore(unusual)).toEqual({ dateFrom: '2026-04-28', dateTo: '2026-04-28' });
  const row = (amount: number) => ({ difference: amount });
  const changes: Changes = {
    before_from: '2026-04-28',
    before_to: '2026-04-28',
    difference: -30,
    by_customer: {
      rows: [
        { customer: 'acme', ...row(-40) },
        { customer: 'zed', ...row(15) },
        { customer: '', ...row(-5) },
      ],
      causes: [
        { cause: 'calls', amount: -50 },
        { cause: 'prices', amount: 20 },
      ],
    },
    by_model: { rows: [{ model: 'm', ...row(-30) }] },
    by_feature: { rows: [] },
  };
  const cause = explain(unusual, changes);
  expect(cause.numbers.explanation).toEqual({
    before_from: '2026-04-28',
    before_to: '2026-04-28',
    difference: -30,
    causes: [{ cause: 'calls', amount: -50 }],
    customers: [
      { customer: 'acme', difference: -40 },
      { customer: '', difference: -5 },
    ],
    models: [{ model: 'm', difference: -30 }],
    features: [],
  });
  expect(cause.text).toBe(
    'On 2026-05-05, the project cost $10.00; $40.00 was expected. It comes from fewer calls. The largest changes from a week before: acme (-$40.00), m (-$30.00).',
  );
  // What has become less explains no rise.
  expect(explain({ ...unusual, direction: 'up' }, changes)).toEqual(unusual.cause);
});
