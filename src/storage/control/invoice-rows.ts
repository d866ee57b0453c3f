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
