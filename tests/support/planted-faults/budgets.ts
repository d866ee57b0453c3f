import type { PlantedFault } from './planted-fault.ts';

export const faultsOfBudgets: readonly PlantedFault[] = [
  {
    id: 'used-up-budget-allows',
    file: 'src/alerting/budgets/budget.ts',
    find: 'spent < widen(amount);',
    replace: 'spent <= widen(amount);',
    why: 'A budget that is spent to the cent still allows calls.',
    tests: { 'api-sqlite': ['tests/api/D20-budgets/200.test.ts'] },
  },
  {
    id: 'credits-of-open-days-forgotten',
    file: 'src/alerting/budgets/read-spent.ts',
    find: 'needsShareOf: (day) => open.has(day),',
    replace: 'needsShareOf: () => false,',
    why: 'What credits cover today counts as spent.',
    tests: { 'api-sqlite': ['tests/api/D20-budgets/200.test.ts'] },
  },
  {
    id: 'changed-budget-checked-as-it-was',
    file: 'src/alerting/budgets/project-spending.ts',
    find: 'this.#required = this.#changes;',
    replace: '',
    why: 'A check right after a change of the budget, a tag or a credit answers as before it.',
    tests: { 'api-sqlite': ['tests/api/D20-budgets/200.test.ts'] },
  },
  {
    id: 'as-of-before-the-read-ended',
    file: 'src/alerting/budgets/project-spending.ts',
    find: 'snapshot.changes === this.#changes ? upTo : Math.min(snapshot.asOf, upTo)',
    replace: 'upTo',
    why: 'A check says that events are in it which it has not read yet.',
    tests: { unit: ['tests/budgets/spending-memory.test.ts'] },
  },
  {
    id: 'value-that-a-call-has-left-kept',
    file: 'src/alerting/budgets/changing-sums.ts',
    find: 'return known.ofBudgets.every(({ total }, index) => total === sumOf(whole, index));',
    replace: 'return true;',
    why: 'A call that moves to another customer counts for its former one too.',
    tests: { unit: ['tests/budgets/spending-memory.test.ts'] },
  },
];
