import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Projects } from '../../../accounts/projects.ts';
import type { App } from '../../../lib/http/app.ts';
import { problemWith } from '../../../lib/http/problem-schema.ts';
import { parseJson } from '../../../lib/json.ts';
import { Problem } from '../../../lib/problem.ts';
import type { SecretBox } from '../../../lib/secret-box.ts';
import { pathId } from '../../../lib/tag-map.ts';
import { type ControlSources, withProjectLock } from '../../../storage/control/control-store.ts';
import { findHook, noteEvent, noteRefusal, type OpenHook } from './hooks.ts';
import { readEvent } from './read-object.ts';
import { refusalOfSignature } from './signature.ts';
import { takeObjects } from './take-objects.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The hook to which Stripe sent this webhook. */
    stripeHook: OpenHook | undefined;
  }
}

export interface HookRouteOptions extends ControlSources {
  readonly projects: Projects;
  readonly box: SecretBox | undefined;
}

/** An event holds one object with at most ten lines, so a larger body is not from Stripe. */
const maxEventBytes = 1_048_576;

/**
 * `POST /hooks/stripe/{hook_id}/` (D17.1). It reads and writes the control store alone, in one short transaction, so it
 * waits for neither assembly nor rebuilds.
 */
export function registerStripeHook(app: App, options: HookRouteOptions): void {
  app.register(async (hooks: App) => {
    hooks.decorateRequest('stripeHook', undefined);
    // Signatures cover the bytes of the body, so the body is not parsed here.
    hooks.removeAllContentTypeParsers();
    hooks.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
      return await app.readBody(request, payload, { maxBytes: maxEventBytes });
    });
    hooks.post('/hooks/stripe/:hook_id/', {
      config: { access: 'public' },
      validatorCompiler: () => (value: unknown) => ({ value }),
      onRequest: async (request) => {
        const hook = await openHook(request.params, options);
        request.stripeHook = hook;
        request.sender = { project: hook.projectId, caller: hook.id };
        request.actor = { kind: 'stripe', id: hook.id };
      },
      schema: {
        operationId: 'postStripeWebhook',
        summary: 'Receive a webhook of Stripe',
        description:
          'Only for Stripe: the body is an event, signed in `Stripe-Signature`. A repeated event changes nothing.',
        tags: ['Stripe'],
        params: z.object({ hook_id: pathId.describe('The id of the hook.').meta({ examples: [exampleHookId] }) }),
        body: z.looseObject({}).meta({ examples: [exampleEvent] }),
        response: {
          200: z
            .object({ received: z.literal(true) })
            .meta({ description: 'The event is stored, or changes no revenue.', examples: [{ received: true }] }),
          400: problemWith().describe(
            'The signature is missing, wrong or too old, or the body is not an event of Stripe.',
          ),
        },
      },
      handler: async (request) => {
        const { stripeHook: hook } = request;
        if (!hook) throw new Error('A webhook of Stripe was taken without its hook');
        const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        await takeEvent(hook, bytes, request.headers['stripe-signature'], options);
        return { received: true as const };
      },
    });
  });
}

export const exampleHookId = 'shk_01M7Y941FKWY4H7YZZC39E96E8';
const exampleEvent = {
  id: 'evt_1Pgc75B7WZ01zgkWJMPt5riP',
  object: 'event',
  type: 'invoice.paid',
  created: 1_793_491_200,
  data: { object: { object: 'invoice', id: 'in_1Pgc6tB7WZ01zgkWu9fdqL6I' } },
};

/** @throws Problem `not_found`; `unavailable` when the secrets can't be decrypted */
async function openHook(params: unknown, { control, projects, box }: HookRouteOptions): Promise<OpenHook> {
  const id = pathId.safeParse(Object(params).hook_id);
  const hook = id.success ? await findHook(control, id.data, box) : undefined;
  if (!hook || !(await projects.find(hook.projectId))) throw new Problem('not_found', 'There is no hook with this id.');
  if (hook.secrets.length === 0) {
    throw new Problem(
      'unavailable',
      'The secret of this hook was encrypted with another key: set it again with PATCH /api/stripe/{id}/, or bring back the key.',
    );
  }
  return hook;
}

/** @throws Problem `invalid_body` or `invalid_json` for a body that is not signed or is no event */
async function takeEvent(
  hook: OpenHook,
  body: Buffer,
  header: string | string[] | undefined,
  { control, clock }: HookRouteOptions,
): Promise<void> {
  const now = clock();
  const refuse = async (problem: Problem): Promise<never> => {
    await noteRefusal(control, hook, problem.detail, now);
    throw problem;
  };
  const given = Array.isArray(header) ? header.join(',') : header;
  const refusal = refusalOfSignature({ header: given, body, secrets: hook.secrets, now });
  if (refusal !== undefined) {
    const errors = [{ pointer: '', code: 'invalid_value' as const, message: 'must be signed by Stripe for this hook' }];
    return await refuse(new Problem('invalid_body', refusal, { errors }));
  }
  const read = readEvent(parseEvent(body));
  if (read.faults) {
    const detail = 'This is no event of Stripe with a snapshot of its object: see errors. Thin events have none.';
    return await refuse(new Problem('invalid_body', detail, { errors: read.faults }));
  }
  await withProjectLock(control, hook.projectId, async (transaction) => {
    const changed = await takeObjects(transaction, { projectId: hook.projectId, now }, read.objects);
    await noteEvent(transaction, hook.id, { madeAt: (read.madeAt ?? 0) * 1_000, isNews: changed > 0 });
  });
}

/** @throws Problem `invalid_json` */
function parseEvent(body: Buffer): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (cause) {
    throw new Problem('invalid_json', 'The body is not valid JSON.', { cause });
  }
}
