import { z } from 'zod';
import { projectOf } from '../../http/access.ts';
import type { App } from '../../http/app.ts';
import { awaitConsistency } from '../../http/consistency.ts';
import { openCursor } from '../../http/cursor.ts';
import { pageOf, pageQueryFields } from '../../http/page-envelope.ts';
import { textParameter } from '../../lib/query-fields.ts';
import type { AnalyticsSources } from '../sources.ts';
import type { Dimension } from '../where.ts';
import { runList } from './run.ts';

/** The lists, by the last part of their paths. */
const lists = {
  customers: 'customer',
  users: 'user',
  features: 'feature',
  models: 'model',
  providers: 'provider',
} as const satisfies Record<string, Dimension>;

const listQuery = z.strictObject({
  search: textParameter(1_024)
    .optional()
    .describe('Only names that contain this text. Both are compared in Unicode lower case, so case does not matter.')
    .meta({ example: 'acme' }),
  ...pageQueryFields,
});

const time = z.string().meta({ format: 'date-time' });
const listRow = z.object({
  name: z.string().describe('The empty string stands for calls that say none.'),
  first_seen: time.nullable().describe('The time of the earliest call; null without calls.'),
  last_seen: time.nullable().describe('The time of the latest call; null without calls.'),
  calls: z.number().int(),
});
const taggedRow = listRow.extend({
  tags: z.record(z.string(), z.string()).describe('The tags it carries now.'),
});

const examplePage = (isTagged: boolean) => ({
  rows: [
    {
      name: 'acme',
      first_seen: '2026-11-01T08:00:00.000Z',
      last_seen: '2026-11-21T17:30:00.123Z',
      calls: 412,
      ...(isTagged && { tags: { plan: 'pro' } }),
    },
  ],
  next_cursor: null,
  has_more: false,
});

/** `GET /api/{customers,users,features,models,providers}/` (D2): the values there are to filter by. */
export function registerLists(app: App, sources: AnalyticsSources): void {
  for (const [name, dimension] of Object.entries(lists)) {
    const isTagged = dimension === 'customer' || dimension === 'user';
    app.get(
      `/api/${name}/`,
      {
        config: { access: 'read', readsCalls: true },
        schema: {
          summary: `The ${name} there are, for filters`,
          description: describeList(dimension),
          tags: ['Lists'],
          querystring: listQuery,
          response: {
            200: pageOf(isTagged ? taggedRow : listRow).meta({
              description: 'A page of names.',
              examples: [examplePage(isTagged)],
            }),
          },
        },
      },
      async (request, reply) => {
        const project = projectOf(request);
        const { search = '', limit, cursor } = request.query;
        const identity = [name, project.id, search];
        const after = cursor === undefined ? undefined : openCursor(identity, cursor)[0];
        await awaitConsistency(request, reply, sources.progress, project.id);
        return await runList(project.id, { dimension, search, after, limit, identity }, sources);
      },
    );
  }
}

function describeList(dimension: Dimension): string {
  const order = 'In the order of their code points.';
  switch (dimension) {
    case 'customer':
      return `Every customer of a call, and those that carry tags or have revenue but no calls. ${order}`;
    case 'user':
      return `Every user of a call, and those that carry tags but have no calls. ${order}`;
    default:
      return `Every ${dimension} of a call. ${order}`;
  }
}
