import { parseJson } from '../../../lib/json.ts';

/**
 * The parts of Stripe's objects from which revenue entries are computed; Farthing keeps nothing else of them. Amounts
 * are whole minor units, as in Stripe; times are seconds since 1970.
 */
export type StripeObject = StripeInvoice | StripeCreditNote | StripeCharge | StripePayment | StripeCustomer;

export type Metadata = Readonly<Record<string, string>>;

interface Seen {
  readonly id: string;
  /** The time of this state in Stripe. Of two states of an object the later one counts. */
  readonly at: number;
  readonly customer: string | null;
}

export const invoiceStatuses = ['draft', 'open', 'uncollectible', 'paid', 'void'] as const;

export interface StripeInvoice extends Seen {
  readonly kind: 'invoice';
  readonly status: (typeof invoiceStatuses)[number];
  /** Upper case. */
  readonly currency: string;
  /** With tax. */
  readonly total: number;
  /** Net of discounts and tax. */
  readonly net: number;
  /** When it was paid, or else finalized, or else created. */
  readonly paidAt: number;
  /** The payment intent, or else the charge, that paid it; null where the version of the API does not say. */
  readonly payment: string | null;
  /** The invoice's metadata, then its subscription's. */
  readonly metadata: readonly Metadata[];
  readonly lines: Lines<StripeLine>;
}

/** Lines of an object. A webhook carries only the first ten. */
export interface Lines<T> {
  readonly isComplete: boolean;
  readonly list: readonly T[];
}

export interface StripeLine {
  readonly id: string;
  readonly net: number;
  readonly from: number;
  /** Exclusive, unless it equals `from`. */
  readonly to: number;
  readonly metadata: Metadata;
}

export interface StripeCreditNote extends Seen {
  readonly kind: 'credit_note';
  readonly invoice: string;
  readonly isVoid: boolean;
  readonly issuedAt: number;
  readonly net: number;
  /** The part, with tax, that refunds of charges pay back. Those refunds must not count again. */
  readonly refunded: number;
  readonly lines: Lines<CreditNoteLine>;
}

export interface CreditNoteLine {
  readonly id: string;
  /** The line of the invoice that it credits; null for a line of its own. */
  readonly credits: string | null;
  readonly net: number;
}

export interface StripeCharge extends Seen {
  readonly kind: 'charge';
  /** Null where the version of the API does not say. */
  readonly invoice: string | null;
  readonly payment: string;
  /** How much, with tax, was refunded up to a time: `[time, sum]`, in order of time. */
  readonly refunds: readonly (readonly [number, number])[];
}

/** Records that a payment intent, or a charge, pays an invoice. */
export interface StripePayment extends Seen {
  readonly kind: 'payment';
  readonly invoice: string;
  readonly payment: string;
}

export interface StripeCustomer extends Seen {
  readonly kind: 'customer';
  readonly metadata: Metadata;
}

/** Keeps the larger of two states in a total order, so that neither the order nor repetition of events matters. */
export function mergeObjects(a: StripeObject, b: StripeObject): StripeObject {
  if (a.kind === 'charge' && b.kind === 'charge') return mergeCharges(a, b);
  const later = pickLater(a, b);
  // A finalized invoice keeps its lines, so a later event with only some of them must not replace the complete list.
  if (later.kind === 'invoice' && a.kind === 'invoice' && b.kind === 'invoice') {
    return { ...later, lines: pickLines(a, b).lines };
  }
  if (later.kind === 'credit_note' && a.kind === 'credit_note' && b.kind === 'credit_note') {
    return { ...later, lines: pickLines(a, b).lines };
  }
  return later;
}

function pickLater<T extends StripeObject>(a: T, b: T): T {
  if (a.at !== b.at) return a.at > b.at ? a : b;
  const [rankA, rankB] = [rank(a), rank(b)];
  if (rankA !== rankB) return rankA > rankB ? a : b;
  return writeHead(a) >= writeHead(b) ? a : b;
}

/** The object without its lines, which are merged separately. */
const writeHead = (object: StripeObject): string => JSON.stringify({ ...object, lines: undefined });

/** Ranks two states of the same second: the higher one cannot come before the other. */
function rank(object: StripeObject): number {
  if (object.kind === 'invoice') return invoiceStatuses.indexOf(object.status);
  return object.kind === 'credit_note' && object.isVoid ? 1 : 0;
}

function pickLines<T extends StripeInvoice | StripeCreditNote>(a: T, b: T): T {
  if (a.lines.isComplete !== b.lines.isComplete) return a.lines.isComplete ? a : b;
  const [lengthA, lengthB] = [a.lines.list.length, b.lines.list.length];
  if (lengthA !== lengthB) return lengthA > lengthB ? a : b;
  return writeLines(a) >= writeLines(b) ? a : b;
}

const writeLines = ({ lines }: StripeInvoice | StripeCreditNote): string => JSON.stringify(lines.list);

/** Keeps the refunds of both, each with its day. Other fields never change: each is of the state that has it. */
function mergeCharges(a: StripeCharge, b: StripeCharge): StripeCharge {
  const refunds = new Map<number, number>();
  for (const [time, sum] of [...a.refunds, ...b.refunds]) refunds.set(time, Math.max(sum, refunds.get(time) ?? 0));
  return {
    ...a,
    at: Math.max(a.at, b.at),
    customer: pickKnown(a.customer, b.customer),
    invoice: pickKnown(a.invoice, b.invoice),
    payment: pickKnown(a.payment, b.payment) ?? a.payment,
    refunds: [...refunds].sort(([timeA], [timeB]) => timeA - timeB),
  };
}

const pickKnown = (a: string | null, b: string | null): string | null => (a !== null && (b === null || a > b) ? a : b);

/** An object as it is stored; equal objects have equal texts. */
export const writeObject = (object: StripeObject): string => JSON.stringify(object);

/** Whether two stored objects are equal apart from their time. */
export function saysTheSame(contentA: string, contentB: string): boolean {
  const [a, b] = [contentA, contentB].map((content) => writeObject({ ...(parseJson(content) as StripeObject), at: 0 }));
  return a === b;
}
