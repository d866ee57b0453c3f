import { z } from 'zod';
import { projectOf } from '../../accounts/guard.ts';
import { acceptedTypes } from '../../lib/http/accepted-types.ts';
import type { App } from '../../lib/http/app.ts';
import { awaitConsistency } from '../../lib/http/consistency.ts';
import { pageOf } from '../../lib/http/page-envelope.ts';
import { stringifyWithStored } from '../../lib/stored-json.ts';
import type { Page } from '../asking/page.ts';
import { type ReceivedEvent, receivedEventSchema } from '../asking/received-events.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { eventsQuery, parseEvents } from './parse.ts';
import { runEvents } from './run.ts';

const examplePage = {
  rows: [
    {
      received_at: '2026-11-21T17:30:00.123Z',
      client_id: '2f5d0c9e-6f43-4a5e-9f0e-3f7f0f1c2b4a',
      event: { event_id: '5b6f1c1e-0d3c-4a55-8d61-1f0c52a7c9aa', event_type: 'llm.after', prompt_tokens: 412 },
    },
  ],
  next_cursor: null,
  has_more: false,
};

const ndjson = 'application/x-ndjson';
const nextCursorHeader = 'Farthing-Next-Cursor';

interface EventsSources extends AnswerSources {
  /** Resolves once the log has every event that was acknowledged before. */
  readonly flush: () => Promise<void>;
}

/** `GET /api/events/` (D2): the log. */
export function registerEvents(app: App, sources: EventsSources): void {
  app.get('/api/events/', {
    config: { access: 'read', readsCalls: true, lineOf: toLine },
    schema: {
      summary: 'Events as received',
      description:
        'Every acknowledged event, including repeated ones. A page can have fewer than `limit` events when they are large; ' +
        '`has_more` is still exact. With `Accept: application/x-ndjson` the page is only the events as they were posted, ' +
        'one per line, and can be posted to the intake again.',
      tags: ['Calls'],
      querystring: eventsQuery,
      response: {
        200: {
          description: 'A page of events.',
          headers: {
            [nextCursorHeader]: {
              type: 'string',
              description: `For ${ndjson}: the \`cursor\` of the next page; absent when there is none.`,
            },
          },
          content: {
            'application/json': { schema: pageOf(receivedEventSchema).meta({ examples: [examplePage] }) },
            [ndjson]: {
              schema: z.string().meta({
                description: 'One event per line; line breaks between its fields are removed.',
                examples: [`${JSON.stringify(examplePage.rows[0]?.event)}\n`],
              }),
            },
          },
        },
      },
    },
    handler: async (request, reply) => {
      const project = projectOf(request);
      const question = parseEvents(project.id, request.query);
      if (question.eventId !== undefined || question.customer !== undefined) {
        await awaitConsistency(request, reply, sources.progress, project.id);
      } else {
        // Only the log is read, so the answer need not wait for assembly.
        const asOf = sources.clock();
        await sources.flush();
        reply.header('farthing-as-of', new Date(asOf).toISOString());
      }
      const page = await runEvents(project.id, question, sources);
      if (!acceptedTypes(request.headers.accept).includes(ndjson)) {
        reply.type('application/json; charset=utf-8').serializer(stringifyWithStored);
        return page;
      }
      if (page.next_cursor !== null) reply.header(nextCursorHeader, page.next_cursor);
      reply.type(`${ndjson}; charset=utf-8`).serializer(toLines);
      return page;
    },
  });
}

/** The event on one line. No JSON token contains a line break, so removing line breaks does not change the event. */
const toLine = ({ event }: ReceivedEvent): string => event.text.replaceAll(/[\r\n]+/g, '');

const toLines = ({ rows }: Page<ReceivedEvent>): string => rows.map((row) => `${toLine(row)}\n`).join('');
