/** Shared costs (D31.1), and those that closes pin. */
export const sharedCostsTables: readonly string[] = [
  `create table shared_costs (
    project_id text not null references projects (id),
    external_id text not null,
    name text not null,
    amount text not null,
    date_from text not null,
    date_to text not null,
    allocate_by text not null,
    scope text not null,
    created_at bigint not null,
    updated_at bigint not null,
    constraint shared_costs_key primary key (project_id, external_id)
  )`,
  'create index shared_costs_by_days on shared_costs (project_id, date_to, date_from)',

  `create table pinned_shared_costs (
    close_id text not null,
    project_id text not null references projects (id),
    external_id text not null,
    name text not null,
    amount text not null,
    date_from text not null,
    date_to text not null,
    allocate_by text not null,
    scope text not null,
    constraint pinned_shared_costs_key primary key (close_id, external_id)
  )`,
  'create index pinned_shared_costs_by_days on pinned_shared_costs (close_id, date_to, date_from)',
  'create index pinned_shared_costs_of_project on pinned_shared_costs (project_id)',
];
