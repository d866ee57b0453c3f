import type { Selectable } from 'kysely';
import type { ControlSchema } from '../schema.ts';

/**
 * What the audit log has of a column:
 * - `project`: the project of the entry; `parent`: the client whose project it is
 * - `key`: a part of the subject
 * - `member`: the subject, which is the id of a member; the e-mail address names it
 * - `text`, `amount`, `flag`, `time`, `json`: a field of `before` and `after`, as the API writes it
 * - `fields`: JSON in the service's own names, of which each field is one of `before` and `after`
 * - `pair_name`, `pair_value`: one field by row, as of tags
 * - `secret`: that it was set or changed, never its value
 * - `end`: the row counts as deleted once it has a value
 * - `trial`: the row changes nothing, and has no entry, where it is set
 * - `hidden`: nothing, because it is no statement of anybody, or names what may be erased
 */
export type AuditedColumn =
  | ('project' | 'parent' | 'key' | 'member' | 'text' | 'amount' | 'flag' | 'time' | 'json' | 'fields')
  | ('pair_name' | 'pair_value' | 'secret' | 'end' | 'trial' | 'hidden');

interface Audited<Row> {
  /** The kind of its entries. `of` names the column that tells kinds apart. */
  readonly kind: string | { readonly of: keyof Row & string; readonly kinds: Readonly<Record<string, string>> };
  /** Later changes are made by jobs that carry out the request, and by clean-up. */
  readonly onlyCreated?: true;
  readonly columns: { readonly [C in keyof Row]-?: AuditedColumn };
}

const hidden = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, 'hidden'])) as Readonly<Record<Name, 'hidden'>>;

/** Why a table is not in the audit log. */
type Unaudited = 'derived' | 'state of the service' | 'copy of a close' | 'sent' | 'received' | 'log';

/**
 * Every table of the control store, and what the audit log has of it (D34.3). Triggers write down the changes of audited
 * tables, so that no code that changes them can leave an entry out. A new table or column does not compile before it is
 * here.
 */
export const auditedTables = {
  projects: {
    kind: 'project',
    columns: {
      id: 'key',
      name: 'text',
      type: 'text',
      timezone: 'text',
      at_risk_below_pct: 'text',
      retention_days: 'text',
      keep_content: 'flag',
      join_alike: 'flag',
      tag_dimensions: 'json',
      deleted_at: 'end',
      ...hidden('pending_timezone', 'base_generation', 'frozen_before', 'frozen_at', 'cleared_before'),
      ...hidden('clearing_before', 'clearing_step', 'closed_through', 'created_at', 'purged_at'),
    },
  },
  clients: {
    kind: 'client',
    columns: { id: 'key', project_id: 'project', name: 'text', revoked_at: 'end', ...hidden('created_at') },
  },
  client_secrets: {
    kind: 'client_secret',
    columns: {
      id: 'key',
      client_id: 'parent',
      expires_at: 'time',
      revoked_at: 'end',
      ...hidden('hash', 'created_at', 'last_used_at'),
    },
  },
  api_keys: {
    kind: 'api_key',
    columns: {
      id: 'key',
      project_id: 'project',
      name: 'text',
      scopes: 'json',
      expires_at: 'time',
      revoked_at: 'end',
      ...hidden('hash', 'created_at', 'last_used_at'),
    },
  },
  members: {
    kind: 'member',
    columns: {
      id: 'member',
      email: 'text',
      name: 'text',
      is_admin: 'flag',
      oidc_issuer: 'text',
      ...hidden('oidc_subject', 'created_at', 'last_seen_at'),
    },
  },
  member_roles: {
    kind: 'member_role',
    columns: { project_id: 'project', member_id: 'member', role: 'text' },
  },
  invitations: {
    kind: 'invitation',
    columns: { member_id: 'member', expires_at: 'time', ...hidden('hash', 'shown_to', 'created_at') },
  },
  dimension_tags: {
    kind: { of: 'dimension', kinds: { customer: 'customer_tags', user: 'user_tags' } },
    columns: { project_id: 'project', name: 'key', key: 'pair_name', value: 'pair_value', ...hidden('dimension') },
  },
  price_overrides: {
    kind: 'price',
    columns: { id: 'key', project_id: 'project', definition: 'fields', ...hidden('created_at') },
  },
  catalogue_updates: {
    kind: 'price_list',
    columns: { hash: 'key', package_version: 'text', fetched_at: 'time' },
  },
  price_list_updates: {
    kind: 'price_list',
    columns: { list: 'key', version: 'text', date: 'text', hash: 'text', ...hidden('fetched_at') },
  },
  rebuilds: {
    kind: { of: 'kind', kinds: { reprice: 'reprice', timezone: 'timezone_change', rebuild: 'rebuild' } },
    onlyCreated: true,
    columns: {
      id: 'key',
      project_id: 'project',
      dry_run: 'trial',
      date_from: 'text',
      date_to: 'text',
      timezone: 'text',
      price_book_id: 'text',
      reread: 'flag',
      assumption: 'fields',
      ...hidden('kind', 'state', 'requested_by', 'generation', 'created_at', 'finished_at', 'cleaned_at'),
      ...hidden('mark', 'position', 'events_total', 'events_done', 'report', 'failure'),
    },
  },
  credit_grants: {
    kind: 'credit_grant',
    columns: {
      id: 'key',
      project_id: 'project',
      name: 'text',
      provider: 'text',
      models: 'json',
      amount: 'amount',
      starts_on: 'text',
      expires_on: 'text',
      priority: 'text',
      ...hidden('created_at'),
    },
  },
  revenue_entries: {
    kind: 'revenue_entry',
    columns: {
      project_id: 'project',
      external_id: 'key',
      customer: 'text',
      amount: 'amount',
      currency: 'text',
      date_from: 'text',
      date_to: 'text',
      source: 'text',
      rate_day: 'text',
      stripe_customer: 'text',
      stripe_invoice: 'text',
      ...hidden('is_named', 'created_at', 'updated_at'),
    },
  },
  key_metrics: {
    kind: 'key_metric',
    columns: {
      project_id: 'project',
      name: 'key',
      event_type: 'text',
      aggregation: 'text',
      field: 'text',
      features: 'json',
      unit: 'text',
      ...hidden('created_at', 'updated_at'),
    },
  },
  plan_simulations: {
    kind: 'plan_simulation',
    columns: { project_id: 'project', name: 'key', question: 'json', ...hidden('created_at', 'updated_at') },
  },
  budgets: {
    kind: 'budget',
    columns: {
      project_id: 'project',
      name: 'key',
      amount: 'amount',
      period: 'text',
      scope: 'json',
      each_of: 'text',
      thresholds: 'json',
      apply_credits: 'flag',
      ...hidden('created_at', 'updated_at'),
    },
  },
  erasures: {
    kind: 'erasure',
    onlyCreated: true,
    columns: {
      id: 'key',
      project_id: 'project',
      dimension: 'text',
      ...hidden('name', 'created_at', 'step', 'finished_at'),
    },
  },
  backups: {
    kind: 'backup',
    onlyCreated: true,
    columns: { id: 'key', expires_at: 'time', ...hidden('created_at', 'plan') },
  },
  notification_endpoints: {
    kind: 'notification_endpoint',
    columns: {
      id: 'key',
      project_id: 'project',
      kind: 'text',
      target: 'text',
      secret: 'secret',
      alerts: 'json',
      enabled: 'flag',
      disabled_reason: 'text',
      digest: 'text',
      digest_day: 'text',
      digest_hour: 'text',
      ...hidden('old_secret', 'old_secret_until', 'digest_until', 'created_at', 'updated_at'),
    },
  },
  alert_watches: {
    kind: 'alert',
    columns: {
      project_id: 'project',
      kind: 'key',
      enabled: 'flag',
      settings: 'json',
      ...hidden('since', 'begun', 'changed_at', 'looked_day'),
    },
  },
  invoice_entries: {
    kind: 'invoice_entry',
    columns: {
      project_id: 'project',
      external_id: 'key',
      provider: 'text',
      date_from: 'text',
      date_to: 'text',
      model: 'text',
      amount: 'amount',
      kind: 'text',
      description: 'text',
      ...hidden('created_at', 'updated_at'),
    },
  },
  shared_costs: {
    kind: 'shared_cost',
    columns: {
      project_id: 'project',
      external_id: 'key',
      name: 'text',
      amount: 'amount',
      date_from: 'text',
      date_to: 'text',
      allocate_by: 'text',
      scope: 'json',
      ...hidden('created_at', 'updated_at'),
    },
  },
  closes: {
    kind: 'close',
    columns: {
      id: 'key',
      project_id: 'project',
      through: 'text',
      note: 'text',
      timezone: 'text',
      ...hidden('requested_at', 'closed_at', 'base_generation', 'frozen_before', 'readings_version', 'moves'),
    },
  },
  stripe_hooks: {
    kind: 'stripe_webhook',
    columns: {
      id: 'key',
      project_id: 'project',
      secret: 'secret',
      customer_key: 'text',
      deleted_at: 'end',
      ...hidden('old_secret', 'events', 'last_event_at', 'refused_at', 'refusal', 'created_at', 'updated_at'),
    },
  },
  stripe_customers: {
    kind: 'stripe_customer',
    columns: { project_id: 'project', stripe_customer: 'key', customer: 'text', ...hidden('updated_at') },
  },
  exchange_rates: {
    kind: 'exchange_rate',
    columns: { project_id: 'project', currency: 'key', day: 'key', usd: 'amount', ...hidden('updated_at') },
  },
  provider_accounts: {
    kind: 'provider_account',
    columns: {
      id: 'key',
      project_id: 'project',
      kind: 'text',
      mode: 'text',
      secret: 'secret',
      since: 'text',
      names: 'json',
      deleted_at: 'end',
      ...hidden('revision', 'read_through', 'next_at', 'not_before', 'failures', 'succeeded_at', 'last_read'),
      ...hidden('fault', 'fault_at', 'switched', 'created_at', 'updated_at'),
    },
  },
  price_data: 'derived',
  price_books: 'derived',
  days: 'derived',
  kept_readings: 'derived',
  close_days: 'derived',
  pinned_copies: 'derived',
  firings: 'derived',
  provider_calls: 'derived',
  stripe_remakes: 'derived',
  writers: 'state of the service',
  apart_watermarks: 'state of the service',
  set_aside_ids: 'state of the service',
  lease: 'state of the service',
  sessions: 'state of the service',
  seen_catalogue: 'state of the service',
  releases: 'state of the service',
  stripe_objects: 'received',
  notification_deliveries: 'sent',
  notification_attempts: 'sent',
  pinned_settings: 'copy of a close',
  pinned_tags: 'copy of a close',
  pinned_grants: 'copy of a close',
  pinned_revenue: 'copy of a close',
  pinned_key_metrics: 'copy of a close',
  pinned_shared_costs: 'copy of a close',
  pinned_readings: 'copy of a close',
  audit_entries: 'log',
} as const satisfies { readonly [T in keyof ControlSchema]: Audited<Selectable<ControlSchema[T]>> | Unaudited };
