/**
 * The tables of the control store, the same in SQLite and PostgreSQL (docs/decisions/0002).
 * Both dialects use the same types: money is decimal text, times are integer milliseconds since 1970,
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
  releases: ReleaseRow;
}

export interface ProjectRow {
  id: string;
  name: string;
  type: 'revenue' | 'internal';
  timezone: string;
  /** The new timezone while the project's days are being rebuilt for it; null otherwise. */
  pending_timezone: string | null;
  /** The generation of every day that has no row in `days`. */
  base_generation: number;
  at_risk_below_pct: number | null;
  /** How many days before today events and calls are kept; null for ever. */
  retention_days: number | null;
  /** 1 if prompts and answers that spans carry are stored, else 0. */
  keep_content: number;
  /** Days before this one are frozen: only their rollups count. It never moves back. */
  frozen_before: string | null;
  /** When `frozen_before` last changed. */
  frozen_at: number | null;
  /** Events and calls of days before this one are deleted. */
  cleared_before: string | null;
  /** Events and calls before this day are being deleted; null while none are. */
  clearing_before: string | null;
  /** How many of the deletions up to `clearing_before` have begun. */
  clearing_step: number;
  created_at: number;
  /** Set when the project is deleted. The row stays, so that the id is never reused. */
  deleted_at: number | null;
  /** Set when no data of the deleted project is left in either store. */
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
  /** JSON array of `read` and `write`. */
  scopes: string;
  hash: string;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
  revoked_at: number | null;
}

/** A tag of a customer or a user. */
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

/** Catalogue data or corrections by content hash: old price books keep theirs when the package is updated (D5.7). */
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
  /** The timezone of the overrides' effective days. */
  timezone: string;
  activated_at: number;
}

/** One start of a process that stores events, and how far its events are assembled: an entry of the watermark vector. */
export interface WriterRow {
  id: string;
  started_at: number;
  last_seen_at: number;
  /** The highest sequence of this writer that is assembled. */
  assembled_seq: number;
  /** The time of receipt of that event. */
  assembled_received_at: number;
  /** Every event up to this sequence is stored; null when the log itself has no gaps. */
  stored_seq: number | null;
}

/** A table of one row: the instance that assembles. */
export interface LeaseRow {
  id: number;
  holder: string;
  /** Raised whenever the holder changes. */
  epoch: number;
  expires_at: number;
  /** The last version given out to a row of `calls`. */
  version: number;
}

/** A project's day: the generation that answers are read from, and whether its calls are rolled up. */
export interface DayRow {
  project_id: string;
  day: string;
  generation: number;
  /** Incremented before calls of the day change. */
  touched: number;
  touched_at: number;
  /** The value of `touched` when the day was sealed. The rollup is valid while the two are equal. */
  sealed: number;
  /** The number in the rows of the rollup; 0 before the first one. */
  seal: number;
}

/** A new generation of a project's days: queued, running, in force or discarded. Reprices are listed as a log (D5.5). */
export interface RebuildRow {
  id: string;
  project_id: string;
  kind: 'reprice' | 'timezone' | 'rebuild';
  /** 1 when it only reports the difference. */
  dry_run: number;
  state: 'queued' | 'running' | 'done' | 'failed';
  /** `admin`, or the id of an API key. */
  requested_by: string;
  /** The days covered, in `timezone`; null for all. */
  date_from: string | null;
  date_to: string | null;
  /** The timezone of the days. */
  timezone: string;
  /** The book that prices the calls; null for each call's own book. */
  price_book_id: string | null;
  /** The generation number in its rows of `calls`. */
  generation: number;
  /** 1 when it reads the texts of the events anew; their readings then have its generation. */
  reread: number;
  created_at: number;
  finished_at: number | null;
  /** When deletion began of the rows it replaced, or of its own rows when it was discarded. */
  cleaned_at: number | null;
  /**
   * Receipt times in milliseconds since 1970. The rebuild adds events up to `mark`, assembly adds later ones. Events up to
   * `position` are done.
   */
  mark: number | null;
  position: number | null;
  /** How many events to process, and how many are processed. */
  events_total: number;
  events_done: number;
  /** JSON: the difference between the generations, when done. */
  report: string | null;
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

/** A measure of a project's output (D9.1). */
export interface KeyMetricRow {
  project_id: string;
  name: string;
  event_type: string;
  aggregation: 'count' | 'sum' | 'unique';
  /** JSON Pointer into the event, for `sum` and `unique`. */
  field: string | null;
  /** JSON array of the features whose cost is counted; null for all. */
  features: string | null;
  unit: string | null;
  created_at: number;
  updated_at: number;
}

/** The frozen days for which a reading of key metrics is stored. Counts of events are stored for all days. */
export interface KeptReadingRow {
  project_id: string;
  /** `identifyReading` */
  reading: string;
  kept_from: string;
  /** Exclusive. */
  kept_before: string;
}

/** A sign-in of the page: a random id, stored as its SHA-256, that stands for an API key or the admin token (D2). */
export interface SessionRow {
  id_hash: string;
  /** SHA-256 of the key or token used to sign in. The session ends when that key or token is no longer valid. */
  credential_hash: string;
  created_at: number;
  expires_at: number;
}

/** The erasure of a customer's or user's data, running or finished (D2). */
export interface ErasureRow {
  id: string;
  project_id: string;
  dimension: 'customer' | 'user';
  name: string;
  created_at: number;
  /** How many of its deletions have begun. */
  step: number;
  /** When no data was left. The name is emptied at that point. */
  finished_at: number | null;
}

/** Fetched price catalogue data, newer than that of the installed package (D5.2). */
export interface CatalogueUpdateRow {
  hash: string;
  /** The package version at the time. A newer package supersedes earlier fetched data. */
  package_version: string;
  fetched_at: number;
}

/** An open backup. Nothing in it is deleted until it ends or expires. */
export interface BackupRow {
  id: string;
  created_at: number;
  expires_at: number;
  /** JSON: its scope and parts. */
  plan: string;
}

/** A release of Farthing that has started on the stores. */
export interface ReleaseRow {
  version: string;
  first_started_at: number;
}
