import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mostSeries, projectMetrics, writeExposition } from '../../src/alerting/project-metrics/exposition.ts';
import { type Figures, noFigures } from '../../src/alerting/project-metrics/figures.ts';
import type { ProjectFigures, SpanFigures } from '../../src/alerting/project-metrics/read-figures.ts';
import { parseMoney, widen } from '../../src/lib/money.ts';
import { usualOrLong } from '../support/effort.ts';
import { readExposition, samplesOf } from '../support/exposition.ts';

const project = { id: 'prj_1', name: 'a "name"\\', timezone: 'Europe/Berlin' };
const costing = (usd: string): Figures => ({ ...noFigures, cost: widen(parseMoney(usd) ?? 0n), calls: 1 });

const nothing: SpanFigures = {
  total: noFigures,
  of: { customer: new Map(), feature: new Map(), model: new Map() },
};
const ofCustomers = (customers: ReadonlyMap<string, Figures>): ProjectFigures => ({
  spans: { today: { ...nothing, of: { ...nothing.of, customer: customers } }, month: nothing },
  budgets: [],
});

const write = async (figures: ProjectFigures, isOpenMetrics = false) => {
  const { text } = await writeExposition(project, figures, { isOpenMetrics });
  return readExposition(text, { isOpenMetrics });
};

const name = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', 'n', ',', '{', '}', '=', ' ', '#', '\r'), maxLength: 12 }),
  fc.constantFrom(
    'other',
    'rest',
    'other,aggregate:rest',
    'aggregate:rest,other',
    'customer:other',
    '__name__',
    '# EOF',
  ),
);

test('D24.4: any name is read back as it was, in both formats, and none is mixed up with another or with the rest', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(name, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      async (names, isOpenMetrics) => {
        const customers = new Map(names.map((one, index) => [one, costing(`${index + 1}.25`)]));
        // These are dearer than the names, so that some names are in the rest.
        const free = mostSeries - Math.ceil(names.length / 2);
        for (let index = 0; index < free; index += 1) customers.set(`filler ${index}`, costing('1000'));
        const samples = samplesOf(
          await write(ofCustomers(customers), isOpenMetrics),
          'farthing_customer_cost_today_usd',
        );

        const named = samples.filter(({ labels }) => labels.aggregate === undefined);
        const rest = samples.filter(({ labels }) => labels.aggregate !== undefined);
        expect(named.length).toBe(Math.min(customers.size, mostSeries));
        for (const { labels, value } of named) {
          expect(Object.keys(labels)).toEqual(['customer']);
          expect(customers.get(labels.customer ?? '')).toEqual(costing(String(value)));
        }
        const kept = new Set(named.map(({ labels }) => labels.customer));
        const others = names.flatMap((one, index) => (kept.has(one) ? [] : [index + 1.25]));
        expect(rest).toEqual(
          others.length === 0
            ? []
            : [
                {
                  name: 'farthing_customer_cost_today_usd',
                  labels: { aggregate: 'rest', customer: 'other' },
                  value: others.reduce((total, one) => total + one, 0),
                },
              ],
        );
      },
    ),
    { numRuns: usualOrLong(25, 200) },
  );
});

test('D24.4: the rest is the exact sum, which adding up doubles would miss', async () => {
  const cents = new Map(Array.from({ length: 110 }, (_, index) => [`c${index}`, costing('0.1')]));
  const samples = samplesOf(await write(ofCustomers(cents)), 'farthing_customer_cost_today_usd');
  expect(samples.find(({ labels }) => labels.aggregate === 'rest')?.value).toBe(1);
});

test('D24.4: the answer has every metric of the list, with its help, and no other', async () => {
  const families = await write(ofCustomers(new Map()));
  expect([...families.values()].map(({ name: metric, type, help }) => [metric, type, help])).toEqual(
    projectMetrics.map(({ name: metric, help }) => [metric, 'gauge', help]),
  );
  expect(samplesOf(families, 'farthing_project_info')).toEqual([
    {
      name: 'farthing_project_info',
      labels: { id: 'prj_1', name: 'a "name"\\', timezone: 'Europe/Berlin' },
      value: 1,
    },
  ]);
});
