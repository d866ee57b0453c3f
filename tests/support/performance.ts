// An internal project, for tests of performance and key metrics.
import { randomUUID } from 'node:crypto';
import { type Answer, expectStatus, type Farthing, type Json, type Project, type SendOptions } from './client.ts';

export interface InternalProject extends Project {
  postPerformance(query: unknown, options?: SendOptions): Promise<Answer>;
  putMetric(name: string, definition: Json): Promise<Answer>;
  /** Defines key metrics; the answers must be a success. */
  define(metrics: Record<string, Json>): Promise<void>;
  postUserTags(users: unknown, fields?: Json): Promise<Answer>;
}

export async function createInternalProject(farthing: Farthing, fields: Json = {}): Promise<InternalProject> {
  const project = await farthing.createProject({ type: 'internal', ...fields });
  const internal: InternalProject = {
    ...project,
    postPerformance: (query, options) => project.api('POST', '/api/performance/', query, options),
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
