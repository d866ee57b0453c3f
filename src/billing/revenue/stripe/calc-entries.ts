import { compareCodePoints } from '../../../lib/code-points.ts';
import type { Lines, Metadata, StripeCharge, StripeCreditNote, StripeInvoice, StripeLine } from './objects.ts';
import { listUncovered, type Refund } from './refunds.ts';

/** An invoice with the credit notes and charges that reduce it. */
export interface InvoiceState {
  readonly invoice: StripeInvoice;
  readonly creditNotes: readonly StripeCreditNote[];
  readonly charges: readonly StripeCharge[];
}

/** Revenue of an invoice, in whole minor units of its currency. */
export interface StripeEntry {
  /** Stays the same for a line, so that a changed entry replaces the stored one. */
  readonly externalId: string;
  /** The customer that the metadata names; undefined for none. */
  readonly name: string | undefined;
  readonly amount: bigint;
  /** Seconds since 1970. */
  readonly from: number;
  /** Exclusive, unless it equals `from`. */
  readonly to: number;
}

/** The most specific metadata come first and win; undefined when none name a customer. */
export type NameOf = (metadata: readonly Metadata[]) => string | undefined;

/**
 * The revenue entries of an invoice (D17.1): none while it is not paid. Each line earns over its own period, net of
 * discounts and tax. Credit notes and refunds are negative entries on their days; a refund by a credit note counts
 * once. The entries add up to the invoice's total, net of tax, less credits and refunds.
 */
export function calcEntries({ invoice, creditNotes, charges }: InvoiceState, nameOf: NameOf): StripeEntry[] {
  if (invoice.status !== 'paid') return [];
  const names = nameLines(invoice, nameOf);
  const issued = creditNotes.filter(({ isVoid }) => !isVoid).sort((a, b) => compareCodePoints(a.id, b.id));
  const entries = [
    ...calcLines(invoice, names),
    ...issued.flatMap((note) => calcCreditNote(note, names)),
    ...listUncovered(invoice, issued, charges).flatMap((refund) => calcRefund(refund, names)),
  ];
  return entries
    .filter(({ amount }) => amount !== 0n)
    .map((entry) => ({ ...entry, externalId: `stripe:${invoice.id}:${entry.externalId}` }));
}

/** The customers that an invoice's metadata name. */
interface Names {
  readonly byLine: ReadonlyMap<string, string | undefined>;
  /** The part of the invoice that each customer pays. */
  readonly shares: readonly { readonly name: string | undefined; readonly weight: bigint }[];
}

function nameLines({ lines, metadata }: StripeInvoice, nameOf: NameOf): Names {
  const byLine = new Map<string, string | undefined>();
  const weights = new Map<string | undefined, bigint>();
  for (const line of lines.list) {
    const name = nameOf([line.metadata, ...metadata]);
    byLine.set(line.id, name);
    if (line.net > 0) weights.set(name, (weights.get(name) ?? 0n) + BigInt(line.net));
  }
  const shares = [...weights]
    .map(([name, weight]) => ({ name, weight }))
    .sort((a, b) => compareCodePoints(a.name ?? '', b.name ?? ''));
  return { byLine, shares: shares.length > 0 ? shares : [{ name: nameOf(metadata), weight: 1n }] };
}

function calcLines(invoice: StripeInvoice, names: Names): StripeEntry[] {
  const { lines, net, paidAt } = invoice;
  const { amounts, rest } = settle(lines, net);
  const entries = lines.list.map(({ id, from, to }, index) => ({
    externalId: id,
    name: names.byLine.get(id),
    amount: amounts[index] ?? 0n,
    from,
    to,
  }));
  return [...entries, ...spread({ externalId: 'rest', amount: rest, ...spanOf(lines.list, paidAt) }, names)];
}

/** From the first day of the lines to their last. */
function spanOf(lines: readonly StripeLine[], paidAt: number): Pick<StripeEntry, 'from' | 'to'> {
  if (lines.length === 0) return { from: paidAt, to: paidAt };
  const from = Math.min(...lines.map((line) => line.from));
  return { from, to: Math.max(from, ...lines.map(({ to }) => to)) };
}

function calcCreditNote({ id, lines, net, issuedAt }: StripeCreditNote, names: Names): StripeEntry[] {
  const { amounts, rest } = settle(lines, net);
  const on = { from: issuedAt, to: issuedAt };
  const entries = lines.list.flatMap((line, index) => {
    const entry = { externalId: `${id}:${line.id}`, amount: -(amounts[index] ?? 0n), ...on };
    const isOfLine = line.credits !== null && names.byLine.has(line.credits);
    return isOfLine ? [{ ...entry, name: names.byLine.get(line.credits ?? '') }] : spread(entry, names);
  });
  return [...entries, ...spread({ externalId: `${id}:rest`, amount: -rest, ...on }, names)];
}

const calcRefund = ({ charge, time, net }: Refund, names: Names): StripeEntry[] =>
  spread({ externalId: `${charge}:${time}`, amount: -net, from: time, to: time }, names);

/** Shares an amount that belongs to no line among the invoice's customers, in proportion to what they pay. */
function spread(entry: Omit<StripeEntry, 'name'>, { shares }: Names): StripeEntry[] {
  const amounts = apportion(
    entry.amount,
    shares.map(({ weight }) => weight),
  );
  return shares.map(({ name }, index) => ({
    ...entry,
    externalId: index === 0 ? entry.externalId : `${entry.externalId}:${index}`,
    name,
    amount: amounts[index] ?? 0n,
  }));
}

/**
 * Splits a whole amount by weights, so that the parts add up to it. Each part is rounded towards 0. The parts that lost
 * the most by rounding get 1 more each, until the sum is exact. Without a weight above 0, the first part gets
 * everything.
 */
function apportion(amount: bigint, weights: readonly bigint[]): bigint[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  if (total <= 0n) return weights.map((_, index) => (index === 0 ? amount : 0n));
  const [magnitude, sign] = amount < 0n ? [-amount, -1n] : [amount, 1n];
  const parts = weights.map((weight) => (magnitude * weight) / total);
  const lost = weights.map((weight, index) => ({ index, lost: (magnitude * weight) % total }));
  lost.sort((a, b) => (a.lost === b.lost ? a.index - b.index : a.lost > b.lost ? -1 : 1));
  const left = magnitude - parts.reduce((sum, part) => sum + part, 0n);
  for (const { index } of lost.slice(0, Number(left))) parts[index] = (parts[index] ?? 0n) + 1n;
  return parts.map((part) => sign * part);
}

/**
 * The amounts of an object's lines, and the rest: the part of its net total that belongs to no known line. When all
 * lines are known, the rest is shared among them. It can be a coupon on the whole invoice, in old API versions.
 */
function settle(
  { list, isComplete }: Lines<{ readonly net: number }>,
  net: number,
): { readonly amounts: readonly bigint[]; readonly rest: bigint } {
  const amounts = list.map((line) => BigInt(line.net));
  const rest = BigInt(net) - amounts.reduce((sum, amount) => sum + amount, 0n);
  const weights = amounts.map((amount) => (amount > 0n ? amount : 0n));
  if (rest === 0n || !isComplete || !weights.some((weight) => weight > 0n)) return { amounts, rest };
  const shares = apportion(rest, weights);
  return { amounts: amounts.map((amount, index) => amount + (shares[index] ?? 0n)), rest: 0n };
}
