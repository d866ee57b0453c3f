import { sql } from 'kysely';
import { z } from 'zod';
import { registerDeletion } from '../../../accounts/deletion.ts';
import { projectOf } from '../../../accounts/guard.ts';
import type { App } from '../../../lib/http/app.ts';
import { problemWith } from '../../../lib/http/problem-schema.ts';
import { Problem } from '../../../lib/problem.ts';
import { needBox } from '../../../lib/secret-box.ts';
import { pathId, storableText } from '../../../lib/tag-map.ts';
import { timeField, toTime, toTimeOrNull } from '../../../lib/times.ts';
import type { ControlQueries } from '../../../storage/control/control-store.ts';
import type { StripeHookRow } from '../../../storage/control/schema/billing-rows.ts';
import { registerStripeCustomers } from './customer-routes.ts';
import { exampleHookId, type HookRouteOptions, registerStripeHook } from './hook-route.ts';
import { changeHook, createHook, deleteHook, maxHooks, readHooks } from './hooks.ts';
import { registerStripeObjects } from './object-routes.ts';

export interface StripeRoutesOptions extends HookRouteOptions {
  /** Called when entries are to be made again. */
  readonly onRemake: () => void;
}

const tags = ['Stripe'];

const secretField = z
  .string()
  .regex(/^whsec_[\x21-\x7e]{8,248}$/, { error: "must be the endpoint's signing secret from Stripe, whsec_…" })
  .describe('The signing secret that Stripe shows for the endpoint.')
  .meta({ examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] });
const keyField = storableText(40)
  .nullable()
  .describe(
    'The metadata key in Stripe whose value names the customer, on the line, the invoice, the subscription or the customer; null for none.',
  )
  .meta({ examples: ['farthing_customer'] });

const hookFields = z.object({
  id: z.string(),
  url_path: z.string().describe('The path to which Stripe posts, below the address of the service.'),
  customer_key: z.string().nullable(),
  created_at: timeField,
  events: z.number().int().describe('Events that have changed something.'),
  last_event_at: timeField.nullable().describe('When Stripe made the newest event that was accepted.'),
  has_old_secret: z.boolean().describe('Whether the secret before the last rotation is still valid.'),
  last_refusal: z
    .object({ at: timeField, reason: z.string() })
    .nullable()
    .describe('The last webhook that was refused; kept for at least five seconds.'),
});

export type HookWire = z.output<typeof hookFields>;

const exampleHook = {
  id: exampleHookId,
  url_path: `/hooks/stripe/${exampleHookId}/`,
  customer_key: 'farthing_customer',
  created_at: '2026-11-21T05:26:29.684Z',
  events: 12,
  last_event_at: '2026-11-22T10:00:00.000Z',
  has_old_secret: false,
  last_refusal: null,
};
const hookAs = (description: string) => hookFields.meta({ description, examples: [exampleHook] });
const inHook = z.object({ id: pathId.describe('The id of the hook.').meta({ examples: [exampleHookId] }) });

/** `/api/stripe/` with all below it, and the webhooks themselves (D17.1, D17.2). */
export function registerStripe(app: App, options: StripeRoutesOptions): void {
  registerStripeHook(app, options);
  registerHooks(app, options);
  registerStripeCustomers(app, options);
  registerStripeObjects(app, options);
}

function registerHooks(app: App, { control, clock, box, onRemake }: StripeRoutesOptions): void {
  app.get('/api/stripe/', {
    config: { access: 'read' },
    schema: {
      summary: 'The hooks of Stripe',
      description: 'The oldest first, without their secrets.',
      tags,
      response: {
        200: z
          .object({
            hooks: z.array(hookFields),
            unlinked: z
              .object({ credit_notes: z.number().int(), refunds: z.number().int() })
              .describe('Credit notes and refunded charges without a known invoice, which do not count.'),
          })
          .meta({
            description: 'The hooks.',
            examples: [{ hooks: [exampleHook], unlinked: { credit_notes: 0, refunds: 1 } }],
          }),
      },
    },
    handler: async (request) => {
      const { id } = projectOf(request);
      return { hooks: (await readHooks(control, id)).map(toWire), unlinked: await countUnlinked(control, id) };
    },
  });
  app.post('/api/stripe/', {
    config: { access: 'write' },
    schema: {
      summary: 'Make a hook for Stripe',
      description: `In Stripe, make a webhook endpoint with the address of the service and \`url_path\`. A project has at most ${maxHooks}.`,
      tags,
      body: z
        .strictObject({ signing_secret: secretField, customer_key: keyField.default(null) })
        .meta({ examples: [{ signing_secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }] }),
      response: {
        201: hookAs('The hook is made.'),
        409: problemWith().describe(`The project has ${maxHooks} hooks.`),
      },
    },
    handler: async (request, reply) => {
      const { signing_secret: secret, customer_key: customerKey } = request.body;
      const hook = await createHook({ control, clock }, projectOf(request).id, {
        secret,
        customerKey,
        box: needBox(box, 'hooks'),
      });
      if (!hook) throw new Problem('conflict', `A project has at most ${maxHooks} hooks of Stripe: delete one first.`);
      onRemake();
      return reply.code(201).send(toWire(hook));
    },
  });
  app.patch('/api/stripe/:id/', {
    config: { access: 'write' },
    schema: {
      summary: 'Change a hook of Stripe',
      description:
        'After a new secret, the old one stays valid until the next change. A new `customer_key` also maps past revenue.',
      tags,
      params: inHook,
      body: z
        .strictObject({ signing_secret: secretField.optional(), customer_key: keyField.optional() })
        .meta({ examples: [{ signing_secret: 'whsec_C2FVsBQIhrscChlQIMV0bbFxTMaWhRbU' }] }),
      response: { 200: hookAs('The changed hook.') },
    },
    handler: async (request) => {
      const { signing_secret: text, customer_key: customerKey } = request.body;
      const hook = await changeHook(
        { control, clock },
        { projectId: projectOf(request).id, id: request.params.id },
        { secret: text === undefined ? undefined : { text, box: needBox(box, 'hooks') }, customerKey },
      );
      if (!hook) throw new Problem('not_found', noHook);
      onRemake();
      return toWire(hook);
    },
  });
  registerDeletion(app, '/api/stripe/:id/', {
    summary: 'Delete a hook of Stripe',
    description: 'Deletes its secrets too. The revenue that it brought stays, with its customers.',
    tags,
    params: inHook,
    done: 'The hook is deleted.',
    missing: noHook,
    run: ({ id }, projectId) => deleteHook({ control, clock }, projectId, id),
  });
}

const noHook = 'This project has no hook of Stripe with this id.';

const toWire = ({ id, customer_key, created_at, events, ...hook }: StripeHookRow): HookWire => ({
  ...{ id, url_path: `/hooks/stripe/${id}/`, customer_key, created_at: toTime(created_at), events },
  last_event_at: toTimeOrNull(hook.last_event_at),
  has_old_secret: hook.old_secret !== null,
  last_refusal: hook.refused_at === null ? null : { at: toTime(hook.refused_at), reason: hook.refusal ?? '' },
});

/** How many credit notes and refunded charges have no known invoice. They do not count until it is known. */
async function countUnlinked(
  control: ControlQueries,
  projectId: string,
): Promise<{ readonly credit_notes: number; readonly refunds: number }> {
  const rows = await control
    .selectFrom('stripe_objects')
    .select(['kind', (row) => row.fn.countAll<number | string>().as('objects')])
    .where('project_id', '=', projectId)
    .where('kind', 'in', ['credit_note', 'charge'])
    .where(
      sql<boolean>`not exists (select 1 from stripe_objects as invoices
        where invoices.project_id = stripe_objects.project_id and invoices.id = stripe_objects.invoice_id)`,
    )
    .groupBy('kind')
    .execute();
  const counts = new Map(rows.map(({ kind, objects }) => [kind, Number(objects)]));
  return { credit_notes: counts.get('credit_note') ?? 0, refunds: counts.get('charge') ?? 0 };
}
