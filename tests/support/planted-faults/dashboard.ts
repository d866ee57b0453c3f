import type { PlantedFault } from './planted-fault.ts';

export const faultsOfDashboard: readonly PlantedFault[] = [
  {
    id: 'file-of-the-calls-on-view',
    file: 'dashboard/src/calls/calls-table.tsx',
    find: "rows={rows?.length === 0 ? rows : (options) => askAll<Call>('/api/calls/', body, options)}",
    replace: 'rows={rows}',
    why: 'A file of calls has the first 50.',
    tests: { browser: ['tests/browser/numbers.test.ts'] },
  },
  {
    id: 'before-is-now',
    file: 'dashboard/src/pages/customers.tsx',
    find: "group_by: 'customer', ...toDates(question.before) }",
    replace: "group_by: 'customer' }",
    why: 'No customer seems to have changed.',
    tests: { browser: ['tests/browser/numbers.test.ts'] },
  },
  {
    id: 'numbers-sorted-as-text',
    file: 'dashboard/src/ui/data-table.tsx',
    find: "  if (typeof a === 'number' && typeof b === 'number') return a - b;\n",
    replace: '',
    why: 'The dearest customers are not at the top.',
    tests: { browser: ['tests/browser/numbers.test.ts'] },
  },
  {
    id: 'credits-switch-without-effect',
    file: 'dashboard/src/state/costs.ts',
    find: '  ...(search.credits && { apply_credits: true }),\n',
    replace: '',
    why: 'Costs after credits are those before.',
    tests: { browser: ['tests/browser/numbers.test.ts'] },
  },
  {
    id: 'small-cost-is-nothing',
    file: 'dashboard/src/lib/format.ts',
    find: 'Math.abs(amount) < 0.1 ? smallDollars',
    replace: 'Math.abs(amount) < 0.001 ? smallDollars',
    why: 'A cost of 0.4 cents is shown as $0.00.',
    tests: { unit: ['tests/dashboard/format.test.ts'] },
  },
  {
    id: 'a-day-in-both-periods',
    file: 'dashboard/src/state/search.ts',
    find: 'to: addDays(from, -1) };\n  return before',
    replace: 'to: from };\n  return before',
    why: 'The first day shown counts in the days before, too.',
    tests: { unit: ['tests/dashboard/search.test.ts'] },
  },
];
