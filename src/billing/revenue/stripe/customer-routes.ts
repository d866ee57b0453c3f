import { z } from 'zod';
import { registerDeletion } from '../../../accounts/deletion.ts';
import { projectOf } from '../../../accounts/guard.ts';
import type { App } from '../../../lib/http/app.ts';
import { openCursor } from '../../../lib/http/cursor.ts';
import { cutPage, pageAnswer, pageQuery } from '../../../lib/http/page-envelope.ts';
import { storableText } from '../../../lib/tag-map.ts';
import { uniqueList } from '../../../lib/unique-list.ts';
import { type ControlSources, deleteRows, putRows, withProjectLock } from '../../../storage/control/control-store.ts';
import { remapCustomers } from './mapping.ts';

const tags = ['Stripe'];
const maxPairs = 1_000;
const examplePair = { stripe_customer: 'cus_QXg1o8vcGmoR32', customer: 'acme' };

const stripeCustomerField = storableText(255)
  .refine((id) => id !== '.' && id !== '..', {
    error: 'must not be . or .., which cannot be used in a path',
    params: { code: 'invalid_value' },
  })
  .describe('The id of the customer in Stripe.')
  .meta({ examples: [examplePair.stripe_customer] });

const pair = z.strictObject({
  stripe_customer: stripeCustomerField,
  customer: storableText(1_024).describe('The customer, as named on its calls.'),
});

const pairsBody = z
  .strictObject({
    customers: uniqueList(pair, { list: 'customers', nouns: ['pair', 'pairs'], most: maxPairs, id: 'stripe_customer' }),
  })
  .meta({ examples: [{ customers: [examplePair] }] });

/** `GET/PUT /api/stripe/customers/`, `DELETE /api/stripe/customers/{stripe_customer}/` (D17.2). */
export function registerStripeCustomers(app: App, { control, clock }: ControlSources): void {
  app.get('/api/stripe/customers/', {
    config: { access: 'read' },
    schema: {
      summary: 'The customers of Stripe customers',
      description: 'Sorted by `stripe_customer`. A pair counts if no metadata name a customer.',
      tags,
      querystring: pageQuery,
      response: { 200: pageAnswer('customers', pair, 'A page of pairs.', examplePair) },
    },
    handler: async (request) => {
      const { limit, cursor } = request.query;
      const projectId = projectOf(request).id;
      const question = ['stripe customers', projectId];
      const after = cursor === undefined ? undefined : openCursor(question, cursor, z.tuple([stripeCustomerField]))[0];
      const found = await control
        .selectFrom('stripe_customers')
        .select(['stripe_customer', 'customer'])
        .where('project_id', '=', projectId)
        .$if(after !== undefined, (query) => query.where('stripe_customer', '>', after ?? ''))
        .orderBy('stripe_customer')
        .limit(limit + 1)
        .execute();
      const { rows, end } = cutPage(question, found, limit, ({ stripe_customer: id }) => [id]);
      return { customers: rows, ...end };
    },
  });
  app.put('/api/stripe/customers/', {
    config: { access: 'write' },
    schema: {
      summary: 'Set the customers of Stripe customers',
      description: 'All pairs are set or none; other pairs stay as they are. A pair also maps earlier revenue.',
      tags,
      body: pairsBody,
      response: {
        200: z
          .object({ ok: z.literal(true), pairs_stored: z.number().int() })
          .meta({ description: 'All pairs are set.', examples: [{ ok: true, pairs_stored: 1 }] }),
      },
    },
    handler: async (request) => {
      const { customers: pairs } = request.body;
      const projectId = projectOf(request).id;
      const now = clock();
      await withProjectLock(control, projectId, async (transaction) => {
        const rows = pairs.map((one) => ({ project_id: projectId, ...one, updated_at: now }));
        await putRows(transaction, 'stripe_customers', ['project_id', 'stripe_customer'], rows);
        const ids = pairs.map(({ stripe_customer: id }) => id);
        await remapCustomers(transaction, { projectId, now }, ids);
      });
      return { ok: true as const, pairs_stored: pairs.length };
    },
  });
  registerDeletion(app, '/api/stripe/customers/:stripe_customer/', {
    summary: 'Delete the customer of a Stripe customer',
    description: 'Its revenue, also in the past, then belongs to a customer named by its id in Stripe.',
    tags,
    params: z.object({ stripe_customer: stripeCustomerField }),
    done: 'The pair is deleted.',
    missing: 'This project has no customer for this Stripe customer.',
    run: ({ stripe_customer: id }, projectId) =>
      withProjectLock(control, projectId, async (transaction) => {
        const row = { project_id: projectId, stripe_customer: id };
        if (!(await deleteRows(transaction, 'stripe_customers', row))) return false;
        await remapCustomers(transaction, { projectId, now: clock() }, [id]);
        return true;
      }),
  });
}
