import { z } from 'zod';
import { storableText } from '../../../lib/tag-map.ts';
import type { Metadata } from './objects.ts';

/*
 * Fields of Stripe's objects, in the forms of API versions from 2019-12-03 on. Fields that are not named here are
 * ignored.
 */

const idField = storableText(255);

/** An id, or the object itself where the request expanded it. */
const idOrObject = z
  .union([idField, z.looseObject({ id: idField })], { error: 'must be an id, or an object with an id' })
  .transform((value) => (typeof value === 'string' ? value : value.id));
const reference = idOrObject.nullish().transform((id) => id ?? null);

const minor = z.number().int();
const optionalMinor = minor.nullish().transform((amount) => amount ?? null);
const time = z.number().int().min(0).max(32_503_680_000);
const optionalTime = time.nullish().transform((at) => at ?? null);

/** Sorted, so that equal metadata have equal texts. Values that cannot be a customer's name are left out. */
const metadataField = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((metadata): Metadata => {
    const named = Object.entries(metadata ?? {}).filter(
      (pair): pair is [string, string] => storableText(1_024).safeParse(pair[1]).success,
    );
    return Object.fromEntries(named.filter(([key]) => storableText(255).safeParse(key).success).sort());
  });

const listOf = <T extends z.ZodType>(entry: T) =>
  z.object({ data: z.array(entry), has_more: z.boolean().default(false) });

const discounts = z.array(z.object({ amount: minor })).nullish();
/** `tax_amounts` until 2025-03-31.basil. */
const oldTaxes = z.array(z.object({ amount: minor, inclusive: z.boolean().nullish() })).nullish();
/** `taxes` from 2025-03-31.basil on. */
const taxes = z.array(z.object({ amount: minor, tax_behavior: z.string().nullish() })).nullish();
const pretaxCredits = z.array(z.object({ amount: minor, type: z.string().nullish() })).nullish();

/** The amount of a line of an invoice or a credit note, and what is deducted from it. */
const deductions = {
  amount: minor,
  discount_amounts: discounts,
  tax_amounts: oldTaxes,
  taxes,
  pretax_credit_amounts: pretaxCredits,
};

const subscriptionDetails = z.object({ metadata: metadataField }).nullish();

const paymentOf = z.object({ payment_intent: reference, charge: reference });

export const paymentFields = z.object({ id: idField, invoice: idOrObject, payment: paymentOf });

export const invoiceFields = z.object({
  id: idField,
  customer: reference,
  currency: z.string().regex(/^[a-z]{3}$/i, { error: 'must be a currency of three letters' }),
  /** Absent in API versions before 2019, which have `paid` instead. */
  status: z.enum(['draft', 'open', 'uncollectible', 'paid', 'void']).nullish(),
  paid: z.boolean().nullish(),
  created: time,
  total: minor,
  total_excluding_tax: optionalMinor,
  tax: optionalMinor,
  total_tax_amounts: oldTaxes,
  total_taxes: taxes,
  metadata: metadataField,
  subscription_details: subscriptionDetails,
  parent: z.object({ subscription_details: subscriptionDetails }).nullish(),
  status_transitions: z
    .object({
      finalized_at: optionalTime,
      marked_uncollectible_at: optionalTime,
      paid_at: optionalTime,
      voided_at: optionalTime,
    })
    .nullish(),
  payment_intent: reference,
  charge: reference,
  payments: listOf(z.object({ id: idField, payment: paymentOf })).nullish(),
  lines: listOf(
    z.object({
      id: idField,
      ...deductions,
      period: z.object({ start: time, end: time }),
      metadata: metadataField,
    }),
  ),
});

export const creditNoteFields = z.object({
  id: idField,
  invoice: idOrObject,
  customer: reference,
  created: time,
  effective_at: optionalTime,
  voided_at: optionalTime,
  status: z.string(),
  total: minor,
  total_excluding_tax: optionalMinor,
  tax_amounts: oldTaxes,
  total_taxes: taxes,
  /** For API versions before 2025-03-31.basil, which allow one refund; later ones have `refunds`. */
  refund: reference,
  refunds: z.array(z.object({ amount_refunded: minor })).nullish(),
  out_of_band_amount: optionalMinor,
  lines: listOf(z.object({ id: idField, ...deductions, discount_amount: optionalMinor, invoice_line_item: reference })),
});

export const chargeFields = z.object({
  id: idField,
  customer: reference,
  created: time,
  amount_refunded: minor,
  invoice: reference,
  payment_intent: reference,
  /** Absent from webhooks of API versions from 2022-11-15 on. */
  refunds: listOf(z.object({ amount: minor, created: time, status: z.string().nullish() })).nullish(),
});

export const customerFields = z.object({ id: idField, metadata: metadataField });

export const eventFields = z.object({
  id: idField,
  type: z.string(),
  created: time,
  data: z.object({ object: z.looseObject({}) }),
});

export type Deductions = z.output<z.ZodObject<typeof deductions>>;
