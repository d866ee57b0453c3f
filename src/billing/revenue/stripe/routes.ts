import { z } from 'zod';
import { registerDeletion } from '../../../accounts/deletion.ts';
import { projectOf } from '../../../accounts/guard.ts';
import type { App } from '../../../lib/http/app.ts';
import { problemWith } from '../../../lib/http/problem-schema.ts';
import { Problem } from '../../../lib/problem.ts';
import type { SecretBox } from '../../../lib/secret-box.ts';
import { pathId, storableText } from '../../../lib/tag-map.ts';
import { timeField, toTime, toTimeOrNull } from '../../../lib/times.ts';
import { registerStripeCustomers } from './customer-routes.ts';
import { exampleHookId, type HookRouteOptions, registerStripeHook } from './hook-route.ts';
import { changeHook, createHook, deleteHook, type Hook, maxHooks, readHooks } from './hooks.ts';
import { registerStripeObjects } from './object-routes.ts';
import { countUnlinked } from './unlinked.ts';

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
    'The metadata key whose value names the customer, on the line, the invoice, the subscription or the customer of Stripe; null for none.',
  )
  .meta({ examples: ['farthing_customer'] });

const hookFields = z.object({
  id: z.string(),
  url_path: z.string().describe('Where Stripe is to post, below the address of the service.'),
  customer_key: z.string().nullable(),
  created_at: timeField,
  events: z.number().int().describe('Events that have changed something.'),
  last_event_at: timeField.nullable().describe('When Stripe made the newest event that was taken.'),
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
  app.get(
    '/api/stripe/',
    {
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
                .describe('Credit notes and refunded charges whose invoice is not known: they do not count.'),
            })
            .meta({
              description: 'The hooks.',
              examples: [{ hooks: [exampleHook], unlinked: { credit_notes: 0, refunds: 1 } }],
            }),
        },
      },
    },
    async (request) => {
      const { id } = projectOf(request);
      return { hooks: (await readHooks(control, id)).map(toWire), unlinked: await countUnlinked(control, id) };
    },
  );
  app.post(
    '/api/stripe/',
    {
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
    },
    async (request, reply) => {
      const { signing_secret: secret, customer_key: customerKey } = request.body;
      const hook = await createHook({ control, clock }, projectOf(request).id, {
        secret,
        customerKey,
        box: needBox(box),
      });
      if (!hook) throw new Problem('conflict', `A project has at most ${maxHooks} hooks of Stripe: delete one first.`);
      onRemake();
      return reply.code(201).send(toWire(hook));
    },
  );
  app.patch(
    '/api/stripe/:id/',
    {
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
    },
    async (request) => {
      const { signing_secret: text, customer_key: customerKey } = request.body;
      const hook = await changeHook(
        { control, clock },
        { projectId: projectOf(request).id, id: request.params.id },
        { secret: text === undefined ? undefined : { text, box: needBox(box) }, customerKey },
      );
      if (!hook) throw new Problem('not_found', noHook);
      onRemake();
      return toWire(hook);
    },
  );
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

function needBox(box: SecretBox | undefined): SecretBox {
  if (box) return box;
  throw new Problem('unavailable', 'On PostgreSQL the secrets of hooks need FARTHING_SECRETS_KEY, which is not set.');
}

const toWire = (hook: Hook): z.output<typeof hookFields> => ({
  id: hook.id,
  url_path: `/hooks/stripe/${hook.id}/`,
  customer_key: hook.customerKey,
  created_at: toTime(hook.createdAt),
  events: hook.events,
  last_event_at: toTimeOrNull(hook.lastEventAt),
  has_old_secret: hook.hasOldSecret,
  last_refusal: hook.lastRefusal && { at: toTime(hook.lastRefusal.at), reason: hook.lastRefusal.reason },
});
