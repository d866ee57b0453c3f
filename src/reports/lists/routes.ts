import { z } from 'zod';
import { projectOf } from '../../accounts/guard.ts';
import { dayOf } from '../../lib/days.ts';
import { type Dimension, dimensionNames, dimensions, isTagged } from '../../lib/dimensions.ts';
import type { App } from '../../lib/http/app.ts';
import { awaitConsistency } from '../../lib/http/consistency.ts';
import { openCursor } from '../../lib/http/cursor.ts';
import { pageOf, pageQueryFields } from '../../lib/http/page-envelope.ts';
import { textParameter } from '../../lib/query-fields.ts';
import { noTerms } from '../../lib/units.ts';
import type { PriceBooks } from '../../pricing/books/price-books.ts';
import { resolveModelPrice } from '../../pricing/model-price.ts';
import { valueOfPosition } from '../asking/cursor.ts';
import type { Page } from '../asking/page.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { listRow, runList } from './run.ts';

interface ListSources extends AnswerSources {
  readonly priceBooks: PriceBooks;
}

const listQuery = z.strictObject({
  search: textParameter(1_024)
    .optional()
    .describe('Only names that contain this text. Both are compared in Unicode lower case, so case does not matter.')
    .meta({ example: 'acme' }),
  ...pageQueryFields,
});

const taggedRow = listRow.extend({
  tags: z.record(z.string(), z.string()).describe('The tags it carries now.'),
});

const pricedRow = listRow.extend({
  has_price: z
    .boolean()
    .describe('Whether `GET /api/models/{name}/price/` has a price for it now, from the provider that makes it.'),
});

const rowOf = (dimension: Dimension) => (isTagged(dimension) ? taggedRow : dimension === 'model' ? pricedRow : listRow);

const examplePage = (dimension: Dimension) => ({
  rows: [
    {
      name: 'acme',
      first_seen: '2026-11-01T08:00:00.000Z',
      last_seen: '2026-11-21T17:30:00.123Z',
      calls: 412,
      ...(isTagged(dimension) && { tags: { plan: 'pro' } }),
      ...(dimension === 'model' && { has_price: true }),
    },
  ],
  next_cursor: null,
  has_more: false,
});

/** `GET /api/{customers,users,features,models,providers}/` (D2): the values to filter by. */
export function registerLists(app: App, sources: ListSources): void {
  for (const dimension of dimensionNames) {
    const name = dimensions[dimension].plural;
    app.get(`/api/${name}/`, {
      config: { access: 'read', readsCalls: true },
      schema: {
        summary: `The ${name} to filter by`,
        description: describeList(dimension),
        tags: ['Lists'],
        querystring: listQuery,
        response: {
          200: pageOf(rowOf(dimension)).meta({
            description: 'A page of names.',
            examples: [examplePage(dimension)],
          }),
        },
      },
      handler: async (request, reply) => {
        const project = projectOf(request);
        const { search = '', limit, cursor } = request.query;
        const identity = [name, project.id, search];
        const after = cursor === undefined ? undefined : openCursor(identity, cursor, z.tuple([valueOfPosition]))[0];
        await awaitConsistency(request, reply, sources.progress, project.id);
        const page = await runList(project.id, { dimension, search, after, limit, identity }, sources);
        return dimension === 'model' ? await withPrices(page, project.id, sources) : page;
      },
    });
  }
}

/** Adds to each model whether it has a price (D5.4). The price route answers 404 for a model without one. */
async function withPrices<Row extends { readonly name: string }>(
  page: Page<Row>,
  projectId: string,
  { priceBooks, clock }: ListSources,
): Promise<Page<Row & { readonly has_price: boolean }>> {
  const { newest: book } = await priceBooks.ofProject(projectId);
  const time = clock();
  const day = dayOf(book.timezone, time);
  const hasPrice = (model: string) =>
    model !== '' &&
    !('unpricedReason' in resolveModelPrice({ model, provider: '', terms: noTerms, time, day }, book.opened));
  return { ...page, rows: page.rows.map((row) => ({ ...row, has_price: hasPrice(row.name) })) };
}

function describeList(dimension: Dimension): string {
  const order = 'In code-point order.';
  switch (dimension) {
    case 'customer':
      return `Every customer of a call, and customers without calls that have tags or revenue. ${order}`;
    case 'user':
      return `Every user of a call, and users without calls that have tags. ${order}`;
    default:
      return `Every ${dimension} of a call. ${order}`;
  }
}
