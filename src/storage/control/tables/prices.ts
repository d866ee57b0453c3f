/** Price books, and the list prices and overrides that they are made of. */
export const pricesTables: readonly string[] = [
  `create table price_overrides (
    id text primary key,
    project_id text not null references projects (id),
    created_at bigint not null,
    definition text not null
  )`,
  'create index price_overrides_by_project on price_overrides (project_id, id)',

  `create table price_data (
    hash text primary key,
    data text not null,
    created_at bigint not null
  )`,

  `create table price_books (
    id text primary key,
    project_id text not null references projects (id),
    catalogue_hash text not null references price_data (hash),
    corrections_hash text not null references price_data (hash),
    further_hash text references price_data (hash),
    overrides text not null,
    timezone text not null,
    activated_at bigint not null
  )`,
  'create index price_books_by_project on price_books (project_id, activated_at)',

  `create table catalogue_updates (
    hash text primary key references price_data (hash),
    package_version text not null,
    fetched_at bigint not null
  )`,

  `create table price_list_updates (
    list text primary key,
    version text not null,
    date text not null,
    hash text not null references price_data (hash),
    fetched_at bigint not null
  )`,

  `create table seen_catalogue (
    id integer primary key,
    package_version text not null,
    hash text not null,
    data text not null,
    fetched_at bigint not null
  )`,
];
