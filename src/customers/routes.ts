import { z } from 'zod';
import type { ControlStore } from '../control/control-store.ts';
import { projectOf } from '../http/access.ts';
import type { App } from '../http/app.ts';
import { problemWith } from '../http/problem-schema.ts';
import { type Fault, Problem, toPointer } from '../lib/problem.ts';
import { mapOf, storableText, storableTextOrEmpty } from '../lib/tag-map.ts';
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

const customerTagsBody = z
  .strictObject({
    customers: z
      .array(
        z.strictObject({
          customer_name: storableText(1_024).describe('What stands on the calls of the customer.'),
          tags: tagChanges.describe('A string sets the tag, null deletes it.'),
        }),
      )
      .max(maxUpdates, { error: `must have at most ${maxUpdates} customers` }),
    upsert: z.boolean().default(false).describe('Whether a tag that exists is overwritten, or is a conflict (409).'),
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

/** `POST /api/customer-tags/` (section 4.1, D10). */
export function registerCustomerTags(app: App, { control }: { readonly control: ControlStore }): void {
  app.post(
    '/api/customer-tags/',
    {
      config: { access: 'write' },
      schema: {
        summary: 'Set and delete tags of customers',
        description: 'All of it applies or none. Only the posted keys change; null deletes.',
        tags: ['Customers'],
        body: customerTagsBody,
        response: {
          200: z
            .object({ ok: z.literal(true), customers_updated: z.number().int().describe('Distinct customers.') })
            .meta({ description: 'All of it was applied.', examples: [{ ok: true, customers_updated: 2 }] }),
          409: problemWith({
            conflicts: z
              .array(z.object({ customer_name: z.string(), key: z.string() }))
              .describe('The first hundred tags that exist.'),
          }).describe('Without `upsert`, some of the tags exist. Nothing was changed.'),
        },
      },
    },
    async (request) => {
      const updates = request.body.customers.map(({ customer_name, tags }) => ({ name: customer_name, tags }));
      const changes = mergeChanges(updates);
      const result = await changeTags(control, projectOf(request).id, 'customer', changes, {
        upsert: request.body.upsert,
      });
      if (result.ok) return { ok: true as const, customers_updated: changes.length };
      if ('overfull' in result) throw overfullProblem(result.overfull, updates);
      throw new Problem(
        'conflict',
        'Some of these tags exist and nothing was changed; send upsert: true to overwrite them.',
        {
          members: {
            conflicts: result.conflicts.slice(0, maxConflicts).map(({ name, key }) => ({ customer_name: name, key })),
          },
        },
      );
    },
  );
}

/** Several entries of one customer are one change; the same key twice is a contradiction (D10.2). */
function mergeChanges(updates: readonly TagChange[]): TagChange[] {
  const merged = new Map<string, Map<string, string | null>>();
  const faults: Fault[] = [];
  updates.forEach(({ name, tags }, index) => {
    const known = merged.get(name) ?? new Map<string, string | null>();
    merged.set(name, known);
    for (const [key, value] of tags) {
      if (known.has(key)) {
        const pointer = toPointer(['customers', index, 'tags', key]);
        faults.push({ pointer, code: 'duplicate', message: 'must stand only once for one customer' });
      }
      known.set(key, value);
    }
  });
  if (faults.length > 0) {
    throw new Problem('invalid_body', 'Some keys stand twice for one customer; nothing was changed.', {
      errors: faults,
    });
  }
  return [...merged].map(([name, tags]) => ({ name, tags }));
}

function overfullProblem(names: readonly string[], updates: readonly TagChange[]): Problem {
  const overfull = new Set(names);
  const errors = updates.flatMap(({ name }, index): Fault[] =>
    overfull.has(name)
      ? [
          {
            pointer: toPointer(['customers', index, 'tags']),
            code: 'too_many',
            message: `must leave the customer with at most ${maxTags} tags`,
          },
        ]
      : [],
  );
  return new Problem('invalid_body', `A customer has at most ${maxTags} tags; nothing was changed.`, { errors });
}
