import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { createApp } from '../../src/lib/http/create-app.ts';
import type { Document } from '../../src/lib/http/openapi-document.ts';
import { callsBody } from '../../src/reports/calls/parse.ts';
import { registerCalls } from '../../src/reports/calls/routes.ts';
import { costsBody } from '../../src/reports/costs/parse.ts';
import { marginBody } from '../../src/reports/margin/parse.ts';
import { performanceBody } from '../../src/reports/performance/parse.ts';

const fieldsOf = (body: z.ZodObject): string[] => Object.keys(body.shape);

/** The description of `POST /api/calls/` in the OpenAPI document. */
async function readDescription(): Promise<string> {
  const unused = {} as Parameters<typeof registerCalls>[1];
  const app = createApp(pino({ level: 'silent' }), (routes) => registerCalls(routes, unused));
  await app.ready();
  return (app.swagger() as Document).paths?.['/api/calls/']?.post?.description ?? '';
}

test('D2: the calls behind a row are asked for with a costs body, without aggregate, group_by, include_shared and as_of', () => {
  const ofRows = ['aggregate', 'group_by', 'include_shared', 'as_of'];
  const ofCosts = fieldsOf(costsBody).filter((name) => !ofRows.includes(name));
  expect(fieldsOf(callsBody).sort()).toEqual([...ofCosts, 'row', 'order', 'event_ids', 'waste', 'alternatives'].sort());
});

test('D2: the description promises no body that is refused', async () => {
  const description = await readDescription();
  expect(description).toContain('body of a costs request');
  for (const [name, body] of Object.entries({ margin: marginBody, performance: performanceBody })) {
    expect(fieldsOf(body).filter((field) => !fieldsOf(costsBody).includes(field))).not.toEqual([]);
    expect(description).not.toContain(name);
  }
});
