import { z } from 'zod';
import { registerDeletion } from '../../accounts/deletion.ts';
import { projectOf } from '../../accounts/guard.ts';
import type { App } from '../../lib/http/app.ts';
import { problemWith } from '../../lib/http/problem-schema.ts';
import { Problem } from '../../lib/problem.ts';
import { pathId } from '../../lib/tag-map.ts';
import { timeField, toTime } from '../../lib/times.ts';
import { furtherListNames, oldListDays } from '../further-list.ts';
import { exampleOverride, overrideBody, overrideFields, readOverrideBody, toOverrideFields } from '../override-wire.ts';
import type { PriceOverride } from '../overrides.ts';
import { maxOverrides, type PriceBooks } from './price-books.ts';

const price = z.object({ id: z.string(), ...overrideFields, created_at: timeField });

export type PriceWire = z.output<typeof price>;

const examplePrice = {
  id: 'prc_01M7Y940HM46W4C89N0CDQSXWE',
  ...exampleOverride,
  created_at: '2026-11-21T05:26:29.684Z',
};

const listAge = z
  .object({
    list: z.string(),
    age_days: z.number().int().describe('The days since its data was published, or fetched.'),
    is_old: z.boolean().describe(`Whether these are more than ${oldListDays}.`),
  })
  .describe('The lists that price calls without an override: the catalogue first.');
const exampleAge = { list: 'genai-prices', age_days: 12, is_old: false };

async function readAges(priceBooks: Pick<PriceBooks, 'ageOf'>): Promise<z.output<typeof listAge>[]> {
  const names = ['genai-prices', ...furtherListNames];
  const ages = await Promise.all(names.map(async (list) => ({ list, age: await priceBooks.ageOf(list) })));
  return ages.flatMap(({ list, age }) =>
    age === undefined ? [] : [{ list, age_days: age, is_old: age > oldListDays }],
  );
}

/** `GET/POST /api/prices/`, `DELETE /api/prices/{id}/` (D2, D5.3). */
export function registerPrices(app: App, { priceBooks }: { readonly priceBooks: PriceBooks }): void {
  app.get('/api/prices/', {
    config: { access: 'read' },
    schema: {
      summary: 'The price overrides in force',
      description:
        'Overrides take precedence over the catalogue. Calls that no override matches have the catalogue price.',
      tags: ['Prices'],
      response: {
        200: z
          .object({ prices: z.array(price), lists: z.array(listAge) })
          .meta({ description: 'The overrides.', examples: [{ prices: [examplePrice], lists: [exampleAge] }] }),
      },
    },
    handler: async (request) => ({
      prices: (await priceBooks.list(projectOf(request).id)).map(toWire),
      lists: await readAges(priceBooks),
    }),
  });
  app.post('/api/prices/', {
    config: { access: 'write' },
    schema: {
      summary: 'Add a price override',
      description: 'Prices calls whose first outcome is received from now on; no past number changes.',
      tags: ['Prices'],
      body: overrideBody,
      response: {
        201: price.meta({ description: 'The override, in force.', examples: [examplePrice] }),
        409: problemWith().describe(`The project has ${maxOverrides} overrides.`),
      },
    },
    handler: async (request, reply) => {
      const made = await priceBooks.add(projectOf(request).id, readOverrideBody(request.body));
      if (!made) {
        throw new Problem('conflict', `A project has at most ${maxOverrides} price overrides; delete one first.`);
      }
      return reply.code(201).send(toWire(made));
    },
  });
  registerDeletion(app, '/api/prices/:id/', {
    summary: 'Delete a price override',
    description: 'Calls that it priced keep their costs.',
    tags: ['Prices'],
    params: z.object({ id: pathId.describe('The id of the override.').meta({ examples: [examplePrice.id] }) }),
    done: 'Deleted.',
    missing: 'This project has no price override with this id.',
    run: ({ id }, projectId) => priceBooks.remove(projectId, id),
  });
}

const toWire = (override: PriceOverride) => ({
  id: override.id,
  ...toOverrideFields(override),
  created_at: toTime(override.createdAt),
});
