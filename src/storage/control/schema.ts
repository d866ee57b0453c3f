import type { Generated } from 'kysely';
import type { NamedDimension, TaggedDimension } from '../../lib/dimensions.ts';
import type { AlertWatchRow, FiringRow } from './alert-rows.ts';
import type { ApartWatermarkRow, SetAsideIdRow } from './apart-rows.ts';
import type { AuditEntryRow } from './audit/entry-row.ts';
import type {
  ExchangeRateRow,
  InvoiceEntryRow,
  ProviderAccountRow,
  ProviderCallRow,
  RevenueEntryRow,
  SharedCostRow,
  StripeCustomerRow,
  StripeHookRow,
  StripeObjectRow,
  StripeRemakeRow,
} from './billing-rows.ts';
import type { CloseDayRow, CloseRow, Pinned, PinnedCopyRow, PinnedRevenueRow } from './close-rows.ts';
import type { InvitationRow, MemberRoleRow, MemberRow, SessionRow } from './member-rows.ts';
import type {
  CreditGrantRow,
  DimensionTagRow,
  KeptReadingRow,
  KeyMetricRow,
  PlanSimulationRow,
  ProjectRow,
} from './project-rows.ts';

export type { RevenueEntryRow, SharedCostRow } from './billing-rows.ts';
export type {
  CreditGrantRow,
  DimensionTagRow,
  KeptReadingRow,
  KeyMetricRow,
  PlanSimulationRow,
  ProjectRow,
} from './project-rows.ts';

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
  apart_watermarks: ApartWatermarkRow;
  set_aside_ids: SetAsideIdRow;
  lease: LeaseRow;
  days: DayRow;
  rebuilds: RebuildRow;
  credit_grants: CreditGrantRow;
  revenue_entries: RevenueEntryRow;
  key_metrics: KeyMetricRow;
  kept_readings: KeptReadingRow;
  plan_simulations: PlanSimulationRow;
  budgets: BudgetRow;
  sessions: SessionRow;
  members: MemberRow;
  member_roles: MemberRoleRow;
  invitations: InvitationRow;
  erasures: ErasureRow;
  catalogue_updates: CatalogueUpdateRow;
  price_list_updates: PriceListUpdateRow;
  seen_catalogue: SeenCatalogueRow;
  backups: BackupRow;
  releases: ReleaseRow;
  notification_endpoints: NotificationEndpointRow;
  notification_deliveries: NotificationDeliveryRow;
  notification_attempts: NotificationAttemptRow;
  alert_watches: AlertWatchRow;
  firings: FiringRow;
  invoice_entries: InvoiceEntryRow;
  closes: CloseRow;
  close_days: CloseDayRow;
  pinned_copies: PinnedCopyRow;
  stripe_hooks: StripeHookRow;
  stripe_objects: StripeObjectRow;
  stripe_customers: StripeCustomerRow;
  stripe_remakes: StripeRemakeRow;
  exchange_rates: ExchangeRateRow;
  provider_accounts: ProviderAccountRow;
  provider_calls: ProviderCallRow;
  shared_costs: SharedCostRow;
  pinned_settings: Pinned<Pick<ProjectRow, 'type' | 'at_risk_below_pct'> & { project_id: string }>;
  pinned_tags: Pinned<DimensionTagRow>;
  pinned_grants: Pinned<CreditGrantRow>;
  pinned_revenue: PinnedRevenueRow;
  pinned_key_metrics: Pinned<KeyMetricRow>;
  pinned_readings: Pinned<KeptReadingRow>;
  pinned_shared_costs: Pinned<Omit<SharedCostRow, 'created_at' | 'updated_at'>>;
  audit_entries: AuditEntryRow;
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

export interface PriceOverrideRow {
  id: string;
  project_id: string;
  created_at: number;
  /** The override as JSON (D5.3). */
  definition: string;
}

/** Catalogue data or corrections by content hash, so that old price books keep theirs after a package update (D5.7). */
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
  /** Null in books without further lists. */
  further_hash: string | null;
  /** JSON array of the overrides in force. */
  overrides: string;
  /** The timezone of the overrides' effective days. */
  timezone: string;
  activated_at: number;
}

/** One start of a process that stores events, with its watermark: the last of its events that is assembled. */
export interface WriterRow {
  id: string;
  started_at: number;
  last_seen_at: number;
  /** The highest sequence of this writer that is assembled. */
  assembled_seq: number;
  /** The time of receipt of that event. */
  assembled_received_at: number;
  /** Every event up to this sequence is stored. Null for no limit: off a cluster, or when dead. */
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
  /** The tags that were dimensions of the project when the day was sealed, as JSON. */
  tags: Generated<string>;
}

/** A new generation of a project's days: queued, running, in force or discarded. The API lists reprices (D5.5). */
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
  timezone: string;
  /** The book that prices the calls; null for each call's own book. */
  price_book_id: string | null;
  /** The generation number in its rows of `calls`. */
  generation: number;
  /** 1 when it reads the texts of the events again; their readings then have its generation. */
  reread: number;
  /** JSON: the assumption of a what-if (D22), which is never put in force; null for other rebuilds. */
  assumption: string | null;
  created_at: number;
  finished_at: number | null;
  /** When the deletion of the rows that it replaced began, or of its own rows when it was discarded. */
  cleaned_at: number | null;
  /**
   * Milliseconds since 1970: the rebuild adds events up to `mark`, has those up to `position`; assembly adds later
   * ones. Of a reprice that reads no events: parts of days since 1970.
   */
  mark: number | null;
  position: number | null;
  /** How many events to process, or calls to copy, and how many are done. */
  events_total: number;
  events_done: number;
  /** JSON: the difference between the generations, when done. */
  report: string | null;
  failure: string | null;
}

/** A limit to spend in a period (D20.1). */
export interface BudgetRow {
  project_id: string;
  name: string;
  /** Decimal text in USD. */
  amount: string;
  /** Of the calendar, or a window: `10m`, `6h`, `30d`. */
  period: 'hour' | 'day' | 'week' | 'month' | 'quarter' | `${number}${'m' | 'h' | 'd'}`;
  /** JSON object of its filters, by their names in the API. */
  scope: string;
  /** Each value of this dimension, or each run, has a budget of this amount; null for one budget. */
  each_of: NamedDimension | 'run' | null;
  /** JSON array of percentages, ascending. */
  thresholds: string;
  apply_credits: number;
  created_at: number;
  updated_at: number;
}

/** The erasure of a customer's or user's data, running or finished (D2). */
export interface ErasureRow {
  id: string;
  project_id: string;
  dimension: TaggedDimension;
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

/** A further price list that was fetched or given as a file (D27.2). Its prices are in `price_data`. */
export interface PriceListUpdateRow {
  list: string;
  version: string;
  /** The day of its data, YYYY-MM-DD. */
  date: string;
  hash: string;
  fetched_at: number;
}

/** The list prices that the last check found. They are not in force. There is at most one row. */
export interface SeenCatalogueRow {
  id: number;
  /** The package version at the time. A newer package supersedes earlier list prices. */
  package_version: string;
  hash: string;
  data: string;
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

/** Where a project's notifications are sent (D20.5). */
export interface NotificationEndpointRow {
  id: string;
  project_id: string;
  kind: 'webhook' | 'slack' | 'email';
  /** The webhook's URL, the part of a Slack URL that is not secret, or the e-mail address. */
  target: string;
  /** Sealed: the signing secret of a webhook, or the whole URL for Slack. Null for e-mail. */
  secret: string | null;
  /** Sealed: the secret before the last rotation, which signs too until `old_secret_until`. */
  old_secret: string | null;
  old_secret_until: number | null;
  /** JSON array of kinds of alerts; null for all. */
  alerts: string | null;
  enabled: number;
  /** `gone` when the endpoint has answered 410 and was disabled for it. */
  disabled_reason: 'gone' | null;
  /** How often it gets a digest; null for never, and then the three below are too. */
  digest: 'weekly' | 'monthly' | null;
  /** From 1 for Monday to 7, or from 1 to 28 in the month. */
  digest_day: number | null;
  digest_hour: number | null;
  /** The last day of the newest digest that was sent, or that was due when digests were asked for. */
  digest_until: string | null;
  created_at: number;
  updated_at: number;
}

/** The outbox: one notification for one endpoint. */
export interface NotificationDeliveryRow {
  /** Sent as `webhook-id`: the same for every attempt. */
  id: string;
  project_id: string;
  endpoint_id: string;
  notification_id: string;
  /** A kind of alert, or `test`. */
  kind: string;
  event: 'fired' | 'ended' | 'digest' | 'test';
  /** The notification as JSON; null when the delivery is finished. */
  content: string | null;
  created_at: number;
  state: 'waiting' | 'delivered' | 'given_up';
  /** How many attempts have failed. */
  failures: number;
  /** Null when the delivery is finished. */
  next_attempt_at: number | null;
  /** The sender that has an attempt under way. */
  claimed_by: string | null;
  claimed_until: number | null;
  finished_at: number | null;
}

export interface NotificationAttemptRow {
  id: string;
  project_id: string;
  endpoint_id: string;
  delivery_id: string;
  at: number;
  /** The HTTP status, or the reply code of the SMTP server; null when there was no answer. */
  status: number | null;
  /** Why it failed; null when it was delivered. */
  error: string | null;
  duration_ms: number;
  next_attempt_at: number | null;
}
