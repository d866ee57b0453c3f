// Routes of a service that answer what a test says, and the tools whose schemas they have.
import type { Document } from '../../src/lib/http/openapi-document.ts';
import type { RouteReply, Routes } from '../../src/reports/mcp/call-tool.ts';
import { type DescribedTool, describeTools } from '../../src/reports/mcp/describe.ts';
import type { RouteRequest } from '../../src/reports/mcp/to-request.ts';

const integer = { type: 'integer' };
const page = { limit: { ...integer, default: 100 }, cursor: { type: 'string' } };
const query = (name: string) => ({ in: 'query' as const, name, schema: { type: 'string' } });
const path = (name: string) => ({ in: 'path' as const, name, required: true, schema: { type: 'string' } });
const body = (properties: Record<string, unknown>) => ({
  requestBody: { content: { 'application/json': { schema: { type: 'object', properties } } } },
});

const document: Document = {
  paths: {
    '/api/costs/': { post: { summary: 'Costs', ...body({ date_from: { type: 'string', format: 'date' }, ...page }) } },
    '/api/changes/': { post: { summary: 'Changes', ...body({ limit: { ...integer, default: 20 } }) } },
    '/api/coverage/': { get: { summary: 'Coverage', parameters: [query('date_from')] } },
    '/api/calls/{event_id}/': { get: { summary: 'A call', parameters: [path('event_id'), query('ordinal')] } },
    '/api/budgets/': { get: { summary: 'Budgets' } },
    '/api/budgets/{name}/': { get: { summary: 'A budget', parameters: [path('name'), query('of')] } },
  },
};

const described = describeTools(document);

export function toolOf(name: string): DescribedTool {
  const tool = described.get(name);
  if (!tool) throw new Error(`there is no tool ${name}`);
  return tool;
}

export const okay = (answer: unknown): RouteReply => ({
  status: 200,
  text: JSON.stringify(answer),
  asOf: '2026-11-24T10:15:30.120Z',
});

/** Routes that answer by `answer`, but for the project, which is in UTC on 24 November 2026. */
export const fakeRoutes = (answer: (request: RouteRequest) => RouteReply): Routes => ({
  ask: async (request) => (request.url === '/api/project/' ? okay({ timezone: 'UTC' }) : answer(request)),
  clock: () => Date.UTC(2026, 10, 24, 12),
  origin: 'https://farthing.example',
  project: undefined,
  requestId: 'request-1',
  onFault: () => undefined,
});
