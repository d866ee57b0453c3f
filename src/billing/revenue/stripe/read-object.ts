import type { z } from 'zod';
import { toFaults } from '../../../lib/faults.ts';
import type { Fault } from '../../../lib/problem.ts';
import {
  chargeFields,
  creditNoteFields,
  customerFields,
  type Deductions,
  eventFields,
  invoiceFields,
  paymentFields,
} from './fields.ts';
import type { StripeCharge, StripeCreditNote, StripeInvoice, StripeObject, StripePayment } from './objects.ts';

/** The objects read from an object or event of Stripe; none when revenue does not depend on it. */
export type ReadObjects =
  | { readonly objects: readonly StripeObject[]; readonly faults?: never }
  | { readonly objects?: never; readonly faults: readonly Fault[] };

const nothing: ReadObjects = { objects: [] };

/** The events that are read (D17.1). Other events do not change revenue, or repeat one of these. */
const eventTypes: ReadonlySet<string> = new Set([
  ...['invoice.paid', 'invoice.payment_succeeded', 'invoice.voided', 'invoice.marked_uncollectible'],
  ...['invoice_payment.paid', 'credit_note.created', 'credit_note.updated', 'credit_note.voided'],
  ...['charge.refunded', 'customer.created', 'customer.updated'],
]);

/** Reads an event. A value that is no event has faults; nothing is thrown. */
export function readEvent(value: unknown): ReadObjects & { readonly madeAt?: number } {
  const parsed = eventFields.safeParse(value);
  if (!parsed.success) return { faults: toFaults(parsed.error, value) };
  const { type, created, data } = parsed.data;
  if (!eventTypes.has(type)) return { ...nothing, madeAt: created };
  const read = readObject(data.object, created);
  if (read.objects) return { ...read, madeAt: created };
  return { faults: read.faults.map((fault) => ({ ...fault, pointer: `/data/object${fault.pointer}` })) };
}

/**
 * Reads an object, such as an invoice.
 * @param at the time of this state, in seconds since 1970; by default the latest time that the object itself names
 */
export function readObject(value: unknown, at?: number): ReadObjects {
  const kind = typeof value === 'object' && value !== null && 'object' in value ? value.object : undefined;
  switch (kind) {
    case 'invoice':
      return parse(invoiceFields, value, (fields) => readInvoice(fields, at));
    case 'credit_note':
      return parse(creditNoteFields, value, (fields) => [readCreditNote(fields, at)]);
    case 'charge':
      return parse(chargeFields, value, (fields) => [readCharge(fields, at)]);
    case 'invoice_payment':
      return parse(paymentFields, value, readPayment);
    case 'customer':
      return parse(customerFields, value, ({ id, metadata }) => [
        { kind: 'customer', id, at: at ?? 0, customer: id, metadata },
      ]);
    default:
      return nothing;
  }
}

function parse<T extends z.ZodType>(
  fields: T,
  value: unknown,
  read: (parsed: z.output<T>) => readonly StripeObject[],
): ReadObjects {
  const parsed = fields.safeParse(value);
  return parsed.success ? { objects: read(parsed.data) } : { faults: toFaults(parsed.error, value) };
}

function readInvoice(fields: z.output<typeof invoiceFields>, at: number | undefined): StripeObject[] {
  const { id, customer, created, metadata, lines, payments } = fields;
  const changes = fields.status_transitions;
  const times = [changes?.finalized_at, changes?.marked_uncollectible_at, changes?.paid_at, changes?.voided_at];
  const invoice: StripeInvoice = {
    kind: 'invoice',
    id,
    at: Math.max(at ?? 0, created, ...times.map((time) => time ?? 0)),
    customer,
    status: fields.status ?? (fields.paid === true ? 'paid' : 'open'),
    currency: fields.currency.toUpperCase(),
    total: fields.total,
    net: fields.total_excluding_tax ?? fields.total - sumTax(fields),
    paidAt: changes?.paid_at ?? changes?.finalized_at ?? created,
    payment: fields.payment_intent ?? fields.charge,
    metadata: [
      metadata,
      fields.parent?.subscription_details?.metadata ?? fields.subscription_details?.metadata ?? {},
    ].filter((one) => Object.keys(one).length > 0),
    lines: {
      isComplete: !lines.has_more,
      list: lines.data.map((line) => ({
        id: line.id,
        net: netOf(line),
        from: line.period.start,
        to: Math.max(line.period.start, line.period.end),
        metadata: line.metadata,
      })),
    },
  };
  const paid = (payments?.data ?? []).flatMap((one) => readPayment({ ...one, invoice: id }));
  return [invoice, ...paid];
}

function readCreditNote(fields: z.output<typeof creditNoteFields>, at: number | undefined): StripeCreditNote {
  const { id, customer, invoice, created, lines, total, refund, refunds } = fields;
  const isVoid = fields.status === 'void';
  const refunded = (refunds ?? []).reduce((sum, { amount_refunded: amount }) => sum + amount, 0);
  return {
    kind: 'credit_note',
    id,
    // Outside an event, `voided_at` is its only time after `created`.
    at: Math.max(at ?? 0, created, (isVoid && fields.voided_at) || 0),
    customer,
    invoice,
    isVoid,
    issuedAt: fields.effective_at ?? created,
    net: fields.total_excluding_tax ?? total - sumTax(fields),
    // Without amounts, the refund is everything that was not paid back outside Stripe.
    refunded: refunded === 0 && refund !== null ? total - (fields.out_of_band_amount ?? 0) : refunded,
    lines: {
      isComplete: !lines.has_more,
      list: lines.data.map((line) => ({ id: line.id, credits: line.invoice_line_item, net: netOf(line) })),
    },
  };
}

function readCharge(fields: z.output<typeof chargeFields>, at: number | undefined): StripeCharge {
  const { id, customer, created, invoice, amount_refunded: refunded } = fields;
  return {
    kind: 'charge',
    id,
    at: at ?? created,
    customer,
    invoice,
    payment: fields.payment_intent ?? id,
    refunds: listRefunds(fields) ?? (refunded === 0 ? [] : [[at ?? created, refunded]]),
  };
}

/** The sum refunded up to each refund; undefined where the charge does not list all refunds. */
function listRefunds({ refunds, amount_refunded: total }: z.output<typeof chargeFields>) {
  if (!refunds || refunds.has_more) return undefined;
  const made = refunds.data
    .filter(({ status }) => status !== 'failed' && status !== 'canceled')
    .sort((a, b) => a.created - b.created);
  const sums = new Map<number, number>();
  let sum = 0;
  for (const { created, amount } of made) {
    sum += amount;
    sums.set(created, sum);
  }
  return sum === total ? [...sums] : undefined;
}

function readPayment({
  id,
  invoice,
  payment: { payment_intent: intent, charge },
}: z.output<typeof paymentFields>): StripePayment[] {
  const payment = intent ?? charge;
  return payment === null ? [] : [{ kind: 'payment', id, at: 0, customer: null, invoice, payment }];
}

/** A line's amount net of discounts, included tax and prepaid credits. */
function netOf(line: Deductions & { readonly discount_amount?: number | null }): number {
  const discounts = line.discount_amounts?.reduce((sum, { amount }) => sum + amount, 0) ?? line.discount_amount ?? 0;
  const oldTax = (line.tax_amounts ?? []).filter(({ inclusive }) => inclusive === true);
  const tax = (line.taxes ?? []).filter(({ tax_behavior: behavior }) => behavior === 'inclusive');
  const credits = (line.pretax_credit_amounts ?? []).filter(({ type }) => type === 'credit_balance_transaction');
  return [...oldTax, ...tax, ...credits].reduce((net, { amount }) => net - amount, line.amount - discounts);
}

interface Taxed {
  readonly tax?: number | null;
  readonly total_tax_amounts?: readonly { readonly amount: number }[] | null | undefined;
  readonly tax_amounts?: readonly { readonly amount: number }[] | null | undefined;
  readonly total_taxes?: readonly { readonly amount: number }[] | null | undefined;
}

/** The tax of an invoice or a credit note, included or added. */
function sumTax({ tax, total_taxes: taxes, total_tax_amounts: oldTaxes, tax_amounts: ofNote }: Taxed): number {
  const listed = taxes ?? oldTaxes ?? ofNote;
  return listed ? listed.reduce((sum, { amount }) => sum + amount, 0) : (tax ?? 0);
}
