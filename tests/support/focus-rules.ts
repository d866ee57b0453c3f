// Checks rows of FOCUS by the specification's own rules: the machine-readable ones of its validator, of FOCUS 1.2, and those
// that FOCUS 1.4 (https://focus.finops.org/focus-specification/v1-4/) has beside or in place of them.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Json } from './client.ts';

interface Check {
  CheckFunction: string;
  Items?: Check[] | undefined;
  ColumnName?: string | undefined;
  Value?: unknown;
  ColumnAName?: string | undefined;
  ColumnBName?: string | undefined;
  ResultColumnName?: string | undefined;
}

const check: z.ZodType<Check> = z.object({
  CheckFunction: z.string(),
  Items: z.array(z.lazy(() => check)).optional(),
  ColumnName: z.string().optional(),
  Value: z.unknown().optional(),
  ColumnAName: z.string().optional(),
  ColumnBName: z.string().optional(),
  ResultColumnName: z.string().optional(),
});
const rule = z.object({ id: z.string(), text: z.string(), check, when: check.optional() });

const model = z
  .object({ rules: z.array(rule) })
  .parse(JSON.parse(readFileSync(new URL('../fixtures/focus/model-1.2.json', import.meta.url), 'utf8')));

/** How many rules the validator's model has for these rows. */
export const modelRules = model.rules.length;

const isNull = (value: unknown): boolean => value === null || value === undefined;
const orNull =
  (test: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    isNull(value) || test(value);
const isObject = (value: unknown): boolean => typeof value === 'object' && !Array.isArray(value);

/** Checks of one column. */
const columnChecks: Readonly<Record<string, (value: unknown) => boolean>> = {
  TypeString: orNull((value) => typeof value === 'string'),
  // A text is not empty, and has no space at its ends unless it was given with one.
  FormatString: orNull((value) => typeof value === 'string' && value !== ''),
  TypeDecimal: orNull((value) => typeof value === 'number'),
  FormatNumeric: orNull((value) => /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(String(value))),
  CheckDecimalValue: orNull((value) => Number.isFinite(value)),
  TypeDateTime: orNull((value) => !Number.isNaN(Date.parse(String(value)))),
  FormatDateTime: orNull((value) => /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(String(value))),
  FormatCurrency: orNull((value) => /^[A-Z]{3}$/.test(String(value))),
  CheckNationalCurrency: orNull((value) => value === 'USD'),
  // Values are text, numbers, booleans or null.
  FormatKeyValue: orNull((value) => isObject(value) && Object.values(Object(value)).every((part) => !isObject(part))),
};

/** A column of a row. Since FOCUS 1.3, `ProviderName` is `ServiceProviderName`. */
const columnOf = (row: Json, name = ''): unknown =>
  row[name] ?? (name === 'ProviderName' ? row.ServiceProviderName : undefined) ?? null;

function holds({ CheckFunction: name, Items = [], ColumnName = '', ...given }: Check, row: Json): boolean {
  const value = columnOf(row, ColumnName);
  const [a, b] = [columnOf(row, given.ColumnAName), columnOf(row, given.ColumnBName)];
  switch (name) {
    case 'AND':
      return Items.every((item) => holds(item, row));
    case 'OR':
      return Items.some((item) => holds(item, row));
    case 'CheckValue':
      return value === given.Value;
    case 'CheckNotValue':
      return value !== given.Value;
    case 'ColumnByColumnEqualsColumnValue':
      return isNull(a) || isNull(b) || Number(a) * Number(b) === columnOf(row, given.ResultColumnName);
    case 'CheckNotSameValue':
      return a !== b;
    default: {
      const ofColumn = columnChecks[name];
      if (!ofColumn) throw new Error(`There is no check ${name}`);
      return ofColumn(value);
    }
  }
}

/** The columns that FOCUS 1.4 requires, and those that it recommends and a row has. */
const mandatory = [
  ...['BilledCost', 'BillingAccountId', 'BillingAccountName', 'BillingCurrency', 'BillingPeriodEnd'],
  ...['BillingPeriodStart', 'ChargeCategory', 'ChargeClass', 'ChargeDescription', 'ChargePeriodEnd'],
  ...['ChargePeriodStart', 'ContractedCost', 'EffectiveCost', 'HostProviderName', 'InvoiceIssuerName', 'ListCost'],
  ...['PricingQuantity', 'PricingUnit', 'ServiceCategory', 'ServiceName', 'ServiceProviderName'],
];
const recommended = ['ChargeFrequency', 'ServiceSubcategory'];
/** For a dataset with measured usage, unit prices, sub accounts and tags. */
const conditional = [
  ...['ConsumedQuantity', 'ConsumedUnit', 'SkuId', 'SkuMeter', 'SkuPriceDetails', 'SkuPriceId'],
  ...['SubAccountId', 'SubAccountName', 'Tags'],
];

type Rule = readonly [text: string, holds: (row: Json) => boolean];

const rulesOf14: readonly Rule[] = [
  ...[...mandatory, ...recommended, ...conditional].map(
    (name): Rule => [`CostAndUsage MUST include ${name}.`, (row) => Object.hasOwn(row, name)],
  ),
  ...['HostProviderName', 'ServiceProviderName', 'InvoiceIssuerName'].map(
    (name): Rule => [`${name} MUST NOT be null.`, (row) => typeof row[name] === 'string' && row[name] !== ''],
  ),
  ['ProviderName and PublisherName are gone.', (row) => !('ProviderName' in row) && !('PublisherName' in row)],
  [
    'ConsumedQuantity, PricingQuantity and PricingCategory MUST be null when SkuPriceId is null.',
    (row) =>
      !isNull(row.SkuPriceId) ||
      ['ConsumedQuantity', 'PricingQuantity', 'PricingCategory'].every((name) => isNull(row[name])),
  ],
  [
    'ContractedCost MUST equal BilledCost when ChargeCategory is "Credit".',
    (row) => row.ChargeCategory !== 'Credit' || row.ContractedCost === row.BilledCost,
  ],
  [
    'EffectiveCost MUST match BilledCost where a charge covers no other charge and is covered by none.',
    (row) => row.EffectiveCost === row.BilledCost,
  ],
  [
    'ContractedCost MUST equal ListCost when no negotiated pricing terms apply.',
    (row) => row.ContractedCost === row.ListCost,
  ],
  [
    'SubAccountName MUST be null when SubAccountId is null.',
    (row) => !isNull(row.SubAccountId) || isNull(row.SubAccountName),
  ],
  [
    'A charge period is within its billing period.',
    (row) =>
      String(row.BillingPeriodStart) <= String(row.ChargePeriodStart) &&
      String(row.ChargePeriodStart) < String(row.ChargePeriodEnd) &&
      String(row.ChargePeriodEnd) <= String(row.BillingPeriodEnd),
  ],
  [
    'FOCUS columns come before custom columns, which begin with x_.',
    (row) => {
      const names = Object.keys(row);
      const custom = names.filter((name) => name.startsWith('x_'));
      return names.slice(names.length - custom.length).every((name) => name.startsWith('x_'));
    },
  ],
  ['Null is the absence of a value: no text is empty.', (row) => Object.values(row).every((value) => value !== '')],
];

/** What the rules of FOCUS 1.2 find wrong with a row. */
const findOlderFaults = (row: Json): string[] =>
  model.rules
    .filter(({ check, when }) => (when === undefined || holds(when, row)) && !holds(check, row))
    .map(({ id, text }) => `${id}: ${text}`);

/** What the rules find wrong with a row of FOCUS 1.4. */
export const findFocusFaults = (row: Json): string[] => [
  ...findOlderFaults(row),
  ...rulesOf14.filter(([, isKept]) => !isKept(row)).map(([text]) => text),
];

/** What FOCUS 1.2 requires or recommends where later versions have other columns. */
const of12 = ['InvoiceId', 'ProviderName', 'PublisherName'];
const since13 = ['HostProviderName', 'ServiceProviderName'];

/** What the rules find wrong with a row of FOCUS 1.2. */
export const findFaultsOf12 = (row: Json): string[] => [
  ...findOlderFaults(row),
  ...of12.filter((name) => !Object.hasOwn(row, name)).map((name) => `CostAndUsage MUST include ${name}.`),
  ...['ProviderName', 'PublisherName'].filter((name) => isNull(row[name])).map((name) => `${name} MUST NOT be null.`),
  ...since13.filter((name) => Object.hasOwn(row, name)).map((name) => `${name} is of FOCUS 1.3.`),
];
