/** The audit log (D34.3). Without references: an entry outlives what it is about. */
export const auditTables: readonly string[] = [
  `create table audit_entries (
    id text primary key,
    project_id text,
    at bigint not null,
    actor_kind text not null,
    actor_id text,
    actor_name text,
    address text,
    request text,
    action text not null,
    kind text not null,
    subject text not null,
    subject_name text,
    before text,
    after text
  )`,
  'create index audit_entries_by_project on audit_entries (project_id, at, id)',
  'create index audit_entries_by_time on audit_entries (at, id)',
];
