/** Projects, what opens them, and the names in them. */
export const projectsTables: readonly string[] = [
  `create table projects (
    id text primary key,
    name text not null,
    type text not null,
    timezone text not null,
    pending_timezone text,
    base_generation bigint not null,
    at_risk_below_pct double precision,
    retention_days bigint,
    keep_content integer not null,
    join_alike integer not null,
    frozen_before text,
    frozen_at bigint,
    cleared_before text,
    clearing_before text,
    clearing_step bigint not null,
    closed_through text,
    created_at bigint not null,
    deleted_at bigint,
    purged_at bigint,
    tag_dimensions text not null default '[]'
  )`,

  `create table clients (
    id text primary key,
    project_id text not null references projects (id),
    name text,
    created_at bigint not null,
    revoked_at bigint
  )`,
  'create index clients_by_project on clients (project_id, id)',

  `create table client_secrets (
    id text primary key,
    client_id text not null references clients (id),
    hash text not null unique,
    created_at bigint not null,
    last_used_at bigint,
    expires_at bigint,
    revoked_at bigint
  )`,
  'create index client_secrets_by_client on client_secrets (client_id, id)',

  `create table api_keys (
    id text primary key,
    project_id text not null references projects (id),
    name text,
    scopes text not null,
    hash text not null unique,
    created_at bigint not null,
    last_used_at bigint,
    expires_at bigint,
    revoked_at bigint
  )`,
  'create index api_keys_by_project on api_keys (project_id, id)',

  `create table sessions (
    id_hash text primary key,
    credential_hash text not null,
    created_at bigint not null,
    expires_at bigint not null
  )`,

  `create table dimension_tags (
    project_id text not null references projects (id),
    dimension text not null,
    name text not null,
    key text not null,
    value text not null,
    constraint dimension_tags_key primary key (project_id, dimension, name, key)
  )`,
  'create index dimension_tags_by_key on dimension_tags (project_id, dimension, key, name)',

  `create table key_metrics (
    project_id text not null references projects (id),
    name text not null,
    event_type text not null,
    aggregation text not null,
    field text,
    features text,
    unit text,
    created_at bigint not null,
    updated_at bigint not null,
    constraint key_metrics_key primary key (project_id, name)
  )`,

  `create table erasures (
    id text primary key,
    project_id text not null references projects (id),
    dimension text not null,
    name text not null,
    created_at bigint not null,
    step integer not null,
    finished_at bigint
  )`,
];
