/** The watermarks of assembly, the lease of the instance that assembles, and the days that it fills. */
export const assemblyTables: readonly string[] = [
  `create table writers (
    id text primary key,
    started_at bigint not null,
    last_seen_at bigint not null,
    assembled_seq bigint not null,
    assembled_received_at bigint not null,
    stored_seq bigint
  )`,

  `create table apart_watermarks (
    project_id text not null references projects (id),
    writer text not null,
    assembled_seq bigint not null,
    assembled_received_at bigint not null,
    constraint apart_watermarks_key primary key (project_id, writer)
  )`,

  `create table set_aside_ids (
    project_id text not null references projects (id),
    event_id text not null,
    since bigint not null,
    constraint set_aside_ids_key primary key (project_id, event_id)
  )`,

  `create table lease (
    id integer primary key,
    holder text not null,
    epoch bigint not null,
    expires_at bigint not null,
    version bigint not null
  )`,

  `create table days (
    project_id text not null references projects (id),
    day text not null,
    generation bigint not null,
    touched bigint not null,
    touched_at bigint not null,
    sealed bigint not null,
    seal bigint not null,
    tags text not null default '[]',
    constraint days_key primary key (project_id, day)
  )`,

  `create table rebuilds (
    id text primary key,
    project_id text not null references projects (id),
    kind text not null,
    dry_run integer not null,
    state text not null,
    requested_by text not null,
    date_from text,
    date_to text,
    timezone text not null,
    price_book_id text references price_books (id),
    generation bigint not null,
    reread integer not null,
    assumption text,
    created_at bigint not null,
    finished_at bigint,
    cleaned_at bigint,
    mark bigint,
    position bigint,
    events_total bigint not null,
    events_done bigint not null,
    comparison text,
    failure text
  )`,
  'create unique index rebuilds_by_project on rebuilds (project_id, generation)',
  // Every batch of assembly reads this index, which is nearly always empty.
  'create index rebuilds_rereads on rebuilds (project_id, generation) where reread = 1',

  `create table kept_readings (
    project_id text not null references projects (id),
    reading text not null,
    kept_from text not null,
    kept_before text not null,
    constraint kept_readings_key primary key (project_id, reading, kept_from)
  )`,
];
