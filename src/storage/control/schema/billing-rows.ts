import type { Generated } from 'kysely';
import { audited, column, type RowsOf } from './audited.ts';

export const billingTables = {
  /** A webhook endpoint of Stripe (D17.1). */
  stripe_hooks: audited('stripe_webhook', {
    id: column<string>('key'),
    project_id: column<string>('project'),
    /** The signing secret, encrypted. */
    secret: column<string>('secret'),
    /** Encrypted: the secret before the last rotation, which is still accepted. */
    old_secret: column<string | null>('hidden'),
    /** The metadata key that names the customer; null for none. */
    customer_key: column<string | null>('text'),
    /** How many events have changed something. */
    events: column<number>('hidden'),
    /** Stripe's time of the newest event that was accepted. */
    last_event_at: column<number | null>('hidden'),
    refused_at: column<number | null>('hidden'),
    refusal: column<string | null>('hidden'),
    created_at: column<number>('hidden'),
    updated_at: column<number>('hidden'),
    /** When it was deleted. The row stays, because its `customer_key` still names the customers of its objects. */
    deleted_at: column<number | null>('end'),
  }),

  /** A pair (D17.2): a Stripe customer and the customer that it belongs to. */
  stripe_customers: audited('stripe_customer', {
    project_id: column<string>('project'),
    stripe_customer: column<string>('key'),
    customer: column<string>('text'),
    updated_at: column<number>('hidden'),
  }),

  /** What one unit of a currency is worth from a day on (D17.3). */
  exchange_rates: audited('exchange_rate', {
    project_id: column<string>('project'),
    /** Upper case. */
    currency: column<string>('key'),
    day: column<string>('key'),
    /** Decimal USD. */
    usd: column<string>('amount'),
    updated_at: column<number>('hidden'),
  }),

  /** An entry of a provider's invoice (D18.1). */
  invoice_entries: audited('invoice_entry', {
    project_id: column<string>('project'),
    external_id: column<string>('key'),
    provider: column<string>('text'),
    /** First and last day at the provider, inclusive. */
    date_from: column<string>('text'),
    date_to: column<string>('text'),
    /** Null when the entry names no model. */
    model: column<string | null>('text'),
    /** Decimal text with 12 fractional digits, in USD. */
    amount: column<string>('amount'),
    kind: column<'usage' | 'discount' | 'credit' | 'tax' | 'other'>('text'),
    /** The text of the entry on the invoice. */
    description: column<string | null>('text'),
    created_at: column<number>('hidden'),
    updated_at: column<number>('hidden'),
  }),

  /** Revenue of a customer, earned evenly over its days (D8.1). */
  revenue_entries: audited('revenue_entry', {
    project_id: column<string>('project'),
    external_id: column<string>('key'),
    customer: column<string>('text'),
    /** Decimal, in `currency`; may be negative. */
    amount: column<string>('amount'),
    /** Upper case. */
    currency: column<Generated<string>>('text'),
    date_from: column<string>('text'),
    date_to: column<string>('text'),
    created_at: column<number>('hidden'),
    updated_at: column<number>('hidden'),
    source: column<Generated<'api' | 'stripe'>>('text'),
    /** The day whose exchange rate counts; null for USD. */
    rate_day: column<Generated<string | null>>('text'),
    /** The Stripe customer and invoice that it comes from. */
    stripe_customer: column<Generated<string | null>>('text'),
    stripe_invoice: column<Generated<string | null>>('text'),
    /** 1 if the metadata of the invoice names the customer: pairs don't count then. */
    is_named: column<Generated<number>>('hidden'),
  }),

  /** Costs that do not depend on calls, shared by the calls of their days (D31.1). */
  shared_costs: audited('shared_cost', {
    project_id: column<string>('project'),
    external_id: column<string>('key'),
    name: column<string>('text'),
    /** Decimal text with 12 fractional digits, in USD. */
    amount: column<string>('amount'),
    /** First and last day, inclusive. */
    date_from: column<string>('text'),
    date_to: column<string>('text'),
    allocate_by: column<'cost' | 'calls' | 'tokens' | 'output_tokens' | 'elapsed'>('text'),
    /** JSON: the filters of its calls, in one spelling. */
    scope: column<string>('json'),
    created_at: column<number>('hidden'),
    updated_at: column<number>('hidden'),
  }),

  /** An account at a provider, read in the background (D30). */
  provider_accounts: audited('provider_account', {
    id: column<string>('key'),
    project_id: column<string>('project'),
    kind: column<ProviderKind>('text'),
    /** `meter` if its usage also becomes calls. */
    mode: column<Mode>('text'),
    /** The provider's key, encrypted; '' once the account is deleted. */
    secret: column<string>('secret'),
    /** The first day to read. */
    since: column<string>('text'),
    /** The table of names, a JSON array. */
    names: column<string>('json'),
    /** Rises with every change that users make: a read that began before it is given up. */
    revision: column<number>('hidden'),
    /** The last day of each part that is settled, as a JSON object. */
    read_through: column<string>('hidden'),
    /** When to read next. */
    next_at: column<number>('hidden'),
    /** The provider has asked for no request before. */
    not_before: column<number>('hidden'),
    /** Failed reads since the last success. */
    failures: column<number>('hidden'),
    succeeded_at: column<number | null>('hidden'),
    /** What the last successful read found, as a JSON object. */
    last_read: column<string | null>('hidden'),
    /** Why the last read failed; null after a success. */
    fault: column<string | null>('hidden'),
    fault_at: column<number | null>('hidden'),
    /** What the last change of the mode did, as a JSON object. */
    switched: column<string | null>('hidden'),
    created_at: column<number>('hidden'),
    updated_at: column<number>('hidden'),
    /** When it was deleted. The row stays until its calls and entries are taken out. */
    deleted_at: column<number | null>('end'),
  }),
};

type Rows = RowsOf<typeof billingTables>;

export type StripeHookRow = Rows['stripe_hooks'];
export type InvoiceEntryRow = Rows['invoice_entries'];
export type RevenueEntryRow = Rows['revenue_entries'];
export type SharedCostRow = Rows['shared_costs'];
export type ProviderAccountRow = Rows['provider_accounts'];

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

/** A project whose entries are being made again from its Stripe objects. Invoices after this one still wait. */
export interface StripeRemakeRow {
  project_id: string;
  after_invoice: string;
}

export const providerKinds = ['openai', 'anthropic', 'openrouter'] as const;
export type ProviderKind = (typeof providerKinds)[number];
export const modes = ['reconcile', 'meter'] as const;
export type Mode = (typeof modes)[number];

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
