import type { Generated } from 'kysely';
import type { NamedDimension, TaggedDimension } from '../../../lib/dimensions.ts';
import { alertTables, type FiringRow } from './alert-rows.ts';
import type { ApartWatermarkRow, SetAsideIdRow } from './apart-rows.ts';
import { audited, auditedOnCreation, column, type RowsOf } from './audited.ts';
import {
  billingTables,
  type ProviderCallRow,
  type SharedCostRow,
  type StripeObjectRow,
  type StripeRemakeRow,
} from './billing-rows.ts';
import { type CloseDayRow, closeTables, type Pinned, type PinnedCopyRow, type PinnedRevenueRow } from './close-rows.ts';
import type { AuditEntryRow } from './entry-row.ts';
import { memberTables, type SessionRow } from './member-rows.ts';
import {
  type CreditGrantRow,
  type DimensionTagRow,
  type KeptReadingRow,
  type KeyMetricRow,
  type ProjectRow,
  projectTables,
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

const furtherTables = {
  clients: audited('client', {
    id: column<string>('key'),
    project_id: column<string>('project'),
    name: column<string | null>('text'),
    created_at: column<number>('hidden'),
    revoked_at: column<number | null>('end'),
  }),

  client_secrets: audited('client_secret', {
    id: column<string>('key'),
    client_id: column<string>('parent'),
    hash: column<string>('hidden'),
    created_at: column<number>('hidden'),
    last_used_at: column<number | null>('hidden'),
    expires_at: column<number | null>('time'),
    revoked_at: column<number | null>('end'),
  }),

  api_keys: audited('api_key', {
    id: column<string>('key'),
    project_id: column<string>('project'),
    name: column<string | null>('text'),
    /** JSON array of `read` and `write`. */
    scopes: column<string>('json'),
    hash: column<string>('hidden'),
    created_at: column<number>('hidden'),
    last_used_at: column<number | null>('hidden'),
    expires_at: column<number | null>('time'),
    revoked_at: column<number | null>('end'),
  }),

  price_overrides: audited('price', {
    id: column<string>('key'),
    project_id: column<string>('project'),
    created_at: column<number>('hidden'),
    /** The override as JSON (D5.3). */
    definition: column<string>('fields'),
  }),

  /** A new generation of a project's days: queued, running, in force or discarded. The API lists reprices (D5.5). */
  rebuilds: auditedOnCreation(
    { of: 'kind', kinds: { reprice: 'reprice', timezone: 'timezone_change', rebuild: 'rebuild' } },
    {
      id: column<string>('key'),
      project_id: column<string>('project'),
      kind: column<'reprice' | 'timezone' | 'rebuild'>('hidden'),
      /** 1 when it only reports the difference. */
      dry_run: column<number>('trial'),
      state: column<'queued' | 'running' | 'done' | 'failed'>('hidden'),
      /** `admin`, or the id of an API key. */
      requested_by: column<string>('hidden'),
      /** The days covered, in `timezone`; null for all. */
      date_from: column<string | null>('text'),
      date_to: column<string | null>('text'),
      timezone: column<string>('text'),
      /** The book that prices the calls; null for each call's own book. */
      price_book_id: column<string | null>('text'),
      /** The generation number in its rows of `calls`. */
      generation: column<number>('hidden'),
      /** 1 when it reads the texts of the events again; their later contents then have its generation. */
      reread: column<number>('flag'),
      /** JSON: the assumption of a what-if (D22), which is never put in force; null for other rebuilds. */
      assumption: column<string | null>('fields'),
      created_at: column<number>('hidden'),
      finished_at: column<number | null>('hidden'),
      /** When the deletion of the rows that it replaced began, or of its own rows when it was discarded. */
      cleaned_at: column<number | null>('hidden'),
      /**
       * Milliseconds since 1970: the rebuild adds events up to `mark`, has those up to `position`; assembly adds later
       * ones. Of a reprice that reads no events: parts of days since 1970.
       */
      mark: column<number | null>('hidden'),
      position: column<number | null>('hidden'),
      /** How many events to process, or calls to copy, and how many are done. */
      events_total: column<number>('hidden'),
      events_done: column<number>('hidden'),
      /** JSON: the difference between the generations, when done. */
      comparison: column<string | null>('hidden'),
      failure: column<string | null>('hidden'),
    },
  ),

  /** A limit to spend in a period (D20.1). */
  budgets: audited('budget', {
    project_id: column<string>('project'),
    name: column<string>('key'),
    /** Decimal text in USD. */
    amount: column<string>('amount'),
    /** Of the calendar, or a window: `10m`, `6h`, `30d`. */
    period: column<'hour' | 'day' | 'week' | 'month' | 'quarter' | `${number}${'m' | 'h' | 'd'}`>('text'),
    /** JSON object of its filters, by their names in the API. */
    scope: column<string>('json'),
    /** Each value of this dimension, or each run, has a budget of this amount; null for one budget. */
    each_of: column<NamedDimension | 'run' | null>('text'),
    /** JSON array of percentages, ascending. */
    thresholds: column<string>('json'),
    apply_credits: column<number>('flag'),
    created_at: column<number>('hidden'),
    updated_at: column<number>('hidden'),
  }),

  /** The erasure of a customer's or user's data, running or finished (D2). */
  erasures: auditedOnCreation('erasure', {
    id: column<string>('key'),
    project_id: column<string>('project'),
    dimension: column<TaggedDimension>('text'),
    name: column<string>('hidden'),
    created_at: column<number>('hidden'),
    /** How many of its deletions have begun. */
    step: column<number>('hidden'),
    /** When no data was left. The name is emptied at that point. */
    finished_at: column<number | null>('hidden'),
  }),

  /** Fetched price catalogue data, newer than that of the installed package (D5.2). */
  catalogue_updates: audited('price_list', {
    hash: column<string>('key'),
    /** The package version at the time. A newer package supersedes earlier fetched data. */
    package_version: column<string>('text'),
    fetched_at: column<number>('time'),
  }),

  /** A further price list that was fetched or given as a file (D27.2). Its prices are in `price_data`. */
  price_list_updates: audited('price_list', {
    list: column<string>('key'),
    version: column<string>('text'),
    /** The day of its data, YYYY-MM-DD. */
    date: column<string>('text'),
    hash: column<string>('text'),
    fetched_at: column<number>('hidden'),
  }),

  /** An open backup. Nothing in it is deleted until it ends or expires. */
  backups: auditedOnCreation('backup', {
    id: column<string>('key'),
    created_at: column<number>('hidden'),
    expires_at: column<number>('time'),
    /** JSON: its scope and parts. */
    plan: column<string>('hidden'),
  }),

  /** Where a project's notifications are sent (D20.5). */
  notification_endpoints: audited('notification_endpoint', {
    id: column<string>('key'),
    project_id: column<string>('project'),
    kind: column<'webhook' | 'slack' | 'email'>('text'),
    /** The webhook's URL, the part of a Slack URL that is not secret, or the e-mail address. */
    target: column<string>('text'),
    /** Sealed: the signing secret of a webhook, or the whole URL for Slack. Null for e-mail. */
    secret: column<string | null>('secret'),
    /** Sealed: the secret before the last rotation, which signs too until `old_secret_until`. */
    old_secret: column<string | null>('hidden'),
    old_secret_until: column<number | null>('hidden'),
    /** JSON array of kinds of alerts; null for all. */
    alerts: column<string | null>('json'),
    enabled: column<number>('flag'),
    /** `gone` when the endpoint has answered 410 and was disabled for it. */
    disabled_reason: column<'gone' | null>('text'),
    /** How often it gets a digest; null for never, and then the three below are too. */
    digest: column<'weekly' | 'monthly' | null>('text'),
    /** From 1 for Monday to 7, or from 1 to 28 in the month. */
    digest_day: column<number | null>('text'),
    digest_hour: column<number | null>('text'),
    /** The last day of the newest digest that was sent, or that was due when digests were asked for. */
    digest_until: column<string | null>('hidden'),
    created_at: column<number>('hidden'),
    updated_at: column<number>('hidden'),
  }),
};

type Rows = RowsOf<typeof furtherTables>;

export type ClientRow = Rows['clients'];
export type ClientSecretRow = Rows['client_secrets'];
export type ApiKeyRow = Rows['api_keys'];
export type RebuildRow = Rows['rebuilds'];
export type BudgetRow = Rows['budgets'];
export type ErasureRow = Rows['erasures'];
export type NotificationEndpointRow = Rows['notification_endpoints'];

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

/** The list prices that the last check found. They are not in force. There is at most one row. */
export interface SeenCatalogueRow {
  id: number;
  /** The package version at the time. A newer package supersedes earlier list prices. */
  package_version: string;
  hash: string;
  data: string;
  fetched_at: number;
}

/** A release of Farthing that has started on the stores. */
export interface ReleaseRow {
  version: string;
  first_started_at: number;
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

/** The tables whose changes the audit log has (D34.3). */
export const auditedTables = {
  ...projectTables,
  ...memberTables,
  ...billingTables,
  ...closeTables,
  ...alertTables,
  ...furtherTables,
};

/** Tables that are not in the audit log, since they are derived, received or sent. */
interface DerivedSchema {
  price_data: PriceDataRow;
  price_books: PriceBookRow;
  days: DayRow;
  kept_readings: KeptReadingRow;
  close_days: CloseDayRow;
  pinned_copies: PinnedCopyRow;
  firings: FiringRow;
  provider_calls: ProviderCallRow;
  stripe_remakes: StripeRemakeRow;
  stripe_objects: StripeObjectRow;
  notification_deliveries: NotificationDeliveryRow;
  notification_attempts: NotificationAttemptRow;
}

/** Tables that are not in the audit log, since they are the state of the service, or the log itself. */
interface ServiceSchema {
  writers: WriterRow;
  apart_watermarks: ApartWatermarkRow;
  set_aside_ids: SetAsideIdRow;
  lease: LeaseRow;
  sessions: SessionRow;
  seen_catalogue: SeenCatalogueRow;
  releases: ReleaseRow;
  audit_entries: AuditEntryRow;
}

/** Tables that are not in the audit log, since they are copies of a close. */
interface PinnedSchema {
  pinned_settings: Pinned<Pick<ProjectRow, 'type' | 'at_risk_below_pct'> & { project_id: string }>;
  pinned_tags: Pinned<DimensionTagRow>;
  pinned_grants: Pinned<CreditGrantRow>;
  pinned_revenue: PinnedRevenueRow;
  pinned_key_metrics: Pinned<KeyMetricRow>;
  pinned_readings: Pinned<KeptReadingRow>;
  pinned_shared_costs: Pinned<Omit<SharedCostRow, 'created_at' | 'updated_at'>>;
}

/**
 * The tables of the control store, the same in SQLite and PostgreSQL (docs/decisions/0002).
 * Both dialects use the same types: money is decimal text, times are integer milliseconds since 1970,
 * booleans are 0 or 1, JSON is text, and an absent value is null.
 *
 * Triggers write down the changes of audited tables, so that no code that changes them can leave an entry out.
 */
export interface ControlSchema extends RowsOf<typeof auditedTables>, DerivedSchema, ServiceSchema, PinnedSchema {}
