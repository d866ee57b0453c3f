/** Closes, and what they pin (D19.1): generations of days, and the facts that count on them. */
export const closesTables: readonly string[] = [
  `create table closes (
    id text primary key,
    project_id text not null references projects (id),
    through text not null,
    note text,
    requested_at bigint not null,
    closed_at bigint,
    timezone text not null,
    base_generation bigint not null,
    frozen_before text,
    readings_version bigint not null,
    moves bigint not null
  )`,
  'create index closes_listed on closes (project_id, through)',
  // A project has at most one close under way.
  'create unique index closes_waiting on closes (project_id) where closed_at is null',

  `create table close_days (
    close_id text not null references closes (id),
    project_id text not null,
    day text not null,
    generation bigint not null,
    seal bigint not null,
    readings bigint not null,
    constraint close_days_key primary key (close_id, day)
  )`,
  'create index close_days_pinned on close_days (project_id, day)',
  'create index close_days_unsealed on close_days (project_id, day) where seal = 0',

  `create table pinned_copies (
    project_id text not null,
    generation bigint not null,
    constraint pinned_copies_key primary key (project_id, generation)
  )`,

  `create table pinned_settings (
    close_id text not null,
    project_id text not null references projects (id),
    type text not null,
    at_risk_below_pct double precision,
    constraint pinned_settings_key primary key (close_id)
  )`,

  `create table pinned_tags (
    close_id text not null,
    project_id text not null references projects (id),
    dimension text not null,
    name text not null,
    key text not null,
    value text not null,
    constraint pinned_tags_key primary key (close_id, dimension, name, key)
  )`,
  'create index pinned_tags_by_key on pinned_tags (close_id, dimension, key, name)',
  // Erasures and purges look for the rows of a project.
  'create index pinned_tags_of_project on pinned_tags (project_id, name)',

  `create table pinned_grants (
    close_id text not null,
    project_id text not null references projects (id),
    id text not null,
    name text,
    provider text not null,
    models text,
    amount text not null,
    starts_on text not null,
    expires_on text,
    priority integer not null,
    created_at bigint not null,
    constraint pinned_grants_key primary key (close_id, id)
  )`,

  `create table pinned_revenue (
    close_id text not null,
    project_id text not null references projects (id),
    external_id text not null,
    customer text not null,
    amount text not null,
    date_from text not null,
    date_to text not null,
    constraint pinned_revenue_key primary key (close_id, external_id)
  )`,
  'create index pinned_revenue_by_customer on pinned_revenue (close_id, customer)',
  'create index pinned_revenue_by_days on pinned_revenue (close_id, date_to, date_from)',
  'create index pinned_revenue_of_project on pinned_revenue (project_id, customer)',

  `create table pinned_key_metrics (
    close_id text not null,
    project_id text not null references projects (id),
    name text not null,
    event_type text not null,
    aggregation text not null,
    field text,
    features text,
    unit text,
    created_at bigint not null,
    updated_at bigint not null,
    constraint pinned_key_metrics_key primary key (close_id, name)
  )`,

  `create table pinned_readings (
    close_id text not null,
    project_id text not null references projects (id),
    reading text not null,
    kept_from text not null,
    kept_before text not null,
    constraint pinned_readings_key primary key (close_id, reading, kept_from)
  )`,
];
