import { z } from 'zod';
import { addDays, type Day, startOfDay } from '../../../lib/days.ts';
import { askedField, decimalField, moneyField } from '../../../lib/http/row-fields.ts';
import { wideToJsonNumber } from '../../../lib/money.ts';
import { timeField } from '../../../lib/times.ts';
import type { Charge } from '../../charges/run.ts';

/**
 * The versions of the FinOps Open Cost and Usage Specification (FOCUS), the default first: 1.4, ratified on 4 June 2026
 * (https://focus.finops.org/focus-specification/v1-4/), and 1.2, whose rules `focus-validator` 2.2.1 has.
 */
export const focusVersions = ['1.4', '1.2'] as const;
export type FocusVersion = (typeof focusVersions)[number];

/** A column that rows have in 1.4: FOCUS 1.3 told who sells a service from who runs it. */
const since13 = <Schema extends z.ZodType>(schema: Schema) => askedField(schema, 'version', undefined, '1.4');
/** A column that rows have in 1.2 alone. */
const until12 = <Schema extends z.ZodType>(schema: Schema) => askedField(schema, 'version', '1.2');

const usdOf = (what: string) => moneyField(`USD; ${what}`);

/**
 * A row of the dataset "Cost and Usage". It has every mandatory and recommended column that applies, and those
 * conditional columns that Farthing can fill. FOCUS columns come first, in alphabetical order, then our own.
 */
export const focusRow = z.object({
  BilledCost: usdOf('what the calls cost; below 0 for a credit.'),
  BillingAccountId: z.string().describe('The id of the project.'),
  BillingAccountName: z.string().nullable().describe('The name of the project.'),
  BillingCurrency: z.literal('USD'),
  BillingPeriodEnd: timeField.describe('The end of the month in the timezone of the project, exclusive.'),
  BillingPeriodStart: timeField.describe('The start of the month in the timezone of the project.'),
  ChargeCategory: z
    .enum(['Usage', 'Credit'])
    .describe('Calls and days of shared costs, or what free AI credits take off the cost of calls.'),
  ChargeClass: z
    .enum(['Correction'])
    .nullable()
    .describe('Null: the rows are of what is in force, now or at the close.'),
  ChargeDescription: z.string().nullable(),
  ChargeFrequency: z.enum(['Usage-Based', 'Recurring']),
  ChargePeriodEnd: timeField.describe('The end of the day in the timezone of the project, exclusive.'),
  ChargePeriodStart: timeField.describe('The start of the day in the timezone of the project.'),
  ConsumedQuantity: z.number().int().nullable().describe('The tokens of all buckets, or a day; null for a credit.'),
  ConsumedUnit: z.enum(['Tokens', 'Days']).nullable(),
  ContractedCost: usdOf('equal to `BilledCost`.'),
  EffectiveCost: usdOf('equal to `BilledCost`.'),
  HostProviderName: since13(z.string().describe('The provider of the calls.')),
  InvoiceId: until12(z.null().describe('Null: calls are not part of an invoice.')),
  InvoiceIssuerName: z.string().describe('The provider of the calls.'),
  ListCost: usdOf('equal to `BilledCost`.'),
  PricingCategory: z.enum(['Standard']).nullable().describe('Null for a credit.'),
  PricingQuantity: decimalField().nullable().describe('The tokens of all buckets, or a day; null for a credit.'),
  PricingUnit: z.enum(['Tokens', 'Days']).nullable(),
  ProviderName: until12(z.string().describe('The provider of the calls.')),
  PublisherName: until12(z.string().describe('The provider of the calls.')),
  ServiceCategory: z.literal('AI and Machine Learning'),
  ServiceName: z.string().describe('The provider of the calls.'),
  ServiceProviderName: since13(z.string().describe('The provider of the calls.')),
  ServiceSubcategory: z.literal('Generative AI'),
  SkuId: z.string().describe('The provider and the model, with a slash between them.'),
  SkuMeter: z.string().describe('The model.'),
  SkuPriceDetails: z.record(z.string(), z.unknown()).nullable(),
  SkuPriceId: z.string().nullable().describe('As `SkuId`; null for a credit.'),
  SubAccountId: z.string().nullable().describe('The customer; null for calls without one.'),
  SubAccountName: z.string().nullable().describe('The customer; null for calls without one.'),
  Tags: z
    .record(z.string(), z.string())
    .nullable()
    .describe('The tags that the customer carries now, or carried at the close.'),
  x_Calls: z.number().int().nullable().describe('How many calls; null without any.'),
  x_Tokens: z.record(z.string(), z.number()).nullable().describe('Tokens by bucket, without buckets of 0.'),
  x_Units: z.record(z.string(), z.number()).nullable().describe('What is charged for besides tokens, by unit.'),
});

export type FocusRow = z.output<typeof focusRow>;

/** What rows need besides their charge. */
export interface FocusContext {
  readonly version: FocusVersion;
  readonly project: { readonly id: string; readonly name: string };
  readonly timesOf: (day: Day) => FocusTimes;
  /** The tags of customers, by name. */
  readonly tags: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** FOCUS allows no empty text, so a missing provider or model becomes `Unspecified`. */
const nameOr = (name: string): string => (name === '' ? 'Unspecified' : name);

export function toFocusRow(charge: Charge, { version, project, timesOf, tags }: FocusContext): FocusRow {
  const { customer, category, shared } = charge;
  const times = timesOf(charge.day);
  const isUsage = category === 'usage';
  const cost = wideToJsonNumber(charge.cost);
  const [provider, model] = [nameOr(charge.provider), nameOr(charge.model)];
  const tokens = Object.values(charge.tokens).reduce((sum, count) => sum + count, 0);
  const [quantity, unit] = shared ? ([1, 'Days'] as const) : isUsage ? ([tokens, 'Tokens'] as const) : [null, null];
  const sku = shared ? shared.id : `${provider}/${model}`;
  const ofCustomer = customer === '' ? null : customer;
  return {
    BilledCost: cost,
    BillingAccountId: project.id,
    BillingAccountName: project.name,
    BillingCurrency: 'USD',
    BillingPeriodEnd: times.monthEnd,
    BillingPeriodStart: times.monthStart,
    ChargeCategory: category === 'credit' ? 'Credit' : 'Usage',
    ChargeClass: null,
    ChargeDescription: shared?.name ?? (isUsage ? `Calls of ${model}` : `Free credits for calls of ${model}`),
    ChargeFrequency: shared ? 'Recurring' : 'Usage-Based',
    ChargePeriodEnd: times.dayEnd,
    ChargePeriodStart: times.dayStart,
    ConsumedQuantity: quantity,
    ConsumedUnit: unit,
    ContractedCost: cost,
    EffectiveCost: cost,
    ...(version === '1.2' ? { InvoiceId: null } : { HostProviderName: provider }),
    InvoiceIssuerName: provider,
    ListCost: cost,
    PricingCategory: isUsage || shared ? 'Standard' : null,
    PricingQuantity: quantity,
    PricingUnit: unit,
    ...(version === '1.2' && { ProviderName: provider, PublisherName: provider }),
    ServiceCategory: 'AI and Machine Learning',
    ServiceName: shared?.name ?? provider,
    ...(version !== '1.2' && { ServiceProviderName: provider }),
    ServiceSubcategory: 'Generative AI',
    SkuId: sku,
    SkuMeter: shared?.name ?? model,
    SkuPriceDetails: null,
    SkuPriceId: isUsage || shared ? sku : null,
    SubAccountId: ofCustomer,
    SubAccountName: ofCustomer,
    Tags: (ofCustomer !== null && tags.get(ofCustomer)) || null,
    x_Calls: isUsage ? charge.calls : null,
    x_Tokens: isUsage ? withoutZeros(charge.tokens) : null,
    x_Units: isUsage ? charge.units : null,
  };
}

/** The periods of a day, as FOCUS writes times: in UTC, without fractions of a second. */
interface FocusTimes {
  readonly dayStart: string;
  readonly dayEnd: string;
  readonly monthStart: string;
  readonly monthEnd: string;
}

/** The periods of days in a timezone. They are cached: computing one takes longer than the rest of a row. */
export function focusTimesIn(timezone: string): (day: Day) => FocusTimes {
  const known = new Map<Day, FocusTimes>();
  const startAt = (day: Day): string => new Date(startOfDay(timezone, day)).toISOString().replace('.000Z', 'Z');
  return (day) => {
    const month = `${day.slice(0, 7)}-01`;
    const times = known.get(day) ?? {
      dayStart: startAt(day),
      dayEnd: startAt(addDays(day, 1)),
      monthStart: startAt(month),
      monthEnd: startAt(firstOfNextMonth(month)),
    };
    known.set(day, times);
    return times;
  };
}

/** The first of the next month. The day 32 days after the first of a month is in the next month. */
const firstOfNextMonth = (first: Day): Day => `${addDays(first, 32).slice(0, 7)}-01`;

const withoutZeros = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
