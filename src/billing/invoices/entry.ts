import type { Day } from '../../lib/days.ts';
import type { Money } from '../../lib/money.ts';

export const invoiceKinds = ['usage', 'discount', 'credit', 'tax', 'other'] as const;
export type InvoiceKind = (typeof invoiceKinds)[number];

/** An entry of a provider's invoice (D18.1). */
export interface InvoiceEntry {
  /** The caller's own id. An entry with the same id replaces this one. */
  readonly externalId: string;
  readonly provider: string;
  /** First and last day at the provider, inclusive. */
  readonly dateFrom: Day;
  readonly dateTo: Day;
  /** The model as the invoice names it; undefined where it names none. */
  readonly model: string | undefined;
  /** USD. Discounts and credits are negative. */
  readonly amount: Money;
  readonly kind: InvoiceKind;
  /** What the invoice calls it, for people to recognise. */
  readonly description: string | undefined;
}
