/** What is of the whole service. */
export const serviceTables: readonly string[] = [
  `create table backups (
    id text primary key,
    created_at bigint not null,
    expires_at bigint not null,
    plan text not null
  )`,

  `create table releases (
    version text primary key,
    first_started_at bigint not null
  )`,
];
