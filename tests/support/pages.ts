import { expect } from 'vitest';
import type { Json, Page } from './client.ts';

/** All rows, page by page. Every page but the last must be full, and the last not empty (D6.4). */
export async function rowsOfPages<Row>(
  ask: (query: Json) => Promise<Page<Row>>,
  query: Json & { limit: number },
  total: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Row> = await ask({ ...query, ...(cursor !== null && { cursor }) });
    rows.push(...page.rows);
    expect(page.rows).toHaveLength(Math.min(query.limit, total - (rows.length - page.rows.length)));
    expect(page.has_more).toBe(rows.length < total);
    expect(page.next_cursor === null).toBe(!page.has_more);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return rows;
}
