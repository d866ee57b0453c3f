import { z } from 'zod';
import { parseJson } from '../../lib/json.ts';
import { storableText } from '../../lib/tag-map.ts';
import { uniqueList } from '../../lib/unique-list.ts';
import type { ControlQueries } from '../../storage/control/control-store.ts';
import type { UsedBy } from './apis/part.ts';

/** The table of names (D30.2): which customer, user and feature a key, user or workspace of the provider stands for. */

export const nameSources = ['key', 'user', 'workspace'] as const;
const maxNames = 1_000;

const name = storableText(1_024);

const entry = z
  .strictObject({
    by: z.enum(nameSources).describe('What the id belongs to. A project of OpenAI is a workspace.'),
    id: name.describe('The id at the provider, as on the calls.'),
    customer: name.optional(),
    user: name.optional(),
    feature: name.optional(),
  })
  .refine(({ customer, user, feature }) => (customer ?? user ?? feature) !== undefined, {
    error: 'must name a customer, a user or a feature',
    params: { code: 'required' },
  });

export const exampleName = { by: 'key', id: 'key_4f9a', customer: 'acme', feature: 'chat' } as const;

/** The whole table; an empty list is one too. */
export const namesField = uniqueList(entry, {
  list: 'names',
  nouns: ['name', 'names'],
  most: maxNames,
  least: 0,
  id: 'id',
  keyOf: ({ by, id }) => (typeof by === 'string' && typeof id === 'string' ? JSON.stringify([by, id]) : undefined),
})
  .describe(
    'Customers, users and features of keys, users and workspaces. A key takes precedence over a user, and both over a workspace.',
  )
  .meta({ examples: [[exampleName]] });

export type NameEntry = z.output<typeof entry>;

export const parseNames = (text: string): NameEntry[] => z.array(entry).parse(parseJson(text));

/** What a call is attributed to; undefined where the table has no name. */
export interface NamedBy {
  readonly customer: string | undefined;
  readonly user: string | undefined;
  readonly feature: string | undefined;
}

/** Looks names up in a table. */
export function resolverOf(names: readonly NameEntry[]): (by: UsedBy) => NamedBy {
  const found = new Map(names.map((one) => [JSON.stringify([one.by, one.id]), one]));
  return (by) => {
    const entries = nameSources.flatMap((source) => found.get(JSON.stringify([source, by[source]])) ?? []);
    const first = (field: keyof NamedBy) => entries.find((one) => one[field] !== undefined)?.[field];
    return { customer: first('customer'), user: first('user'), feature: first('feature') };
  };
}

/** Takes an erased customer or user off the tables. */
export async function eraseFromNames(
  transaction: ControlQueries,
  projectId: string,
  { dimension, name: erased }: { readonly dimension: 'customer' | 'user'; readonly name: string },
): Promise<void> {
  const rows = await transaction
    .selectFrom('provider_accounts')
    .select(['id', 'names'])
    .where('project_id', '=', projectId)
    .execute();
  for (const { id, names } of rows) {
    const table = parseNames(names);
    const kept = table.filter((one) => one[dimension] !== erased && !(dimension === 'user' && one.id === erased));
    if (kept.length === table.length) continue;
    await transaction
      .updateTable('provider_accounts')
      .set((row) => ({ names: JSON.stringify(kept), revision: row('revision', '+', 1) }))
      .where('id', '=', id)
      .execute();
  }
}
