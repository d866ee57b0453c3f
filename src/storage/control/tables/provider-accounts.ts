/** Accounts at providers that are read in the background, and the calls that this made (D30). */
export const providerAccountsTables: readonly string[] = [
  `create table provider_accounts (
    id text primary key,
    project_id text not null references projects (id),
    kind text not null,
    mode text not null,
    secret text not null,
    since text not null,
    names text not null,
    revision bigint not null,
    read_through text not null,
    next_at bigint not null,
    not_before bigint not null,
    failures bigint not null,
    succeeded_at bigint,
    last_read text,
    fault text,
    fault_at bigint,
    switched text,
    created_at bigint not null,
    updated_at bigint not null,
    deleted_at bigint
  )`,
  'create index provider_accounts_by_project on provider_accounts (project_id, id)',
  'create index provider_accounts_by_next_at on provider_accounts (next_at)',

  `create table provider_calls (
    project_id text not null references projects (id),
    account_id text not null,
    event_id text not null,
    part text not null,
    day text not null,
    content_hash text,
    constraint provider_calls_key primary key (account_id, event_id)
  )`,
  'create index provider_calls_by_day on provider_calls (account_id, part, day)',
  'create index provider_calls_by_project on provider_calls (project_id)',
];
