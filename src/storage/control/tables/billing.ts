/** Credits, revenue with Stripe's objects (D17), and the invoices of providers (D18.1). */
export const billingTables: readonly string[] = [
  `create table credit_grants (
    id text primary key,
    project_id text not null references projects (id),
    name text,
    provider text not null,
    models text,
    amount text not null,
    starts_on text not null,
    expires_on text,
    priority integer not null,
    created_at bigint not null
  )`,
  'create index credit_grants_by_project on credit_grants (project_id, id)',

  `create table revenue_entries (
    project_id text not null references projects (id),
    external_id text not null,
    customer text not null,
    amount text not null,
    date_from text not null,
    date_to text not null,
    created_at bigint not null,
    updated_at bigint not null,
    currency text not null default 'USD',
    source text not null default 'api',
    rate_day text,
    stripe_customer text,
    stripe_invoice text,
    is_named integer not null default 0,
    constraint revenue_entries_key primary key (project_id, external_id)
  )`,
  'create index revenue_entries_by_customer on revenue_entries (project_id, customer)',
  'create index revenue_entries_by_days on revenue_entries (project_id, date_to, date_from)',
  // Hold only entries from Stripe, so that other entries cost no more to write.
  'create index revenue_entries_by_stripe_customer on revenue_entries (project_id, stripe_customer) where stripe_customer is not null',
  'create index revenue_entries_by_stripe_invoice on revenue_entries (project_id, stripe_invoice) where stripe_invoice is not null',

  `create table exchange_rates (
    project_id text not null references projects (id),
    currency text not null,
    day text not null,
    usd text not null,
    updated_at bigint not null,
    constraint exchange_rates_key primary key (project_id, currency, day)
  )`,

  `create table invoice_entries (
    project_id text not null references projects (id),
    external_id text not null,
    provider text not null,
    date_from text not null,
    date_to text not null,
    model text,
    amount text not null,
    kind text not null,
    description text,
    created_at bigint not null,
    updated_at bigint not null,
    constraint invoice_entries_key primary key (project_id, external_id)
  )`,
  'create index invoice_entries_by_day on invoice_entries (project_id, date_to, date_from)',

  `create table stripe_hooks (
    id text primary key,
    project_id text not null references projects (id),
    secret text not null,
    old_secret text,
    customer_key text,
    events bigint not null,
    last_event_at bigint,
    refused_at bigint,
    refusal text,
    created_at bigint not null,
    updated_at bigint not null,
    deleted_at bigint
  )`,
  'create index stripe_hooks_by_project on stripe_hooks (project_id, id)',

  `create table stripe_objects (
    project_id text not null references projects (id),
    id text not null,
    kind text not null,
    invoice_id text,
    payment text,
    stripe_customer text,
    content text not null,
    updated_at bigint not null,
    constraint stripe_objects_key primary key (project_id, id)
  )`,
  'create index stripe_objects_by_invoice_id on stripe_objects (project_id, invoice_id)',
  'create index stripe_objects_by_payment on stripe_objects (project_id, payment)',
  'create index stripe_objects_by_stripe_customer on stripe_objects (project_id, stripe_customer)',

  `create table stripe_customers (
    project_id text not null references projects (id),
    stripe_customer text not null,
    customer text not null,
    updated_at bigint not null,
    constraint stripe_customers_key primary key (project_id, stripe_customer)
  )`,

  `create table stripe_remakes (
    project_id text primary key references projects (id),
    after_invoice text not null
  )`,
];
