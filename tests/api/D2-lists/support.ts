// Asks for the lists of names, and for all their pages.
import { expect } from 'vitest';
import { z } from 'zod';
import { costEvent, expectStatus, type Json, type Project } from '../../support/client.ts';

const row = z.strictObject({
  name: z.string(),
  first_seen: z.string().nullable(),
  last_seen: z.string().nullable(),
  calls: z.number(),
  tags: z.record(z.string(), z.string()).optional(),
  has_price: z.boolean().optional(),
});
export const page = z.strictObject({ rows: z.array(row), next_cursor: z.string().nullable(), has_more: z.boolean() });
type Page = z.infer<typeof page>;

export async function list(project: Project, path: string, query: Record<string, string> = {}): Promise<Page> {
  const answer = await project.api('GET', `/api/${path}/?${new URLSearchParams(query)}`);
  return page.parse(expectStatus(answer, 200));
}

export const namesOf = ({ rows }: Page): string[] => rows.map(({ name }) => name);

/** The names of every page. */
export async function allNames(project: Project, path: string, query: Record<string, string> = {}): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | null = null;
  do {
    const { rows, next_cursor, has_more }: Page = await list(project, path, {
      ...query,
      ...(cursor !== null && { cursor }),
    });
    names.push(...rows.map(({ name }) => name));
    expect(has_more).toBe(next_cursor !== null);
    // A page after `has_more` is never empty.
    if (cursor !== null) expect(rows.length).toBeGreaterThan(0);
    cursor = next_cursor;
  } while (cursor !== null);
  return names;
}

export const of = (fields: Json) => costEvent({ cost: 1, ...fields });
