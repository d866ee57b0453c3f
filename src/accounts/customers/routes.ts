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

const upsert = z
  .boolean()
  .default(false)
  .describe('True overwrites tags that exist; otherwise such a tag is a conflict (409).');

/** How a dimension is named in the body and answers of its route. */
interface Words {
  readonly dimension: TaggedDimension;
  readonly list: 'customers' | 'users';
  readonly nameField: 'customer_name' | 'user_name';
  readonly nameIs: string;
  readonly examples: readonly Readonly<Record<string, unknown>>[];
}

type NamedTags = Record<Words['nameField'], string> & Pick<TagChange, 'tags'>;
type TagsBody = Record<Words['list'], readonly NamedTags[]> & { readonly upsert: boolean };

const customers: Words = {
  dimension: 'customer',
  list: 'customers',
  nameField: 'customer_name',
  nameIs: 'The name of the customer, as on its calls.',
  examples: [
    { customer_name: 'acme', tags: { plan: 'pro', region: 'eu' } },
    { customer_name: 'globex', tags: { plan: 'free', trial: null } },
  ],
};
const users: Words = {
  dimension: 'user',
  list: 'users',
  nameField: 'user_name',
  nameIs: 'The name of the user, as on calls and events.',
  examples: [{ user_name: 'ann', tags: { team: 'support', trainee: null } }],
};

/** `POST /api/customer-tags/` (D10) and `POST /api/user-tags/` (D2): the same for two dimensions. */
export function registerTags(app: App, { control }: { readonly control: ControlStore }): void {
  for (const words of [customers, users]) {
    const { dimension, list, nameField, nameIs, examples } = words;
    const update = z.strictObject({
      [nameField]: storableText(1_024).describe(nameIs),
      tags: tagChanges.describe('A string sets the tag, null deletes it.'),
    });
    app.post(`/api/${dimension}-tags/`, {
      config: { access: 'write' },
      schema: {
        summary: `Set and delete tags of ${list}`,
        description: 'All changes are applied or none. Only the posted keys change; null deletes a tag.',
        tags: [dimension === 'customer' ? 'Customers' : 'Users'],
        body: z
          .strictObject({
            [list]: z.array(update).max(maxUpdates, { error: `must have at most ${maxUpdates} ${list}` }),
            upsert,
          })
          .meta({ examples: [{ [list]: examples, upsert: true }] }),
        response: {
          200: z
            .object({ ok: z.literal(true), [`${list}_updated`]: z.number().int().describe(`Distinct ${list}.`) })
            .meta({
              description: 'All changes were applied.',
              examples: [{ ok: true, [`${list}_updated`]: examples.length }],
            }),
          409: problemWith({
            conflicts: z
              .array(z.object({ [nameField]: z.string(), key: z.string() }))
              .describe('The first 100 tags that exist.'),
          }).describe('Some of the tags exist and `upsert` is false. Nothing was changed.'),
        },
      },
      handler: async (request) => {
        // The keys are computed, so the types of their values are lost.
        const body = request.body as unknown as TagsBody;
        const updates = body[list].map((update) => ({ name: update[nameField], tags: update.tags }));
        const updated = await updateTags(control, projectOf(request).id, words, updates, body.upsert);
        return { ok: true as const, [`${list}_updated`]: updated };
      },
    });
  }
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
