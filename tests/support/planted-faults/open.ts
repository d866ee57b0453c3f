import type { PlantedFault } from './planted-fault.ts';

const metrics = {
  unit: ['tests/project-metrics/keep-dearest.test.ts', 'tests/project-metrics/exposition.test.ts'],
};
const comparison = { unit: ['tests/pricing/check/compare-prices.test.ts', 'tests/pricing/check/diff-rates.test.ts'] };

/** Faults of the reads of a project by other tools, and of the check of list prices. */
export const faultsOfOpenData: readonly PlantedFault[] = [
  {
    id: 'metrics-name-the-cheapest',
    file: 'src/alerting/project-metrics/keep-dearest.ts',
    find: 'ofA.cost > ofB.cost ? -1 : 1',
    replace: 'ofA.cost > ofB.cost ? 1 : -1',
    why: 'The dearest customers have no series of their own.',
    tests: metrics,
  },
  {
    id: 'metrics-lose-the-rest',
    file: 'src/alerting/project-metrics/keep-dearest.ts',
    find: 'others.reduce((sum, [, one]) => addFigures(sum, one), noFigures)',
    replace: 'noFigures',
    why: 'The sum over the customers is less than the cost of the project.',
    tests: metrics,
  },
  {
    id: 'metrics-mix-up-other',
    file: 'src/alerting/project-metrics/exposition.ts',
    find: 'setAll(dimension, { ...restLabels, [dimension]: restValue }, rest)',
    replace: 'setAll(dimension, { [dimension]: restValue }, rest)',
    why: 'A customer called other has the cost of all that have no series.',
    tests: metrics,
  },
  {
    id: 'check-misses-unlisted-models',
    file: 'src/pricing/check/compare-prices.ts',
    find: "return [{ finding: 'missing', provider, model, rates: missing }];",
    replace: 'return [];',
    why: 'A model that the catalogue lacks is not reported.',
    tests: comparison,
  },
  {
    id: 'large-prompts-change-unseen',
    file: 'src/pricing/check/listed-rates.ts',
    find: 'addRates(rates, price, `_above_',
    replace: 'addRates(rates, price, `_from_',
    why: 'A new price for large prompts alone is not reported.',
    tests: comparison,
  },
  {
    id: 'seen-prices-are-never-newer',
    file: 'src/pricing/check/newer-catalogue.ts',
    find: 'seen.fetched_at > (inForce.fetchedAt ?? 0)',
    replace: 'seen.fetched_at < (inForce.fetchedAt ?? 0)',
    why: 'Newer list prices are fetched and compared with nothing.',
    tests: { unit: ['tests/pricing/check/catalogue-watcher.test.ts'] },
  },
  {
    id: 'price-changes-end-at-once',
    file: 'src/alerting/alerts/numbers/price-changes.ts',
    find: 'nowMs - days * dayMs',
    replace: 'nowMs',
    why: 'The alert ends as soon as the new price is in force, before anybody has seen what changed.',
    tests: { unit: ['tests/alerts/looks.test.ts'] },
  },
];
