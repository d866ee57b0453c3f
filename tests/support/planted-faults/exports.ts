import type { PlantedFault } from './planted-fault.ts';

const mechanism = { unit: ['tests/exports/offer-formats.test.ts'] };
const everyFormat = { 'sealed-sqlite': ['tests/property/formats.test.ts'] };

export const faultsOfExports: readonly PlantedFault[] = [
  {
    id: 'format-of-one-page',
    file: 'src/reports/exports/read-slices.ts',
    find: 'if (page.next === null) return;',
    replace: 'return;',
    why: 'A file of costs ends after 10,000 rows.',
    tests: mechanism,
  },
  {
    id: 'format-with-formulas',
    file: 'src/reports/exports/csv.ts',
    find: 'string: withoutFormula',
    replace: 'string: (text) => text',
    why: 'The name of a customer is a formula in the spreadsheet of who opens the file.',
    tests: { cli: ['tests/cli/export.test.ts'] },
  },
  {
    id: 'format-hides-its-failure',
    file: 'src/reports/exports/stream-parts.ts',
    find: 'throw error;',
    replace: 'return;',
    why: 'A file that broke off in the middle ends like a whole one.',
    tests: mechanism,
  },
  {
    id: 'format-takes-a-limit',
    file: 'src/reports/exports/offer-formats.ts',
    find: 'if (given.length === 0) return format;',
    replace: 'return format;',
    why: 'Who asks for ten rows as CSV gets millions.',
    tests: mechanism,
  },
  {
    id: 'parquet-money-cut-off',
    file: 'src/reports/exports/parquet.ts',
    find: ': divideHalfEven(mantissa, 10n ** BigInt(scale - moneyScale))',
    replace: ': mantissa / 10n ** BigInt(scale - moneyScale)',
    why: 'Amounts of many digits in a warehouse are below those of the API.',
    tests: { unit: ['tests/exports/parquet.test.ts'] },
  },
  {
    id: 'parquet-group-not-emptied',
    file: 'src/reports/exports/parquet.ts',
    find: '    this.#length = 0;\n    return values;',
    replace: '    return values;',
    why: 'The second row group of a file has the numbers of the first one.',
    tests: { unit: ['tests/exports/parquet.test.ts'] },
  },
  {
    id: 'grouped-column-missing',
    file: 'src/reports/exports/columns.ts',
    find: '!facts.asked.values.includes(asked.fields[facts.asked.field])',
    replace: 'true',
    why: 'A file of costs by customer does not say which customer.',
    tests: everyFormat,
  },
  {
    id: 'focus-without-credits',
    file: 'src/reports/charges/run.ts',
    find: 'applyCredits: true',
    replace: 'applyCredits: false',
    why: 'Cost tools show what free credits have paid as if it were paid.',
    tests: { 'api-sqlite': ['tests/api/D24-exports/focus.test.ts'] },
  },
];
