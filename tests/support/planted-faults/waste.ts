import type { PlantedFault } from './planted-fault.ts';

const byExample = { 'api-sqlite': ['tests/api/D23-waste/200.test.ts'] };

export const faultsOfWaste: readonly PlantedFault[] = [
  {
    id: 'every-later-call-is-a-retry',
    file: 'src/reports/waste/rules.ts',
    find: 'WHERE is_after_failed AND NOT failed',
    replace: 'WHERE NOT failed',
    why: 'The steps of a run before and after a failure count as the attempt again.',
    tests: byExample,
  },
  {
    id: 'cached-input-could-have-been-cached',
    file: 'src/reports/waste/rules.ts',
    find: 'WHERE cached = 0 AND ms',
    replace: 'WHERE ms',
    why: 'Calls that read from the cache count as uncached.',
    tests: byExample,
  },
  {
    id: 'unused-credits-end',
    file: 'src/billing/credits/grant-end.ts',
    find: 'used > 0 && remaining > 0',
    replace: 'remaining > 0',
    why: 'Credits that pay for nothing move the day on which credits end.',
    tests: { 'api-sqlite': ['tests/api/D25-advice/next-steps.test.ts'] },
  },
  {
    id: 'steps-of-a-month-of-days',
    file: 'src/alerting/advice/step.ts',
    find: '(amount * monthDays) / count',
    replace: 'amount',
    why: 'The difference of an invoice of six days counts as that of a month.',
    tests: { unit: ['tests/advice/rules.test.ts'] },
  },
];
