import type { Generated } from 'kysely';

/** Revenue of a customer, earned evenly over its days (D8.1). */
export interface RevenueEntryRow {
  project_id: string;
  external_id: string;
  customer: string;
  /** Decimal, in `currency`; may be negative. */
  amount: string;
  date_from: string;
  date_to: string;
  created_at: number;
  updated_at: number;
  /** Upper case. */
  currency: Generated<string>;
  source: Generated<'api' | 'stripe'>;
  /** The day whose exchange rate counts; null for USD. */
  rate_day: Generated<string | null>;
  /** The Stripe customer and invoice that it comes from. */
  stripe_customer: Generated<string | null>;
  stripe_invoice: Generated<string | null>;
  /** 1 if the metadata of the invoice names the customer: pairs don't count then. */
  is_named: Generated<number>;
}
