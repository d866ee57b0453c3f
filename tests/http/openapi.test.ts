import { pino } from 'pino';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createApp } from '../../src/lib/http/create-app.ts';
import type { Document } from '../../src/lib/http/openapi-document.ts';
import { problemWith } from '../../src/lib/http/problem-schema.ts';

const silent = pino({ level: 'silent' });
const config = { access: 'public' } as const;

async function describe(register: Parameters<typeof createApp>[1]): Promise<Document> {
  const app = createApp(silent, register);
  await app.ready();
  return app.swagger() as Document;
}

test('D11.3: every route is described, whatever registers it, and nothing that only refuses methods', async () => {
  const { paths = {} } = await describe(async (routes) => {
    routes.get('/a/', { config }, async () => ({}));
    routes.post('/a/', { config, schema: { body: z.object({}) } }, async () => ({}));
    await routes.register(async (within) => {
      within.delete('/b/:id/', { config, schema: { params: z.object({ id: z.string() }) } }, async () => ({}));
      within.route({ method: ['PUT', 'PATCH'], url: '/c', config, handler: async () => ({}) });
    });
  });
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(described.toSorted()).toEqual(['delete /b/{id}/', 'get /a/', 'patch /c', 'post /a/', 'put /c']);
});

test('D11.3: a body that may be left out is not required, and its examples are of what is sent', async () => {
  const body = z
    .strictObject({ amount: z.string().transform(Number) })
    .nullish()
    .meta({ examples: [{ amount: '2.5' }] });
  const { paths = {}, components } = await describe((routes) => {
    routes.post('/a/', { config, schema: { body } }, async () => ({}));
    routes.post('/b/', { config, schema: { body: z.strictObject({ amount: z.number().int() }) } }, async () => ({}));
  });
  expect(paths['/a/']?.post?.requestBody).toMatchObject({
    required: false,
    content: { 'application/json': { example: { amount: '2.5' } } },
  });
  expect(paths['/b/']?.post?.requestBody).toEqual({
    required: true,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/PostBBody' } } },
  });
  expect(components?.schemas?.PostBBody).toEqual({
    type: 'object',
    properties: { amount: { type: 'integer' } },
    required: ['amount'],
    additionalProperties: false,
  });
});

test('D11.1: a refusal of its own is described as a problem, beside those of its kind', async () => {
  const { paths = {}, components } = await describe((routes) => {
    const response = { 409: problemWith({ conflicts: z.array(z.string()) }).describe('It is there already.') };
    routes.put('/a/', { config: { access: 'write', readsCalls: true }, schema: { response } }, async () => undefined);
  });
  const { responses = {}, parameters, security } = paths['/a/']?.put ?? {};
  // What is sent along is read, also where nothing is asked for.
  expect(Object.keys(responses)).toEqual(['400', '401', '403', '404', '408', '409', '413', '415', '431', '500', '503']);
  expect(responses['409']).toMatchObject({
    description: 'It is there already.',
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/PutAConflictProblem' } } },
  });
  expect(components?.schemas?.PutAConflictProblem).toMatchObject({ properties: { conflicts: { type: 'array' } } });
  expect(responses['401']).toEqual({ $ref: '#/components/responses/401' });
  expect(parameters).toEqual([
    { $ref: '#/components/parameters/FarthingProject' },
    { $ref: '#/components/parameters/FarthingConsistency' },
  ]);
  expect(security).toEqual([{ apiKey: ['write'] }, { adminToken: [] }, { session: ['write'] }, { member: ['editor'] }]);
});

test('D11.3: names are the shortest that only one schema could have, and a field that may be left out may be null', async () => {
  const row = (kind: string) =>
    z.object({
      kind: z.enum([kind, 'other']),
      cost: z.number(),
      rate: z.object({ of: kind === 'b' ? z.string() : z.number() }),
    });
  const { paths = {}, components } = await describe((routes) => {
    const body = z.strictObject({
      day: z.string().optional().describe('A day.'),
      size: z.number().default(2),
      at: z.string(),
    });
    routes.post(
      '/a/',
      { config, schema: { body, response: { 200: z.object({ rows: z.array(row('a')) }) } } },
      async () => ({ rows: [] }),
    );
    routes.post('/b/', { config, schema: { response: { 200: z.object({ rows: z.array(row('b')) }) } } }, async () => ({
      rows: [],
    }));
  });
  expect(Object.keys(components?.schemas ?? {})).toEqual([
    ...['PostAAnswer', 'PostABody', 'PostAKind', 'PostARate', 'PostARow', 'PostBAnswer', 'PostBKind', 'PostBRate'],
    ...['PostBRow', 'Problem', 'ProblemCode', 'ProblemError'],
  ]);
  expect(components?.schemas?.PostABody?.properties).toEqual({
    day: { type: ['string', 'null'], description: 'A day.' },
    size: { type: ['number', 'null'], default: 2 },
    at: { type: 'string' },
  });
  expect(paths['/a/']?.post?.operationId).toBe('postA');
});
