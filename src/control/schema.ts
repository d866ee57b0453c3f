/**
 * The tables of the control store, the same in SQLite and PostgreSQL (docs/decisions/0002).
 * Rules that keep two dialects honest: money is decimal text, times are integer milliseconds since 1970,
 * booleans are 0 or 1, JSON is text, and an absent value is null.
 */
export interface ControlSchema {
  projects: ProjectRow;
  clients: ClientRow;
  client_secrets: ClientSecretRow;
  api_keys: ApiKeyRow;
  dimension_tags: DimensionTagRow;
  price_overrides: PriceOverrideRow;
  price_data: PriceDataRow;
  price_books: PriceBookRow;
  writers: WriterRow;
  lease: LeaseRow;
  days: DayRow;
}

export interface ProjectRow {
  id: string;
  name: string;
  type: 'revenue' | 'internal';
  timezone: string;
  at_risk_below_pct: number | null;
  created_at: number;
  /** Set when the project was deleted; its row stays, so that its id is never used again. */
  deleted_at: number | null;
  /** Set when nothing of a deleted project is left in either store. */
  purged_at: number | null;
}

export interface ClientRow {
  id: string;
  project_id: string;
  name: string | null;
  created_at: number;
  revoked_at: number | null;
}

export interface ClientSecretRow {
  id: string;
  client_id: string;
  hash: string;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
  revoked_at: number | null;
}

export interface ApiKeyRow {
  id: string;
  project_id: string;
  name: string | null;
  /** JSON array out of `read`, `write`. */
  scopes: string;
  hash: string;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
  revoked_at: number | null;
}

/** A tag of a customer. The dimension is in the key, so that users can carry tags in the same table. */
export interface DimensionTagRow {
  project_id: string;
  dimension: 'customer' | 'user';
  name: string;
  key: string;
  value: string;
}

export interface PriceOverrideRow {
  id: string;
  project_id: string;
  created_at: number;
  /** The override as JSON (D5.3). */
  definition: string;
}

/** Catalogue data or corrections by content hash: what keeps old price books whole when the package is updated (D5.7). */
export interface PriceDataRow {
  hash: string;
  data: string;
  created_at: number;
}

export interface PriceBookRow {
  id: string;
  project_id: string;
  catalogue_hash: string;
  corrections_hash: string;
  /** JSON array of the overrides in force. */
  overrides: string;
  activated_at: number;
}

/** One process start that stores events, and how far its events have become calls: an entry of the watermark vector. */
export interface WriterRow {
  id: string;
  started_at: number;
  last_seen_at: number;
  /** The highest sequence of this writer that is in the calls. */
  assembled_seq: number;
  /** The time of receipt of that event. */
  assembled_received_at: number;
}

/** One row: who assembles. */
export interface LeaseRow {
  id: number;
  holder: string;
  /** Raised whenever the holder changes. */
  epoch: number;
  expires_at: number;
  /** The last batch number given out: the version of the rows of `calls`. */
  version: number;
}

/** The generation of a project's day that answers are read from; a day without a row has generation 0. */
export interface DayRow {
  project_id: string;
  day: string;
  generation: number;
}
