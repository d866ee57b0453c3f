// What revenue from Stripe is, as the API answers.

/** A webhook endpoint of Stripe that posts its events here. */
export interface StripeHook {
  readonly id: string;
  readonly url_path: string;
  /** The metadata key that names the customer; null for none. */
  readonly customer_key: string | null;
  readonly created_at: string;
  readonly last_event_at: string | null;
  readonly events: number;
  readonly last_refusal: { readonly at: string; readonly reason: string } | null;
}

export interface StripeHooks {
  readonly hooks: readonly StripeHook[];
  /** Entries that do not count, because their invoice is unknown. */
  readonly unlinked: { readonly credit_notes: number; readonly refunds: number };
}

/** The customer of a Stripe customer. */
export interface StripePair {
  readonly stripe_customer: string;
  readonly customer: string;
}

/** What one unit of a currency is worth from a day on. */
export interface ExchangeRate {
  readonly currency: string;
  readonly day: string;
  readonly usd: number;
}

/** Revenue of a Stripe customer that is paired with no customer. */
export interface UnmappedRevenue {
  readonly stripe_customer: string;
  readonly amount: number;
  readonly entries: number;
}

/** Revenue that doesn't count for want of an exchange rate, in its own currency. */
export interface RevenueWithoutRate {
  readonly currency: string;
  readonly amount: number;
  readonly entries: number;
}
