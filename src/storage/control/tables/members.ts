/** People who sign in, what they may do, and their one-time links (D34). */
export const membersTables: readonly string[] = [
  `create table members (
    id text primary key,
    email text not null unique,
    name text,
    is_admin integer not null,
    oidc_issuer text,
    oidc_subject text,
    created_at bigint not null,
    last_seen_at bigint,
    constraint members_subject unique (oidc_issuer, oidc_subject)
  )`,

  `create table member_roles (
    member_id text not null references members (id),
    project_id text not null references projects (id),
    role text not null,
    constraint member_roles_key primary key (member_id, project_id)
  )`,
  'create index member_roles_by_project on member_roles (project_id, member_id)',

  `create table invitations (
    hash text primary key,
    member_id text not null unique references members (id),
    shown_to text,
    created_at bigint not null,
    expires_at bigint not null
  )`,

  `alter table sessions add column
    member_id text`,
  `alter table sessions add column
    shown_to text`,
  `alter table sessions add column
    last_seen_at bigint`,
  'create index sessions_by_member on sessions (member_id)',
];
