/** Simulations of plans that are saved under a name (D29.2). */
export const plansTables: readonly string[] = [
  `create table plan_simulations (
    project_id text not null references projects (id),
    name text not null,
    question text not null,
    created_at bigint not null,
    updated_at bigint not null,
    constraint plan_simulations_key primary key (project_id, name)
  )`,
];
