/** Budgets, alerts, and the notifications of them: endpoints, outbox and the log of attempts (D20). */
export const alertingTables: readonly string[] = [
  `create table budgets (
    project_id text not null references projects (id),
    name text not null,
    amount text not null,
    period text not null,
    scope text not null,
    each_of text,
    thresholds text not null,
    apply_credits integer not null,
    created_at bigint not null,
    updated_at bigint not null,
    constraint budgets_key primary key (project_id, name)
  )`,

  `create table alert_watches (
    project_id text not null references projects (id),
    kind text not null,
    enabled integer not null,
    settings text not null,
    since bigint not null,
    begun integer not null,
    changed_at bigint not null,
    looked_day text,
    constraint alert_watches_key primary key (project_id, kind)
  )`,

  `create table firings (
    id text primary key,
    project_id text not null references projects (id),
    kind text not null,
    cause text not null,
    subject text not null,
    customer text,
    "user" text,
    started_at bigint not null,
    ended_at bigint,
    is_quiet integer not null,
    numbers text not null,
    title text not null,
    text text not null,
    path text not null
  )`,
  'create index firings_listed on firings (project_id, started_at, id)',
  // A cause fires once, however many instances look.
  'create unique index firings_open on firings (project_id, kind, cause) where ended_at is null',

  `create table notification_endpoints (
    id text primary key,
    project_id text not null references projects (id),
    kind text not null,
    target text not null,
    secret text,
    old_secret text,
    old_secret_until bigint,
    alerts text,
    enabled integer not null,
    disabled_reason text,
    created_at bigint not null,
    updated_at bigint not null,
    digest text,
    digest_day integer,
    digest_hour integer,
    digest_until text
  )`,
  'create index notification_endpoints_by_project on notification_endpoints (project_id, id)',

  // Without references to endpoints: one may be deleted while a notification for it is stored.
  `create table notification_deliveries (
    id text primary key,
    project_id text not null references projects (id),
    endpoint_id text not null,
    notification_id text not null,
    kind text not null,
    event text not null,
    content text,
    created_at bigint not null,
    state text not null,
    failures integer not null,
    next_attempt_at bigint,
    claimed_by text,
    claimed_until bigint,
    finished_at bigint,
    constraint notification_deliveries_once unique (endpoint_id, notification_id)
  )`,
  // Hold only the finished or the waiting rows, because every step of the job looks for due ones.
  'create index notification_deliveries_finished_at on notification_deliveries (finished_at) where finished_at is not null',
  'create index notification_deliveries_next_attempt_at on notification_deliveries (next_attempt_at) where next_attempt_at is not null',

  `create table notification_attempts (
    id text primary key,
    project_id text not null references projects (id),
    endpoint_id text not null,
    delivery_id text not null,
    at bigint not null,
    status integer,
    error text,
    duration_ms integer not null,
    next_attempt_at bigint
  )`,
  'create index notification_attempts_by_endpoint on notification_attempts (endpoint_id, id)',
  'create index notification_attempts_by_time on notification_attempts (at)',
];
