// Stripe's webhooks in several versions of its API: invented invoices in the objects that Stripe publishes.
import { readFileSync } from 'node:fs';
import { z } from 'zod';

export type Json = Record<string, unknown>;

export const apiVersions = ['2020-08-27', '2024-06-20', '2026-07-29'] as const;
export type ApiVersion = (typeof apiVersions)[number];

const published = z.object({ objects: z.record(z.string(), z.record(z.string(), z.unknown())) });
const objectsOf = new Map(
  apiVersions.map((version) => {
    const path = new URL(`../fixtures/stripe/${version}.json`, import.meta.url);
    return [version, published.parse(JSON.parse(readFileSync(path, 'utf8'))).objects];
  }),
);

/** An object as Stripe publishes it for a version, with fields of its own. */
function objectOf(version: ApiVersion, name: string, fields: Json): Json {
  const base = objectsOf.get(version)?.[name];
  if (base === undefined) throw new Error(`${version} has no ${name}`);
  return { ...base, ...fields };
}

/** An invoice to be put into webhooks. Amounts are minor units, times seconds since 1970. */
export interface MadeInvoice {
  id: string;
  customer: string;
  currency: string;
  version: ApiVersion;
  madeAt: number;
  fate: 'paid' | 'void' | 'uncollectible' | 'uncollectible, then paid';
  lines: MadeLine[];
  creditNotes: MadeCreditNote[];
  refunds: { at: number; amount: number }[];
  metadata?: Record<string, string>;
  subscriptionMetadata?: Record<string, string>;
  /** A coupon of the whole invoice, for versions whose discounts have no amounts by line. */
  hidesDiscounts?: boolean;
  /** Only the first lines are in webhooks. */
  linesInWebhooks?: number;
}

export interface MadeLine {
  amount: number;
  discount?: number;
  tax?: number;
  isTaxIncluded?: boolean;
  from: number;
  to: number;
  metadata?: Record<string, string>;
}

export interface MadeCreditNote {
  at: number;
  /** The line that it credits, and how much of it, without tax. */
  line: number;
  amount: number;
  tax?: number;
  /** Given back to the card that paid, by a refund of the whole. */
  isRefunded: boolean;
  isVoided?: boolean;
}

const lineId = ({ id }: MadeInvoice, index: number): string => `il_${id}_${index}`;
const creditNoteId = ({ id }: MadeInvoice, index: number): string => `cn_${id}_${index}`;
const chargeId = ({ id }: MadeInvoice): string => `ch_${id}`;

const sum = <T>(list: readonly T[], of: (one: T) => number): number => list.reduce((total, one) => total + of(one), 0);

/** The totals of the invoice, with tax and without. */
export function totalsOf({ lines }: MadeInvoice) {
  const tax = sum(lines, (line) => line.tax ?? 0);
  const included = sum(lines, (line) => (line.isTaxIncluded === true ? (line.tax ?? 0) : 0));
  const discounted = sum(lines, ({ amount, discount = 0 }) => amount - discount);
  return { tax, total: discounted + tax - included, net: discounted - included };
}

const totalOf = ({ amount, tax = 0 }: MadeCreditNote): number => amount + tax;

const event = (type: string, created: number, object: Json): Json => ({
  id: `evt_${type}_${String(object.id)}_${created}`,
  object: 'event',
  type,
  created,
  livemode: false,
  data: { object },
});

/** The webhooks of an invoice, in the order in which Stripe makes them. */
export function eventsOf(made: MadeInvoice): Json[] {
  const paidAt = made.madeAt + 60;
  const paid = [event('invoice.paid', paidAt, invoiceOf(made, 'paid'))];
  if (made.version === '2026-07-29') paid.push(event('invoice_payment.paid', paidAt, paymentOf(made)));
  const lost = event('invoice.marked_uncollectible', made.madeAt + 30, invoiceOf(made, 'uncollectible'));
  const events = {
    paid,
    void: [event('invoice.voided', made.madeAt + 60, invoiceOf(made, 'void'))],
    uncollectible: [lost],
    'uncollectible, then paid': [lost, ...paid],
  }[made.fate];
  made.creditNotes.forEach((note, index) => {
    events.push(event('credit_note.created', note.at, creditNoteOf(made, index, 'issued')));
    if (note.isVoided === true)
      events.push(event('credit_note.voided', note.at + 5, creditNoteOf(made, index, 'void')));
  });
  return [...events, ...chargesOf(made)].sort((a, b) => Number(a.created) - Number(b.created));
}

/** A webhook for each refund, whose sums grow. */
function chargesOf(made: MadeInvoice): Json[] {
  const refunds = [
    ...made.refunds,
    ...made.creditNotes
      .filter(({ isRefunded }) => isRefunded)
      .map((note) => ({ at: note.at + 1, amount: totalOf(note) })),
  ].sort((a, b) => a.at - b.at);
  let refunded = 0;
  return refunds.map(({ at, amount }, index) => {
    refunded += amount;
    return event('charge.refunded', at, chargeOf(made, refunded, refunds.slice(0, index + 1)));
  });
}

const pick = (version: ApiVersion, old: Json, now: Json): Json => (version === '2026-07-29' ? now : old);

export function invoiceOf(made: MadeInvoice, status: 'paid' | 'void' | 'uncollectible', isWhole = false): Json {
  const { id, customer, currency, version, madeAt, metadata = {}, subscriptionMetadata = {} } = made;
  const { tax, total, net } = totalsOf(made);
  const shown = isWhole ? made.lines.length : Math.min(made.linesInWebhooks ?? 10, made.lines.length);
  return objectOf(version, 'invoice', {
    ...{ id, customer, currency, status, metadata, created: madeAt, total, subtotal: total },
    paid: status === 'paid',
    status_transitions: {
      finalized_at: madeAt,
      marked_uncollectible_at: made.fate.startsWith('uncollectible') ? madeAt + 30 : null,
      paid_at: status === 'paid' ? madeAt + 60 : null,
      voided_at: status === 'void' ? madeAt + 60 : null,
    },
    lines: {
      object: 'list',
      data: made.lines.slice(0, shown).map((line, index) => lineOf(made, line, index)),
      has_more: shown < made.lines.length,
    },
    ...(version !== '2020-08-27' && { total_excluding_tax: net }),
    ...pick(
      version,
      {
        tax: tax === 0 ? null : tax,
        total_tax_amounts: tax === 0 ? [] : [{ amount: tax, inclusive: false }],
        payment_intent: `pi_${id}`,
        charge: chargeId(made),
      },
      {
        total_taxes: tax === 0 ? null : [{ amount: tax, tax_behavior: 'exclusive', type: 'tax_rate_details' }],
        parent: { type: 'subscription_details', subscription_details: { metadata: subscriptionMetadata } },
      },
    ),
    ...(version === '2024-06-20' && { subscription_details: { metadata: subscriptionMetadata } }),
  });
}

function lineOf(made: MadeInvoice, line: MadeLine, index: number): Json {
  const { amount, discount = 0, tax = 0, isTaxIncluded = false, from, to, metadata = {} } = line;
  const { version, hidesDiscounts } = made;
  const base = z
    .object({ data: z.array(z.record(z.string(), z.unknown())) })
    .parse(objectsOf.get(version)?.invoice?.lines);
  return {
    ...base.data[0],
    ...{ id: lineId(made, index), amount, currency: made.currency, period: { start: from, end: to }, metadata },
    discount_amounts: discount === 0 || hidesDiscounts === true ? [] : [{ amount: discount, discount: 'di_1' }],
    ...(tax !== 0 &&
      pick(
        version,
        { tax_amounts: [{ amount: tax, inclusive: isTaxIncluded, tax_rate: 'txr_1' }] },
        { taxes: [{ amount: tax, tax_behavior: isTaxIncluded ? 'inclusive' : 'exclusive' }] },
      )),
  };
}

function creditNoteOf(made: MadeInvoice, index: number, status: 'issued' | 'void'): Json {
  const note = made.creditNotes[index];
  if (!note) throw new Error(`${made.id} has no credit note ${index}`);
  const { at, line, amount, tax = 0, isRefunded } = note;
  const { version } = made;
  const total = totalOf(note);
  const refund = `re_${creditNoteId(made, index)}`;
  return objectOf(version, 'credit_note', {
    ...{ id: creditNoteId(made, index), customer: made.customer, invoice: made.id, currency: made.currency, status },
    ...{ created: at, total, amount: total, type: 'post_payment' },
    voided_at: status === 'void' ? at + 5 : null,
    ...(version !== '2020-08-27' && { effective_at: at, total_excluding_tax: amount }),
    lines: {
      object: 'list',
      has_more: false,
      data: [
        {
          ...{ id: `cnli_${creditNoteId(made, index)}`, object: 'credit_note_line_item', type: 'invoice_line_item' },
          ...{ amount, discount_amount: 0, invoice_line_item: lineId(made, line) },
          ...pick(
            version,
            { tax_amounts: tax === 0 ? [] : [{ amount: tax, inclusive: false }] },
            { taxes: tax === 0 ? [] : [{ amount: tax, tax_behavior: 'exclusive' }] },
          ),
        },
      ],
    },
    ...pick(
      version,
      { tax_amounts: tax === 0 ? [] : [{ amount: tax, inclusive: false }], refund: isRefunded ? refund : null },
      {
        total_taxes: tax === 0 ? null : [{ amount: tax, tax_behavior: 'exclusive' }],
        refunds: isRefunded ? [{ refund, amount_refunded: total, type: 'refund' }] : [],
      },
    ),
  });
}

function chargeOf(made: MadeInvoice, refunded: number, refunds: readonly { at: number; amount: number }[]): Json {
  const { id, customer, currency, version, madeAt } = made;
  const { refunds: _, ...charge } = objectOf(version, 'charge', {
    ...{ id: chargeId(made), customer, currency, created: madeAt + 59, payment_intent: `pi_${id}` },
    ...{ amount: totalsOf(made).total, amount_refunded: refunded },
    ...(version !== '2026-07-29' && { invoice: id }),
  });
  if (version !== '2020-08-27') return charge;
  const data = refunds.map(({ at, amount }, index) =>
    objectOf(version, 'refund', { id: `re_${id}_${index}`, amount, created: at, status: 'succeeded' }),
  );
  return { ...charge, refunds: { object: 'list', data: data.toReversed(), has_more: false } };
}

const paymentOf = (made: MadeInvoice): Json =>
  objectOf('2026-07-29', 'invoice_payment', {
    ...{ id: `inpay_${made.id}`, invoice: made.id, status: 'paid', amount_paid: totalsOf(made).total },
    payment: { type: 'payment_intent', payment_intent: `pi_${made.id}` },
  });

export const customerEvent = (id: string, metadata: Record<string, string>, created: number): Json =>
  event('customer.updated', created, objectOf('2024-06-20', 'customer', { id, metadata }));
