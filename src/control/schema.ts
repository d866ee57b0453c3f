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
  rebuilds: RebuildRow;
  credit_grants: CreditGrantRow;
  revenue_entries: RevenueEntryRow;
  key_metrics: KeyMetricRow;
  kept_readings: KeptReadingRow;
  sessions: SessionRow;
  erasures: ErasureRow;
  catalogue_updates: CatalogueUpdateRow;
  backups: BackupRow;
}

export interface ProjectRow {
  id: string;
  name: string;
  type: 'revenue' | 'internal';
  timezone: string;
  /** The timezone that the project's days are being rebuilt for, until it is in force. */
  pending_timezone: string | null;
  /** The generation of every day that has no row in `days`. */
  base_generation: number;
  at_risk_below_pct: number | null;
  /** For how many days before today events and calls are kept; null for ever. */
  retention_days: number | null;
  /** The days before it are frozen: their rollups are all that counts of them. It only ever rises. */
  frozen_before: string | null;
  /** When it last rose. */
  frozen_at: number | null;
  /** The events and calls of the days before it are deleted. */
  cleared_before: string | null;
  /** The day up to which they are being deleted; null while nothing is. */
  clearing_before: string | null;
  /** How many of these deletions have been begun. */
  clearing_step: number;
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
  /** The timezone that the overrides' effective days are in. */
  timezone: string;
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
  /** The highest sequence up to which all are stored; null when what is in the log has no gaps anyway. */
  stored_seq: number | null;
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

/** A project's day: the generation that answers are read from, and whether its calls are rolled up. */
export interface DayRow {
  project_id: string;
  day: string;
  generation: number;
  /** Raised whenever calls of the day are about to change. */
  touched: number;
  touched_at: number;
  /** What `touched` was when the day was sealed: the rollup counts as long as it still is. */
  sealed: number;
  /** The number that the rows of the rollup have; 0 before the first. */
  seal: number;
}

/** A new generation of a project's days: asked for, under way, in force or thrown away. The reprices among them are a log (D5.5). */
export interface RebuildRow {
  id: string;
  project_id: string;
  kind: 'reprice' | 'timezone' | 'rebuild';
  /** 1 when it only shows the difference. */
  dry_run: number;
  state: 'queued' | 'running' | 'done' | 'failed';
  /** Who asked: `admin`, or the id of an API key. */
  requested_by: string;
  /** The days that it covers, in `timezone`; null for all. */
  date_from: string | null;
  date_to: string | null;
  /** The timezone of its days. */
  timezone: string;
  /** The book that prices what it covers; null for the book of each call. */
  price_book_id: string | null;
  /** The number that its rows of `calls` have. */
  generation: number;
  created_at: number;
  finished_at: number | null;
  /** When the rows that it put out of use, or its own, began to be deleted. */
  cleaned_at: number | null;
  /** Times of receipt in milliseconds: events after `mark` reach the new generation by assembly; events to `position` have. */
  mark: number | null;
  position: number | null;
  /** Events to go through, and those gone through. */
  events_total: number;
  events_done: number;
  /** JSON: the difference between the generations, once it is done. */
  report: string | null;
  /** Why it failed. */
  failure: string | null;
}

/** A free credit grant (D7.1). */
export interface CreditGrantRow {
  id: string;
  project_id: string;
  name: string | null;
  provider: string;
  /** JSON array of model names that may end in `*`; null for all. */
  models: string | null;
  /** Decimal USD. */
  amount: string;
  starts_on: string;
  expires_on: string | null;
  priority: number;
  created_at: number;
}

/** Revenue of a customer, earned evenly over its days (D8.1). */
export interface RevenueEntryRow {
  project_id: string;
  external_id: string;
  customer: string;
  /** Decimal USD; may be negative. */
  amount: string;
  date_from: string;
  date_to: string;
  created_at: number;
  updated_at: number;
}

/** What counts as output of a project (D9.1). */
export interface KeyMetricRow {
  project_id: string;
  name: string;
  event_type: string;
  aggregation: 'count' | 'sum' | 'unique';
  /** JSON Pointer into the event, for `sum` and `unique`. */
  field: string | null;
  /** JSON array of the features whose cost counts; null for all. */
  features: string | null;
  unit: string | null;
  created_at: number;
  updated_at: number;
}

/** Of which frozen days a reading of key metrics is kept; counts of events are kept of all. */
export interface KeptReadingRow {
  project_id: string;
  /** `identifyReading` */
  reading: string;
  kept_from: string;
  /** Exclusive. */
  kept_before: string;
}

/** A sign-in of the page: a random id, kept as its SHA-256, that stands for an API key or the admin token (D2). */
export interface SessionRow {
  id_hash: string;
  /** SHA-256 of the key or token that signed in: when that no longer opens anything, neither does the session. */
  credential_hash: string;
  created_at: number;
  expires_at: number;
}

/** A customer or user whose data is to go, or has gone (D2). */
export interface ErasureRow {
  id: string;
  project_id: string;
  dimension: 'customer' | 'user';
  name: string;
  created_at: number;
  /** How many of the deletions have been begun. */
  step: number;
  /** When nothing was left; the name is emptied then. */
  finished_at: number | null;
}

/** Price catalogue data that was fetched, newer than that of the installed package (D5.2). */
export interface CatalogueUpdateRow {
  hash: string;
  /** The package that was installed then: a newer package supersedes what was fetched before. */
  package_version: string;
  fetched_at: number;
}

/** A backup that is being read: until it is done or has expired, nothing of what it reads is deleted. */
export interface BackupRow {
  id: string;
  created_at: number;
  expires_at: number;
  /** What it is made of, as JSON. */
  plan: string;
}
