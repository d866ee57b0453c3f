import type { PlantedFault } from './planted-fault.ts';

export const faultsOfInvoices: readonly PlantedFault[] = [
  {
    id: 'replaced-entry-keeps-its-amount',
    file: 'src/billing/invoices/entries.ts',
    find: "amount: row.ref('excluded.amount'),",
    replace: '',
    why: 'A corrected entry of an invoice counts with its old amount.',
    tests: { 'api-sqlite': ['tests/api/D18-reconciliation/invoices.test.ts'] },
  },
  {
    id: 'cents-read-as-dollars',
    file: 'src/billing/invoices/files/cost-pages.ts',
    find: 'scale: decimal.scale + 2',
    replace: 'scale: decimal.scale',
    why: 'The cost report of Anthropic counts a hundred times.',
    tests: { unit: ['tests/invoices/cost-pages.test.ts'] },
  },
  {
    id: 'price-before-its-day',
    file: 'src/billing/invoices/reconciliation/override.ts',
    find: 'toDay(firstDay + window.from - (isEarlier ? 1 : 0)),',
    replace: 'toDay(firstDay - (isEarlier ? 1 : 0)),',
    why: 'The offered price also changes the days before the provider charged it.',
    tests: { unit: ['tests/analytics/reconciliation/split.test.ts'] },
  },
  {
    id: 'shares-without-the-rest',
    file: 'src/billing/invoices/reconciliation/spread.ts',
    find: 'const share = until - given;',
    replace: 'const share = (amount * weight) / sum;',
    why: 'The parts of an entry of several days miss some picodollars of the difference.',
    tests: { unit: ['tests/analytics/reconciliation/entries.test.ts'] },
  },
];
