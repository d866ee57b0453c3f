import { describe, expect, test } from 'vitest';
import { readInvoiceCsv } from '../../src/billing/invoices/files/csv.ts';
import { describeFault } from '../../src/billing/invoices/files/file-entries.ts';
import { decodeText } from '../../src/billing/invoices/files/read-file.ts';

const free = { provider: undefined, decimal: undefined };
const read = (text: string, options: Partial<Parameters<typeof readInvoiceCsv>[1]> = {}) =>
  readInvoiceCsv(text, { ...free, ...options });
const faultsOf = (text: string, options = {}) => read(text, options).faults.map(describeFault);
const amountsOf = (text: string, options = {}) => {
  const { entries, faults } = read(text, options);
  expect(faults).toEqual([]);
  return entries.map(({ entry }) => entry.amount);
};

const header = ['date', 'provider', 'model', 'amount', 'description'];
const rows = [
  ['2026-11-01', 'openai', 'gpt-4o', '12.50', 'Größe; "rund", 1'],
  ['2026-11-02', 'openai', '', '-3.00', 'two\nlines'],
];
const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
const write = (delimiter: string, lineEnd: string) =>
  [header, ...rows.map((row) => row.map(quote))].map((cells) => cells.join(delimiter)).join(lineEnd);
const expected = [
  {
    date_from: '2026-11-01',
    date_to: '2026-11-01',
    provider: 'openai',
    model: 'gpt-4o',
    amount: '12.50',
    kind: 'usage',
  },
  { date_from: '2026-11-02', date_to: '2026-11-02', provider: 'openai', amount: '-3.00', description: 'two\nlines' },
];

describe('dialects', () => {
  test.each([
    [',', '\n'],
    [';', '\r\n'],
    ['\t', '\n'],
    [';', '\r'],
  ])('D18.1: columns divided by %j, lines by %j', (delimiter, lineEnd) => {
    const { entries, faults } = read(write(delimiter, lineEnd));
    expect(faults).toEqual([]);
    expect(entries.map(({ entry }) => entry)).toMatchObject(expected);
    expect(entries[0]?.entry.description).toBe('Größe; "rund", 1');
    expect(entries.map(({ line }) => line)).toEqual([2, 3]);
  });

  const text = write(';', '\r\n');
  const utf16be = (content: string) => Buffer.from(content, 'utf16le').swap16();
  test.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16 LE with a mark', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 BE with a mark', utf16be(`\ufeff${text}`)],
    ['UTF-16 LE', Buffer.from(text, 'utf16le')],
    ['UTF-16 BE', utf16be(text)],
    ['Latin-1', Buffer.from(text, 'latin1')],
  ])('D18.1: a file in %s', (_name, bytes) => {
    const { entries, faults } = read(decodeText(bytes));
    expect(faults).toEqual([]);
    expect(entries[0]?.entry.description).toBe('Größe; "rund", 1');
  });

  test('D18.1: the line that names the delimiter for spreadsheets, empty lines, and names in other case are read', () => {
    const { entries } = read(
      'sep=;\n\nDate From;DATE-TO;Provider;Amount;Kind\n\n2026-11-01;2026-11-30;openai;5;Tax\n;;;;\n',
    );
    expect(entries.map(({ entry, line }) => ({ ...entry, line }))).toMatchObject([
      { date_from: '2026-11-01', date_to: '2026-11-30', amount: '5', kind: 'tax', line: 5 },
    ]);
  });

  test('D18.1: an entry keeps its id when its amount or its place changes; equal entries have two ids', () => {
    const ids = (text: string) => read(text).entries.map(({ entry }) => entry.external_id);
    const first = ids('date,provider,amount\n2026-11-01,openai,1\n2026-11-01,openai,1\n2026-11-02,openai,1');
    expect(new Set(first).size).toBe(3);
    const second = ids('date,provider,amount\n2026-11-02,openai,7\n2026-11-01,openai,8\n2026-11-01,openai,9');
    expect(second.toSorted()).toEqual(first.toSorted());
    expect(ids('external_id,date,provider,amount\nown,2026-11-01,openai,1')).toEqual(['own']);
  });
});

describe('amounts', () => {
  const csv = (delimiter: string, ...amounts: readonly string[]) =>
    ['date,amount'.replace(',', delimiter), ...amounts.map((amount) => `2026-11-01${delimiter}${quote(amount)}`)].join(
      '\n',
    );
  const openai = { provider: 'openai' };

  test.each([
    [',', ['1,234.50', '-1,000', '12'], ['1234.50', '-1000', '12']],
    [';', ['1.234,50', '1.000', '-12'], ['1234.50', '1000', '-12']],
    [';', ['1234,5', '2,000'], ['1234.5', '2.000']],
    [',', ['1.234', '.5'], ['1.234', '0.5']],
    [',', ['0,125', '1,234'], ['0.125', '1.234']],
    [
      '\t',
      ["1'234.5", '$ 7.25', '(3.10)', '\u22124.00', '9.00 USD', '2.00-'],
      ['1234.5', '7.25', '-3.10', '-4.00', '9.00', '-2.00'],
    ],
    [';', ['1 234,50', '1\u00a0234\u202f567,8'], ['1234.50', '1234567.8']],
    [',', ['1,234,567'], ['1234567']],
  ])('D18.1: in a file with %j, %j are %j', (delimiter, amounts, read_) => {
    expect(amountsOf(csv(delimiter, ...amounts), openai)).toEqual(read_);
  });

  test('D18.1: an amount that can be read in two ways is refused, unless the decimal sign is given', () => {
    for (const text of [csv(';', '1,234', '5'), csv(';', '1.234'), csv(',', '1,234')]) {
      expect(faultsOf(text, openai)).toEqual([
        expect.stringMatching(/^line 2, column 2 \(amount\): 1[.,]234 can be read in two ways/),
      ]);
    }
    expect(amountsOf(csv(';', '1,234'), { ...openai, decimal: 'comma' })).toEqual(['1.234']);
    expect(amountsOf(csv(';', '1,234'), { ...openai, decimal: 'point' })).toEqual(['1234']);
    expect(faultsOf(csv(';', '1.50'), { ...openai, decimal: 'comma' })).toEqual([
      'line 2, column 2 (amount): must have a decimal comma',
    ]);
  });

  test('D18.1: a file with both decimal signs is refused', () => {
    expect(faultsOf(csv(';', '1,234.50', '7', '1.234,50'), openai)).toEqual([
      expect.stringContaining('line 4, column 2 (amount): has another decimal sign than 1,234.50'),
    ]);
  });

  test.each(['', 'free', '1.2.3', '1,23,4', '12,34.5', '--3', '(-3)', '1e3', '3 €', 'EUR 3', '£4', '12 34'])(
    'D18.1: %j is no amount',
    (amount) => {
      expect(faultsOf(csv(';', '1.50', amount), openai)).toEqual([
        expect.stringMatching(/^line 3, column 2 \(amount\): /),
      ]);
    },
  );
});

test('D18.1: wrong columns are named with their place', () => {
  expect(faultsOf('date,provider,ammount,date,Amount,amount\n')).toEqual([
    expect.stringMatching(/^line 1, column 3: "ammount" is no column: use external_id, /),
    'line 1, column 4: date is a column twice: it is also column 1',
    'line 1, column 6: amount is a column twice: it is also column 5',
  ]);
  expect(faultsOf('model,kind\n')).toEqual([expect.stringMatching(/^line 1: has no column amount, .*date.*provider/)]);
  expect(faultsOf('date,date_to,provider,amount\n')).toEqual([expect.stringContaining('use one or the other')]);
  expect(faultsOf('')).toEqual(['line 1: the file is empty']);
});

test('D18.1: every wrong cell is named with its line and column, and no entry is given', () => {
  const text = [
    'date_from,date_to,provider,amount,kind',
    '2026-11-01,2026-11-30,openai,1.00,usage',
    '01/11/2026,2026-02-30,,x,fee',
    '2026-11-01,2026-11-30,openai',
  ].join('\n');
  expect(faultsOf(text)).toEqual(['line 4, column 4: has 3 cells, but the first line names 5 columns']);
  const { entries, faults } = read(text.split('\n').slice(0, 3).join('\n'));
  expect(entries).toEqual([]);
  expect(faults.map(describeFault)).toEqual([
    'line 3, column 1 (date_from): must be a day that exists, as YYYY-MM-DD',
    'line 3, column 2 (date_to): must be a day that exists, as YYYY-MM-DD',
    'line 3, column 3 (provider): must not be empty',
    'line 3, column 4 (amount): must be an amount, such as 1234.50',
    'line 3, column 5 (kind): must be one of usage, discount, credit, tax, other',
  ]);
  expect(faultsOf('date,provider,amount\n2026-11-01,"openai,1\n')).toEqual([
    expect.stringMatching(/^line \d+, column \d+: has a quote/),
  ]);
});
