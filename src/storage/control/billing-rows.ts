import type { Generated } from 'kysely';

/** A webhook endpoint of Stripe (D17.1). */
export interface StripeHookRow {
  id: string;
  project_id: string;
  /** The signing secret, encrypted. */
  secret: string;
  /** Encrypted: the secret before the last rotation, which is still accepted. */
  old_secret: string | null;
  /** The metadata key that names the customer; null for none. */
  customer_key: string | null;
  /** How many events have changed something. */
  events: number;
  /** Stripe's time of the newest event that was accepted. */
  last_event_at: number | null;
  refused_at: number | null;
  refusal: string | null;
  created_at: number;
  updated_at: number;
  /** When it was deleted. The row stays, because its `customer_key` still names the customers of its objects. */
  deleted_at: number | null;
}

/** The known state of one Stripe object (D17.1). Revenue entries are made from these rows alone. */
export interface StripeObjectRow {
  project_id: string;
  /** Stripe's id. */
  id: string;
  kind: 'invoice' | 'credit_note' | 'charge' | 'payment' | 'customer';
  /** The invoice that it belongs to; null while that is not known. */
  invoice_id: string | null;
  /** The payment intent, or else the charge, that links charges to invoices. */
  payment: string | null;
  stripe_customer: string | null;
  /** JSON. */
  content: string;
  updated_at: number;
}

/** A pair (D17.2): a Stripe customer and the customer that it belongs to. */
export interface StripeCustomerRow {
  project_id: string;
  stripe_customer: string;
  customer: string;
  updated_at: number;
}

/** A project whose entries are being made again from its Stripe objects. Invoices after this one still wait. */
export interface StripeRemakeRow {
  project_id: string;
  after_invoice: string;
}

/** What one unit of a currency is worth from a day on (D17.3). */
export interface ExchangeRateRow {
  project_id: string;
  /** Upper case. */
  currency: string;
  day: string;
  /** Decimal USD. */
  usd: string;
  updated_at: number;
}

/** An entry of a provider's invoice (D18.1). */
export interface InvoiceEntryRow {
  project_id: string;
  external_id: string;
  provider: string;
  /** First and last day at the provider, inclusive. */
  date_from: string;
  date_to: string;
  /** Null when the entry names no model. */
  model: string | null;
  /** Decimal text with 12 fractional digits, in USD. */
  amount: string;
  kind: 'usage' | 'discount' | 'credit' | 'tax' | 'other';
  /** The text of the entry on the invoice. */
  description: string | null;
  created_at: number;
  updated_at: number;
}

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

/** What is paid whatever is called, shared by the calls of its days (D31.1). */
export interface SharedCostRow {
  project_id: string;
  external_id: string;
  name: string;
  /** Decimal text with 12 fractional digits, in USD. */
  amount: string;
  /** First and last day, inclusive. */
  date_from: string;
  date_to: string;
  allocate_by: 'cost' | 'calls' | 'tokens' | 'output_tokens' | 'elapsed';
  /** JSON: the filters of its calls, in one spelling. */
  scope: string;
  created_at: number;
  updated_at: number;
}

export const providerKinds = ['openai', 'anthropic', 'openrouter'] as const;
export type ProviderKind = (typeof providerKinds)[number];
export const modes = ['reconcile', 'meter'] as const;
export type Mode = (typeof modes)[number];

/** An account at a provider, read in the background (D30). */
export interface ProviderAccountRow {
  id: string;
  project_id: string;
  kind: ProviderKind;
  /** `meter` if its usage also becomes calls. */
  mode: Mode;
  /** The provider's key, encrypted; '' once the account is deleted. */
  secret: string;
  /** The first day to read. */
  since: string;
  /** The table of names, a JSON array. */
  names: string;
  /** Rises with every change that users make: a reading that began before it is given up. */
  revision: number;
  /** The last day of each part that is settled, as a JSON object. */
  read_through: string;
  /** When to read next. */
  next_at: number;
  /** The provider has asked for no request before. */
  not_before: number;
  /** Failed readings since the last success. */
  failures: number;
  succeeded_at: number | null;
  /** What the last successful reading read, as a JSON object. */
  last_read: string | null;
  /** Why the last reading failed; null after a success. */
  fault: string | null;
  fault_at: number | null;
  /** What the last change of the mode did, as a JSON object. */
  switched: string | null;
  created_at: number;
  updated_at: number;
  /** When it was deleted. The row stays until its calls and entries are taken out. */
  deleted_at: number | null;
}

/** A call that an account's usage became. */
export interface ProviderCallRow {
  project_id: string;
  account_id: string;
  event_id: string;
  /** The part of the provider's interface that it is from. */
  part: string;
  /** At the provider, in UTC. */
  day: string;
  /** The hash of the event that the log has; null while that is unsure, '' where it is to be posted once more. */
  content_hash: string | null;
}
