// Provider accounts of a project, over the API, and what their provider says of the same calls.
import { expect } from 'vitest';
import { z } from 'zod';
import { expectStatus, type Json, type Project } from './client.ts';
import { poll } from './poll.ts';
import { chargesOf, modelsOf, type Traffic } from './provider-server.ts';

export const account = z.object({
  id: z.string(),
  mode: z.string(),
  calls: z.number(),
  names: z.array(z.unknown()),
  next_at: z.string(),
  last_success_at: z.string().nullable(),
  last_read: z.object({ calls: z.number(), entries_changed: z.number(), calls_changed: z.number() }).nullable(),
  last_fault: z.object({ at: z.string(), reason: z.string() }).nullable(),
  switched: z
    .object({ to: z.string(), calls_made: z.number(), calls_withdrawn: z.number(), done: z.boolean() })
    .nullable(),
});
export type Account = z.infer<typeof account>;

export const accountsPath = '/api/provider-accounts/';
export const readsWithin = { within: 120_000, every: 100 };
export const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

export const readAccounts = async (project: Project): Promise<Account[]> =>
  z.object({ accounts: z.array(account) }).parse(expectStatus(await project.api('GET', accountsPath), 200)).accounts;

export async function setUpAccount(project: Project, fields: Json): Promise<Account> {
  return account.parse(expectStatus(await project.api('POST', accountsPath, fields), 201));
}

/** Waits until a reading that began after now has succeeded. */
export async function untilRead(project: Project, { id, last_success_at: before }: Account): Promise<Account> {
  return await poll('the account is read', readsWithin, async () => {
    const found = (await readAccounts(project)).find((one) => one.id === id);
    return found && found.last_success_at !== before ? found : undefined;
  });
}

export async function readAgain(project: Project, id: string): Promise<Account> {
  return await untilRead(
    project,
    account.parse(expectStatus(await project.api('POST', `${accountsPath}${id}/read/`), 200)),
  );
}

export const people = ['ada', 'bob', 'cyd'].map((name, at) => ({
  ...{ key: `key_${name}`, workspace: `team_${at % 2}`, user: `user_${name}` },
}));

/** Of each of these last days. */
export const makeTraffic = (kind: 'openai' | 'anthropic', days = 30): Traffic[] =>
  Array.from({ length: days }, (_, day) =>
    people.flatMap((who, at) =>
      modelsOf[kind].map((model, index) => ({
        ...{ ...who, model, day: dayAgo(day), requests: 50 + at },
        ...{ input: 100_000 * (1 + at + day), cached: 7_000 * (1 + index), output: 3_000 + 11 * day },
      })),
    ),
  ).flat();

export const costOf = (list: readonly Traffic[]): number =>
  Number(list.flatMap(chargesOf).reduce((sum, [, amount]) => sum + amount, 0n)) / 1e12;

export const lastMonth = () => ({ date_from: dayAgo(29), date_to: dayAgo(0) });

/** Costs by a dimension, as the provider counts them and as Farthing does. */
export async function expectSums(project: Project, traffic: readonly Traffic[]): Promise<void> {
  const groupings = {
    model: ({ model }: Traffic) => model,
    'tag:key': ({ key }: Traffic) => key,
    'tag:workspace': ({ workspace }: Traffic) => workspace,
    'tag:provider_user': ({ user }: Traffic) => user,
  };
  for (const [group, of] of Object.entries(groupings)) {
    const rows = await project.allCosts({ ...lastMonth(), aggregate: 'day', group_by: group });
    const found = Object.fromEntries(rows.map((row) => [`${row.date_from} ${row.tag ?? row.model}`, row.cost]));
    const expected = Map.groupBy(traffic, (one) => `${one.day} ${of(one)}`);
    expect(Object.keys(found).sort(), group).toEqual([...expected.keys()].sort());
    for (const [key, list] of expected) expect(found[key], `${group} ${key}`).toBeCloseTo(costOf(list), 9);
  }
}

export async function expectReconciled(project: Project, traffic: readonly Traffic[]): Promise<void> {
  const asked = await project.api('POST', '/api/reconciliation/', { ...lastMonth(), aggregate: 'all' });
  const { rows } = z
    .object({ rows: z.array(z.object({ computed: z.number(), invoiced: z.number(), difference: z.number() })) })
    .parse(expectStatus(asked, 200));
  expect(rows[0]?.invoiced).toBeCloseTo(costOf(traffic), 9);
  expect(rows[0]?.computed).toBeCloseTo(costOf(traffic), 9);
  expect(rows[0]?.difference).toBeCloseTo(0, 9);
}
