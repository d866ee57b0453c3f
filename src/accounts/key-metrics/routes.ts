import { z } from 'zod';
import type { App } from '../../lib/http/app.ts';
import { listAnswer } from '../../lib/http/page-envelope.ts';
import { readPathName } from '../../lib/http/path-name.ts';
import { problemWith } from '../../lib/http/problem-schema.ts';
import { isPointer } from '../../lib/json-pointer.ts';
import { Problem } from '../../lib/problem.ts';
import { storableText, storableTextOrEmpty } from '../../lib/tag-map.ts';
import { timeField, toTime } from '../../lib/times.ts';
import { type ControlSources, deleteRows } from '../../storage/control/control-store.ts';
import { registerDeletion } from '../deletion.ts';
import { projectOf } from '../guard.ts';
import { type KeyMetric, maxKeyMetrics, putKeyMetric, readKeyMetric, readKeyMetrics } from './key-metrics.ts';

const metricName = storableText(128);

const readsField: ReadonlySet<string> = new Set(['sum', 'unique']);
const isObject = ({ value }: { readonly value: unknown }): boolean => typeof value === 'object' && value !== null;

const exampleDefinition = {
  event_type: 'ticket.resolved',
  aggregation: 'sum' as const,
  field: '/data/minutes',
  features: ['support'],
  unit: 'minute',
};

const definitionBody = z
  .strictObject({
    event_type: storableText(200)
      .refine((type) => !/(^|\.)(before|after|error)$/.test(type), {
        error: 'must not end in before, after or error: such events make calls, and a key metric reads custom events',
      })
      .describe('The type of the custom events that it reads.')
      .meta({ example: 'ticket.resolved' }),
    aggregation: z
      .enum(['count', 'sum', 'unique'])
      .describe('Counts the events, sums the numbers at `field`, or counts the distinct values at `field`.'),
    field: storableTextOrEmpty(1_024)
      .refine(isPointer, { error: 'must be a JSON Pointer (RFC 6901), such as /data/amount' })
      .nullish()
      .transform((field) => field ?? null)
      .describe('JSON Pointer (RFC 6901) into the event; for `sum` and `unique`.')
      .meta({ example: '/data/amount' }),
    features: z
      .array(storableTextOrEmpty(1_024))
      .min(1, { error: 'must not be empty: leave it out for all' })
      .max(1_000, { error: 'must have at most 1000 features' })
      .nullish()
      .transform((features) => features ?? null)
      .describe('The features whose cost counts, "" for calls without one; left out: all.'),
    unit: storableText(64)
      .nullish()
      .transform((unit) => unit ?? null)
      .meta({ example: 'ticket' }),
  })
  // `sum` and `unique` need a `field`, `count` takes none. Reported together with the other faults of a body.
  .refine(({ aggregation, field }) => aggregation !== 'count' || field === null, {
    error: 'must be left out: count reads no field',
    path: ['field'],
    when: isObject,
  })
  .refine(({ aggregation, field }) => !readsField.has(aggregation) || (field ?? null) !== null, {
    error: 'must be given: sum and unique read the value there',
    path: ['field'],
    params: { code: 'required' },
    when: isObject,
  })
  .meta({ examples: [exampleDefinition] });

const exampleMetric = {
  name: 'minutes',
  ...exampleDefinition,
  created_at: '2026-11-21T05:26:29.684Z',
  updated_at: '2026-11-21T05:26:29.684Z',
};

const keyMetric = z.object({
  name: z.string(),
  event_type: z.string(),
  aggregation: z.enum(['count', 'sum', 'unique']),
  field: z.string().nullable(),
  features: z.array(z.string()).nullable(),
  unit: z.string().nullable(),
  created_at: timeField,
  updated_at: timeField,
});

const metricAs = (description: string) => keyMetric.meta({ description, examples: [exampleMetric] });

/** `GET /api/key-metrics/`, `GET/PUT/DELETE /api/key-metrics/{name}/` (D2, D9.1). */
export function registerKeyMetrics(app: App, { control, clock }: ControlSources): void {
  app.get('/api/key-metrics/', {
    config: { access: 'read' },
    schema: {
      summary: 'The key metrics of the project',
      description: 'By name, in code-point order.',
      tags: ['Key metrics'],
      response: { 200: listAnswer('key_metrics', keyMetric, 'The key metrics.', exampleMetric) },
    },
    handler: async (request) => ({ key_metrics: (await readKeyMetrics(control, projectOf(request).id)).map(toWire) }),
  });
  app.get('/api/key-metrics/:name/', {
    config: { access: 'read' },
    schema: {
      summary: 'One key metric',
      description: 'The current definition.',
      tags: ['Key metrics'],
      params: z.object({ name: metricName.describe('The name of the key metric.') }),
      response: { 200: metricAs('The key metric.') },
    },
    handler: async (request) => {
      const metric = await readKeyMetric(control, projectOf(request).id, request.params.name);
      if (!metric) throw new Problem('not_found', noMetric);
      return toWire(metric);
    },
  });
  app.put('/api/key-metrics/:name/', {
    config: { access: 'write' },
    schema: {
      summary: 'Make or replace a key metric',
      description: 'Applies to all stored events at once. 201 when it was made, 200 when it replaced one of this name.',
      tags: ['Key metrics'],
      params: z.object({ name: z.string().describe('1 to 128 characters.') }),
      body: definitionBody,
      response: {
        200: metricAs('The key metric, replaced.'),
        201: metricAs('The key metric, made.'),
        409: problemWith().describe(`The project has ${maxKeyMetrics} key metrics.`),
      },
    },
    handler: async (request, reply) => {
      const { body } = request;
      const result = await putKeyMetric(
        { control, clock },
        projectOf(request).id,
        readPathName(metricName, request.params.name, 'a key metric'),
        {
          eventType: body.event_type,
          aggregation: body.aggregation,
          field: body.field,
          features: body.features,
          unit: body.unit,
        },
      );
      if (!result)
        throw new Problem('conflict', `A project has at most ${maxKeyMetrics} key metrics; delete one first.`);
      return reply.code(result.isNew ? 201 : 200).send(toWire(result.metric));
    },
  });
  registerDeletion(app, '/api/key-metrics/:name/', {
    summary: 'Delete a key metric',
    description: 'Its events stay: a key metric that is defined again reads them again.',
    tags: ['Key metrics'],
    params: z.object({ name: metricName.describe('The name of the key metric.') }),
    done: 'The key metric is deleted.',
    missing: noMetric,
    run: ({ name }, projectId) => deleteRows(control, 'key_metrics', { project_id: projectId, name }),
  });
}

const noMetric = 'This project has no key metric of this name.';

const toWire = (metric: KeyMetric): z.output<typeof keyMetric> => ({
  name: metric.name,
  event_type: metric.eventType,
  aggregation: metric.aggregation,
  field: metric.field,
  features: metric.features && [...metric.features],
  unit: metric.unit,
  created_at: toTime(metric.createdAt),
  updated_at: toTime(metric.updatedAt),
});
