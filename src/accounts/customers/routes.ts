import { z } from 'zod';
import type { TaggedDimension } from '../../lib/dimensions.ts';
import { FaultList } from '../../lib/fault-list.ts';
import { mostFaults } from '../../lib/faults.ts';
import type { App } from '../../lib/http/app.ts';
import { problemWith } from '../../lib/http/problem-schema.ts';
import { type Fault, Problem, toPointer } from '../../lib/problem.ts';
import { mapOf, storableText, storableTextOrEmpty } from '../../lib/tag-map.ts';
import type { ControlStore } from '../../storage/control/control-store.ts';
import { projectOf } from '../guard.ts';
import { changeTags, maxTags, type TagChange } from './tag-store.ts';

const maxUpdates = 1_000;
const maxConflicts = 100;

const tagChanges = mapOf(
  storableText(128),
  z.union([storableTextOrEmpty(1_024), z.null()], { error: 'must be a string or null' }),
  {
    type: 'object',
    additionalProperties: { type: ['string', 'null'] },
    example: { plan: 'pro', trial: null },
  },
);

const nameField = storableText(1_024);
const changesField = tagChanges.describe('A string sets the tag, null deletes it.');
const upsert = z
  .boolean()
  .default(false)
  .describe('True overwrites tags that exist; otherwise such a tag is a conflict (409).');

const updatesOf = <Update extends z.ZodType>(update: Update, list: string) =>
  z.array(update).max(maxUpdates, { error: `must have at most ${maxUpdates} ${list}` });

const customerTagsBody = z
  .strictObject({
    customers: updatesOf(
      z.strictObject({
        customer_name: nameField.describe('The name of the customer, as on its calls.'),
        tags: changesField,
      }),
      'customers',
    ),
    upsert,
  })
  .meta({
    examples: [
      {
        customers: [
          { customer_name: 'acme', tags: { plan: 'pro', region: 'eu' } },
          { customer_name: 'globex', tags: { plan: 'free', trial: null } },
        ],
        upsert: true,
      },
    ],
  });

const userTagsBody = z
  .strictObject({
    users: updatesOf(
      z.strictObject({
        user_name: nameField.describe('The name of the user, as on calls and events.'),
        tags: changesField,
      }),
      'users',
    ),
    upsert,
  })
  .meta({
    examples: [{ users: [{ user_name: 'ann', tags: { team: 'support', trainee: null } }], upsert: true }],
  });

/** How a dimension is named in the bodies and answers of its route. */
interface Words {
  readonly dimension: TaggedDimension;
  readonly list: 'customers' | 'users';
  readonly nameField: 'customer_name' | 'user_name';
}

const customers: Words = { dimension: 'customer', list: 'customers', nameField: 'customer_name' };
const users: Words = { dimension: 'user', list: 'users', nameField: 'user_name' };

const description = 'All changes are applied or none. Only the posted keys change; null deletes a tag.';
const applied = 'All changes were applied.';

/** The 409 for tags that already exist. */
const conflictOf = <Conflict extends z.ZodType>(conflict: Conflict) =>
  problemWith({ conflicts: z.array(conflict).describe('The first 100 tags that exist.') }).describe(
    'Some of the tags exist and `upsert` is false. Nothing was changed.',
  );

/** `POST /api/customer-tags/` (section 4.1, D10) and `POST /api/user-tags/` (D2): the same for two dimensions. */
export function registerTags(app: App, { control }: { readonly control: ControlStore }): void {
  app.post(
    '/api/customer-tags/',
    {
      config: { access: 'write' },
      schema: {
        summary: 'Set and delete tags of customers',
        description,
        tags: ['Customers'],
        body: customerTagsBody,
        response: {
          200: z
            .object({ ok: z.literal(true), customers_updated: z.number().int().describe('Distinct customers.') })
            .meta({ description: applied, examples: [{ ok: true, customers_updated: 2 }] }),
          409: conflictOf(z.object({ customer_name: z.string(), key: z.string() })),
        },
      },
    },
    async (request) => {
      const updates = request.body.customers.map(({ customer_name, tags }) => ({ name: customer_name, tags }));
      const updated = await updateTags(control, projectOf(request).id, customers, updates, request.body.upsert);
      return { ok: true as const, customers_updated: updated };
    },
  );
  app.post(
    '/api/user-tags/',
    {
      config: { access: 'write' },
      schema: {
        summary: 'Set and delete tags of users',
        description,
        tags: ['Users'],
        body: userTagsBody,
        response: {
          200: z
            .object({ ok: z.literal(true), users_updated: z.number().int().describe('Distinct users.') })
            .meta({ description: applied, examples: [{ ok: true, users_updated: 1 }] }),
          409: conflictOf(z.object({ user_name: z.string(), key: z.string() })),
        },
      },
    },
    async (request) => {
      const updates = request.body.users.map(({ user_name, tags }) => ({ name: user_name, tags }));
      const updated = await updateTags(control, projectOf(request).id, users, updates, request.body.upsert);
      return { ok: true as const, users_updated: updated };
    },
  );
}

/**
 * Applies all updates or none; returns the number of distinct names.
 * @throws Problem `conflict` for tags that exist (D10.1), `invalid_body` for a repeated key or too many tags
 */
async function updateTags(
  control: ControlStore,
  projectId: string,
  words: Words,
  updates: readonly TagChange[],
  upsert: boolean,
): Promise<number> {
  const changes = mergeChanges(words, updates);
  const result = await changeTags(control, projectId, words.dimension, changes, { upsert });
  if (result.ok) return changes.length;
  if ('overfull' in result) throw overfullProblem(words, result.overfull, updates);
  throw new Problem(
    'conflict',
    'Some of these tags exist and nothing was changed; send upsert: true to overwrite them.',
    {
      members: {
        conflicts: result.conflicts.slice(0, maxConflicts).map(({ name, key }) => ({ [words.nameField]: name, key })),
      },
    },
  );
}

/** Merges the entries of each name into one change. The same key twice for a name is refused (D10.2). */
function mergeChanges({ dimension, list }: Words, updates: readonly TagChange[]): TagChange[] {
  const merged = new Map<string, Map<string, string | null>>();
  const faults = new FaultList(mostFaults);
  updates.forEach(({ name, tags }, index) => {
    const known = merged.get(name) ?? new Map<string, string | null>();
    merged.set(name, known);
    for (const [key, value] of tags) {
      if (known.has(key)) {
        const pointer = toPointer([list, index, 'tags', key]);
        faults.add({ pointer, code: 'duplicate', message: `must not be repeated for one ${dimension}` });
      }
      known.set(key, value);
    }
  });
  if (faults.total > 0) {
    throw new Problem('invalid_body', `Some keys are repeated for one ${dimension}; nothing was changed.`, {
      errors: faults.first,
      ...(faults.total > faults.first.length && { members: { errors_total: faults.total } }),
    });
  }
  return [...merged].map(([name, tags]) => ({ name, tags }));
}

function overfullProblem({ dimension, list }: Words, names: readonly string[], updates: readonly TagChange[]): Problem {
  const overfull = new Set(names);
  const errors = updates.flatMap(({ name }, index): Fault[] =>
    overfull.has(name)
      ? [
          {
            pointer: toPointer([list, index, 'tags']),
            code: 'too_many',
            message: `must leave the ${dimension} with at most ${maxTags} tags`,
          },
        ]
      : [],
  );
  return new Problem('invalid_body', `A ${dimension} has at most ${maxTags} tags; nothing was changed.`, {
    errors: errors.slice(0, mostFaults),
    ...(errors.length > mostFaults && { members: { errors_total: errors.length } }),
  });
}
