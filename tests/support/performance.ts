// An internal project with what tests of performance and key metrics ask of it.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Answer, expectStatus, type Farthing, type Json, type Project, type SendOptions } from './client.ts';

const entry = z.strictObject({ value: z.number(), total_cost: z.number(), cost_per_unit: z.number() });

const performanceRow = z.strictObject({
  date_from: z.string(),
  date_to: z.string(),
  user: z.string().optional(),
  cost: z.number(),
  key_metrics: z.record(z.string(), entry),
});
export type PerformanceRow = z.infer<typeof performanceRow>;

const performancePage = z.strictObject({
  rows: z.array(performanceRow),
  next_cursor: z.string().nullable(),
  has_more: z.boolean(),
});
export type PerformancePage = z.infer<typeof performancePage>;

export interface InternalProject extends Project {
  postPerformance(query: unknown, options?: SendOptions): Promise<Answer>;
  /** One page, which must be answered with 200. */
  performance(query: Json): Promise<PerformancePage>;
  /** The rows of all pages. */
  allPerformance(query: Json): Promise<PerformanceRow[]>;
  putMetric(name: string, definition: Json): Promise<Answer>;
  /** Defines key metrics, which must be accepted. */
  define(metrics: Record<string, Json>): Promise<void>;
  postUserTags(users: unknown, fields?: Json): Promise<Answer>;
}

export async function createInternalProject(farthing: Farthing, fields: Json = {}): Promise<InternalProject> {
  const project = await farthing.createProject({ type: 'internal', ...fields });
  const internal: InternalProject = {
    ...project,
    postPerformance: (query, options) => project.api('POST', '/api/performance/', query, options),
    performance: async (query) => performancePage.parse(expectStatus(await internal.postPerformance(query), 200)),
    allPerformance: async (query) => {
      const rows: PerformanceRow[] = [];
      let cursor: string | null = null;
      do {
        const page: PerformancePage = await internal.performance({ ...query, ...(cursor !== null && { cursor }) });
        rows.push(...page.rows);
        cursor = page.has_more ? page.next_cursor : null;
      } while (cursor !== null);
      return rows;
    },
    putMetric: (name, definition) => project.api('PUT', `/api/key-metrics/${encodeURIComponent(name)}/`, definition),
    define: async (metrics) => {
      for (const [name, definition] of Object.entries(metrics)) {
        expectStatus(await internal.putMetric(name, definition), 201);
      }
    },
    postUserTags: (users, more = {}) => project.api('POST', '/api/user-tags/', { users, ...more }),
  };
  return internal;
}

/** A custom event at noon of a day. */
export const customEvent = (event_type: string, fields: Json = {}): Json => ({
  event_id: randomUUID(),
  event_type,
  timestamp: '2024-05-15T12:00:00Z',
  ...fields,
});
