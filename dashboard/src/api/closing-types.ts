// What invoices, reconciliation and closes are, as the API answers.

export type InvoiceKind = 'usage' | 'discount' | 'credit' | 'tax' | 'other';

/** An entry of a provider's invoice. */
export interface InvoiceEntry {
  readonly external_id: string;
  readonly provider: string;
  readonly date_from: string;
  readonly date_to: string;
  /** Null where the invoice names none. */
  readonly model: string | null;
  /** USD; negative for a discount or credit. */
  readonly amount: number;
  readonly kind: InvoiceKind;
  readonly description: string | null;
}

export type PartKind =
  | 'timing'
  | 'unpriced'
  | 'not_seen'
  | 'not_invoiced'
  | 'price'
  | 'discount'
  | 'credit'
  | 'tax'
  | 'rest';

/** A price that would close a part: the body of `POST /api/prices/`. Rates are USD per million tokens. */
export interface OfferedPrice {
  readonly provider?: string;
  readonly model: string;
  readonly effective_from: string;
  readonly effective_to?: string;
  readonly input_per_mtok: number;
  readonly output_per_mtok: number;
  readonly cache_read_per_mtok?: number;
  readonly cache_write_per_mtok?: number;
  readonly input_audio_per_mtok?: number;
  readonly output_audio_per_mtok?: number;
  readonly reasoning_per_mtok?: number;
  readonly per_request?: number;
  readonly units?: Readonly<Record<string, number>>;
}

export interface DifferencePart {
  readonly kind: PartKind;
  /** USD; what it adds to the difference. */
  readonly amount: number;
  readonly calls?: number;
  readonly hint: string;
  readonly override?: OfferedPrice;
}

/** What is computed and what is invoiced, and the parts of the difference. */
export interface ReconciliationRow {
  readonly date_from: string;
  readonly date_to: string;
  readonly provider?: string;
  readonly model?: string;
  readonly computed: number;
  readonly invoiced: number;
  /** Above 0, the invoice is higher. */
  readonly difference: number;
  /** Null when nothing is computed. */
  readonly difference_pct: number | null;
  readonly parts: readonly DifferencePart[];
}

/** All days up to one, as they were. */
export interface Close {
  readonly id: string;
  readonly through: string;
  readonly created_at: string;
  readonly note: string | null;
  /** Of the days of the close. */
  readonly timezone: string;
  readonly days: number;
}

export type DriftCause = 'late_events' | 'reprice' | 'timezone' | 'erasure' | 'revenue' | 'credits';

/** What has changed since a close, in USD: now less then. `credits` is what they cover of the cost. */
export interface DriftAmounts {
  readonly cost: number;
  readonly revenue: number;
  readonly credits: number;
}

/** An amount that did not change is left out. */
export interface DriftRow extends Partial<DriftAmounts> {
  readonly day: string;
  /** Empty for calls without a customer, and for what was erased. */
  readonly customer: string;
  readonly cause: DriftCause;
}

export interface DriftPage {
  /** Grouped rows have the name of their group alone. */
  readonly rows: readonly Partial<DriftRow>[];
  readonly totals: DriftAmounts;
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}
