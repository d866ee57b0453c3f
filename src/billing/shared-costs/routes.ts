import { z } from 'zod';
import { registerDeletion } from '../../accounts/deletion.ts';
import { projectOf } from '../../accounts/guard.ts';
import type { App } from '../../lib/http/app.ts';
import { openCursor } from '../../lib/http/cursor.ts';
import { cutPage, pageOf, pageQueryFields } from '../../lib/http/page-envelope.ts';
import { problemWith } from '../../lib/http/problem-schema.ts';
import { moneyField } from '../../lib/http/row-fields.ts';
import { toJsonNumber } from '../../lib/money.ts';
import { Problem } from '../../lib/problem.ts';
import { timeField, toTime } from '../../lib/times.ts';
import { weights } from '../../reports/facts/shared-costs.ts';
import { type ControlSources, deleteRows } from '../../storage/control/control-store.ts';
import { entryRange, externalIdField, rangeCheck } from '../revenue/parse.ts';
import { listSharedCosts, maxSharedCosts, maxWaysToShare, type StoredSharedCost, storeSharedCosts } from './entries.ts';
import { exampleEntry, sharedCostsBody, toEntries } from './parse.ts';

const names = z.array(z.string()).optional();

const storedEntry = z.object({
  external_id: z.string(),
  name: z.string(),
  amount: moneyField('USD.'),
  date_from: z.string().meta({ format: 'date' }),
  date_to: z.string().meta({ format: 'date' }),
  allocate_by: z.enum(weights),
  scope: z.object({
    providers: names,
    models: names,
    features: names,
    tags: z.record(z.string(), z.array(z.string())).optional(),
  }),
  created_at: timeField,
  updated_at: timeField,
});

const exampleStored = {
  ...exampleEntry,
  created_at: '2026-11-21T05:26:29.684Z',
  updated_at: '2026-11-21T05:26:29.684Z',
};

const sharedCostsPage = pageOf(storedEntry, exampleStored);

export type SharedCostsPage = z.output<typeof sharedCostsPage>;

const mostEntries = `A project has at most ${maxSharedCosts} shared costs, and ${maxWaysToShare} pairs of scope and allocate_by`;
const tags = ['Shared costs'];

/** `GET/POST /api/shared-costs/`, `DELETE /api/shared-costs/{external_id}/` (D31.1). */
export function registerSharedCosts(app: App, { control, clock }: ControlSources): void {
  app.get('/api/shared-costs/', {
    config: { access: 'read' },
    schema: {
      summary: 'The shared costs',
      description: 'Sorted by `external_id`. The dates select the entries with a day in the range.',
      tags,
      querystring: z.strictObject({ ...entryRange, ...pageQueryFields }).check(rangeCheck),
      response: { 200: sharedCostsPage },
    },
    handler: async (request) => {
      const { date_from: dateFrom, date_to: dateTo, limit, cursor } = request.query;
      const projectId = projectOf(request).id;
      const question = ['shared-costs', projectId, dateFrom, dateTo];
      const after = cursor === undefined ? undefined : openCursor(question, cursor, z.tuple([externalIdField]))[0];
      // One extra entry shows whether there is a next page.
      const found = await listSharedCosts(control, projectId, { dateFrom, dateTo }, { after, limit: limit + 1 });
      const { rows, end } = cutPage(question, found, limit, ({ externalId }) => [externalId]);
      return { rows: rows.map(toWire), ...end };
    },
  });
  app.post('/api/shared-costs/', {
    config: { access: 'write' },
    schema: {
      summary: 'Add and replace shared costs',
      description:
        'Costs that do not depend on the number of calls: GPUs, provisioned throughput, seats. All entries are stored or none. An entry replaces ' +
        'the stored one with the same `external_id`. An amount is spread evenly over its days, and each day over the calls in its ' +
        'scope by `allocate_by`. Only answers with `include_shared` show it.',
      tags,
      body: sharedCostsBody,
      response: {
        201: z
          .object({ stored: z.number().int() })
          .meta({ description: 'All entries are stored.', examples: [{ stored: 1 }] }),
        409: problemWith().describe(`${mostEntries}.`),
      },
    },
    handler: async (request, reply) => {
      const entries = toEntries(request.body);
      if (!(await storeSharedCosts(control, projectOf(request).id, entries, clock))) {
        throw new Problem('conflict', `${mostEntries}; delete some that are over.`);
      }
      return reply.code(201).send({ stored: entries.length });
    },
  });
  registerDeletion(app, '/api/shared-costs/:external_id/', {
    summary: 'Delete a shared cost',
    description: 'No answer includes it any more, even for past days; answers as of a close still do.',
    tags,
    params: z.object({ external_id: externalIdField }),
    done: 'The shared cost is deleted.',
    missing: 'This project has no shared cost with this external_id.',
    run: (key, projectId) => deleteRows(control, 'shared_costs', { project_id: projectId, ...key }),
  });
}

const toWire = ({ scope: { tags: ofCalls, ...scope }, ...entry }: StoredSharedCost) => ({
  external_id: entry.externalId,
  name: entry.name,
  amount: toJsonNumber(entry.amount),
  date_from: entry.dateFrom,
  date_to: entry.dateTo,
  allocate_by: entry.allocateBy,
  scope: {
    ...(scope.providers && { providers: [...scope.providers] }),
    ...(scope.models && { models: [...scope.models] }),
    ...(scope.features && { features: [...scope.features] }),
    ...(ofCalls && { tags: Object.fromEntries(ofCalls.map(([key, values]) => [key, [...values]])) }),
  },
  created_at: toTime(entry.createdAt),
  updated_at: toTime(entry.updatedAt),
});
