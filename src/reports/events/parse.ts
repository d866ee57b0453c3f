import { z } from 'zod';
import { openCursor } from '../../lib/http/cursor.ts';
import { pageQueryFields } from '../../lib/http/page-envelope.ts';
import { instantParameter, textParameter } from '../../lib/query-fields.ts';

export const eventsQuery = z
  .strictObject({
    event_id: z
      .guid({ error: 'must be a UUID' })
      .transform((id) => id.toLowerCase())
      .optional()
      .describe('Only events of this id.')
      .meta({ type: 'string', format: 'uuid' }),
    event_type: textParameter(200)
      .optional()
      .describe('Only events of exactly this type.')
      .meta({ example: 'llm.after' }),
    customer: textParameter(1_024)
      .optional()
      .describe(
        'Only events that name this customer or belong to a call of this customer. ' +
          'Empty: only events that name no customer and belong to no call of a customer.',
      ),
    from: instantParameter.optional().describe('Only events received at this instant (RFC 3339) or later.'),
    to: instantParameter.optional().describe('Only events received before this instant (RFC 3339).'),
    order: z.enum(['newest', 'oldest']).default('newest').describe('Which events come first, by time of receipt.'),
    ...pageQueryFields,
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    error: 'must not be after to',
    path: ['from'],
    params: { code: 'out_of_range' },
  });

/** An event's position in the log, which is sorted by time of receipt, then writer, then sequence. */
export interface EventPlace {
  /** When it was received, in milliseconds since 1970. */
  readonly receivedAt: number;
  readonly writer: string;
  readonly seq: string;
}

const wholeNumber = z
  .string()
  .regex(/^\d{1,16}$/)
  .refine((digits) => Number.isSafeInteger(Number(digits)));

const placeSchema = z
  .tuple([wholeNumber, z.string().regex(/^\w+$/), wholeNumber])
  .transform(([receivedAt, writer, seq]): EventPlace => ({ receivedAt: Number(receivedAt), writer, seq }));

export type EventOrder = 'newest' | 'oldest';

/** The page begins after `after` in the order. @throws Problem `invalid_cursor` */
export function parseEvents(projectId: string, query: z.output<typeof eventsQuery>) {
  const { event_id: eventId, event_type: eventType, customer, from: fromMs, to: toMs, order, limit, cursor } = query;
  const identity = ['events', projectId, eventId, eventType, customer, fromMs, toMs, order];
  const after = cursor === undefined ? undefined : openCursor(identity, cursor, placeSchema);
  return { eventId, eventType, customer, fromMs, toMs, order, after, limit, identity };
}

export type EventsQuestion = ReturnType<typeof parseEvents>;
