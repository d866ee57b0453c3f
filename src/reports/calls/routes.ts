import { z } from 'zod';
import { projectOf } from '../../accounts/guard.ts';
import type { App } from '../../lib/http/app.ts';
import { awaitConsistency } from '../../lib/http/consistency.ts';
import { pageOf, pageQueryFields } from '../../lib/http/page-envelope.ts';
import { integerParameter } from '../../lib/query-fields.ts';
import { stringifyWithStored } from '../../lib/stored-json.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { callFields, callSchema, exampleCall } from './call.ts';
import { eventsFields } from './events.ts';
import { exampleExplanation, explanationSchema } from './explanation.ts';
import { listCalls, planCalls } from './list.ts';
import { type OneCallSources, readOneCall } from './one-call.ts';
import { callsBody, parseCalls } from './parse.ts';
import { parseRun, readRun, runFields } from './run.ts';

const openCall = z
  .object({ event_id: z.string(), open: z.literal(true), calls: z.literal(0), ...eventsFields })
  .describe('An id that has no outcome yet: only its events.');

const explainedCall = z.object({
  ...callFields,
  open: z.literal(false),
  calls: z.number().int().describe('How many calls the id has: more than one when it was used again.'),
  explanation: explanationSchema,
  ...eventsFields,
});

const examplePage = { rows: [exampleCall], next_cursor: null, has_more: false };

const exampleEvents = {
  events: [
    {
      received_at: '2026-11-20T14:03:26.270Z',
      client_id: '4f0c2d1e-7a55-4b0e-9d2f-3c1b8a6e5d40',
      event: { event_id: exampleCall.event_id, event_type: 'chat.before', model: 'gpt-4o-2024-08-06' },
    },
  ],
  events_total: 1,
};

const exampleExplained = {
  ...exampleCall,
  open: false,
  calls: 1,
  explanation: exampleExplanation,
  ...exampleEvents,
};

const exampleOpen = { event_id: exampleCall.event_id, open: true, calls: 0, ...exampleEvents };

const exampleRun = {
  ...examplePage,
  run: exampleCall.run,
  first_time: exampleCall.time,
  last_time: exampleCall.time,
  calls: 1,
  failed_calls: 0,
  cost: exampleCall.cost,
  features: [exampleCall.feature],
  customers: [exampleCall.customer],
};

/** `POST /api/calls/`, `GET /api/calls/{event_id}/` and `GET /api/runs/{run}/` (D2). */
export function registerCalls(app: App, sources: AnswerSources & OneCallSources): void {
  app.post('/api/calls/', {
    config: { access: 'read', readsCalls: true },
    schema: {
      summary: 'The calls behind a row',
      description:
        'Takes the body of a costs request without `aggregate`, `group_by` and `include_shared`, and the row whose calls you want. ' +
        'Filters count over the dates of the body, so calls add up to the cost of the row. By day, time, id ' +
        'and ordinal; `newest` reverses it.',
      tags: ['Calls'],
      body: callsBody,
      response: { 200: pageOf(callSchema).meta({ description: 'A page of calls.', examples: [examplePage] }) },
    },
    handler: async (request, reply) => {
      const project = projectOf(request);
      const question = parseCalls(project.id, request.body);
      // Refuse invalid requests before waiting for consistency.
      const plan = planCalls(project, question, request.body, sources.clock());
      await awaitConsistency(request, reply, sources.progress, project.id);
      return await listCalls(project, question, plan, sources);
    },
  });
  app.get('/api/calls/:event_id/', {
    config: { access: 'read', readsCalls: true },
    schema: {
      summary: 'One call, how its cost was computed, and its events',
      description:
        'The latest call of the id, or the one that `ordinal` names: an id that was used again has several calls. The events ' +
        'are the JSON that was posted, unchanged. For an id without an outcome, the answer is `open: true` and its events.',
      tags: ['Calls'],
      params: z.object({ event_id: z.string().describe('The `event_id` of the events of the call.') }),
      querystring: z.strictObject({
        ordinal: integerParameter(0, 65_535).optional().describe('Which call of the id; default: the latest.'),
      }),
      response: {
        200: z
          .discriminatedUnion('open', [explainedCall, openCall])
          .meta({ description: 'The call.', examples: [exampleExplained, exampleOpen] }),
      },
    },
    handler: async (request, reply) => {
      const project = projectOf(request);
      await awaitConsistency(request, reply, sources.progress, project.id);
      const { event_id: eventId } = request.params;
      reply.type('application/json; charset=utf-8').serializer(stringifyWithStored);
      const call = await readOneCall(project, { eventId, ordinal: request.query.ordinal }, sources);
      if (!call.open && !call.explanation.reproduced) request.log.warn('the cost of a call could not be reproduced');
      return call;
    },
  });
  app.get('/api/runs/:run/', {
    config: { access: 'read', readsCalls: true },
    schema: {
      summary: 'One run with its calls',
      description: 'The name of the run is percent-encoded in the path. Calls are sorted by day, time, id and ordinal.',
      tags: ['Calls'],
      params: z.object({ run: z.string().min(1).describe('The name of the run.') }),
      querystring: z.strictObject(pageQueryFields),
      response: {
        200: pageOf(callSchema)
          .extend(runFields)
          .meta({ description: 'The run and a page of its calls.', examples: [exampleRun] }),
      },
    },
    handler: async (request, reply) => {
      const project = projectOf(request);
      const question = parseRun(project.id, request.params.run, request.query);
      await awaitConsistency(request, reply, sources.progress, project.id);
      return await readRun(project, question, sources);
    },
  });
}
