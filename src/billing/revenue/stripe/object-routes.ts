import { z } from 'zod';
import { projectOf } from '../../../accounts/guard.ts';
import { mostFaults } from '../../../lib/faults.ts';
import type { App } from '../../../lib/http/app.ts';
import { type Fault, Problem } from '../../../lib/problem.ts';
import { type ControlSources, withProjectLock } from '../../../storage/control/control-store.ts';
import type { StripeObject } from './objects.ts';
import { readEvent, readObject } from './read-object.ts';
import { takeObjects } from './take-objects.ts';

const maxObjects = 1_000;

const body = z
  .strictObject({
    objects: z
      .array(z.unknown())
      .min(1, { error: 'must have at least one object' })
      .max(maxObjects, { error: `must have at most ${maxObjects} objects` })
      .describe('Objects of Stripe as its API returns them, such as invoices, or its events.'),
    read_at: z
      .number()
      .int()
      .min(0)
      .max(32_503_680_000)
      .optional()
      .describe(
        'When the objects were read, in seconds since 1970. States of them before that do not count. Default: the latest time that each object names.',
      ),
  })
  .meta({
    examples: [{ objects: [{ object: 'invoice_payment', id: 'inpay_1M3USa…', invoice: 'in_1MtH…', payment: {} }] }],
  });

const taken = z.object({
  ok: z.literal(true),
  objects: z.number().int().describe('How many objects revenue depends on.'),
  changed: z.number().int().describe('How many of them brought something new.'),
  ignored: z.number().int(),
});

export type TakenObjects = z.output<typeof taken>;

/** `POST /api/stripe/objects/`: what `farthing revenue import --from stripe` posts (D17.2). */
export function registerStripeObjects(app: App, { control, clock }: ControlSources): void {
  app.post('/api/stripe/objects/', {
    config: { access: 'write' },
    schema: {
      summary: 'Import objects of Stripe',
      description:
        'For the past, and for what webhooks missed: each object counts once, as if a webhook had brought it. All are accepted or none. Objects that revenue does not depend on are ignored.',
      tags: ['Stripe'],
      body,
      response: {
        200: taken.meta({
          description: 'All are accepted.',
          examples: [{ ok: true, objects: 1, changed: 1, ignored: 0 }],
        }),
      },
    },
    handler: async (request) => {
      const { objects: values, read_at: readAt } = request.body;
      const { objects, ignored } = readAll(values, readAt);
      const projectId = projectOf(request).id;
      const changed = await withProjectLock(control, projectId, async (transaction) => {
        return await takeObjects(transaction, { projectId, now: clock() }, objects);
      });
      return { ok: true as const, objects: objects.length, changed, ignored };
    },
  });
}

/** @throws Problem `invalid_body` with the first faults */
function readAll(values: readonly unknown[], readAt: number | undefined) {
  const objects: StripeObject[] = [];
  const errors: Fault[] = [];
  let ignored = 0;
  for (const [index, value] of values.entries()) {
    if (errors.length >= mostFaults) break;
    const isEvent = typeof value === 'object' && value !== null && 'object' in value && value.object === 'event';
    const read = isEvent ? readEvent(value) : readObject(value, readAt);
    if (read.faults) {
      errors.push(...read.faults.map((fault) => ({ ...fault, pointer: `/objects/${index}${fault.pointer}` })));
    } else if (read.objects.length === 0) ignored += 1;
    else objects.push(...read.objects);
  }
  if (errors.length > 0) {
    const detail = 'Some objects are not as Stripe has them: see errors. Nothing was taken.';
    throw new Problem('invalid_body', detail, { errors: errors.slice(0, mostFaults) });
  }
  return { objects, ignored };
}
