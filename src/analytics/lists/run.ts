import { readGenerations } from '../../calls/generations.ts';
import { makeCursor } from '../../http/cursor.ts';
import { compareCodePoints } from '../../lib/code-points.ts';
import { readCells } from '../cells.ts';
import type { Page } from '../page.ts';
import type { AnalyticsSources } from '../sources.ts';
import { anyDay, type Dimension } from '../where.ts';
import { readKnownNames, readTags } from './known-names.ts';
import { type SeenRecord, seenMeasures, selectSeen } from './sql.ts';

export interface ListQuestion {
  readonly dimension: Dimension;
  /** `''` for all. */
  readonly search: string;
  /** Only names after this one. */
  readonly after: string | undefined;
  readonly limit: number;
  /** The identity that cursors are bound to (D6.4). */
  readonly identity: unknown;
}

/** A value to filter by, with the API's field names. */
interface ListRow {
  readonly name: string;
  readonly first_seen: string | null;
  readonly last_seen: string | null;
  readonly calls: number;
  readonly tags?: Readonly<Record<string, string>>;
}

/** Reads a page: the values of calls, and names that only have tags or revenue. */
export async function runList(
  projectId: string,
  question: ListQuestion,
  { store, answerCache, control }: Pick<AnalyticsSources, 'store' | 'answerCache' | 'control'>,
): Promise<Page<ListRow>> {
  const { dimension, search, after, limit, identity } = question;
  // One extra name shows whether there is a next page.
  const most = limit + 1;
  const generations = await readGenerations(control, projectId);
  const cells = readCells(
    { projectId, period: anyDay, generations },
    { grain: dimension, measures: seenMeasures, filters: [] },
  );
  const seen = await answerCache.select<SeenRecord>(selectSeen({ cells, dimension, search, after, most }), [cells]);
  const known = await readKnownNames({ store, control }, projectId, { dimension, search, after, most });

  const rows = mergeNames(seen, known).slice(0, most);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return {
    rows:
      dimension === 'customer' || dimension === 'user' ? await withTags(page, { control, projectId, dimension }) : page,
    next_cursor: hasMore ? makeCursor(identity, [last.name]) : null,
    has_more: hasMore,
  };
}

/**
 * Merges names, in order. If `seen` was cut off at its limit, later known names may have calls that are missing here.
 * But the page ends before them.
 */
function mergeNames(seen: readonly SeenRecord[], known: readonly string[]): ListRow[] {
  const rows = new Map<string, ListRow>(
    known.map((name) => [name, { name, first_seen: null, last_seen: null, calls: 0 }]),
  );
  for (const { name, first_seen, last_seen, calls } of seen) {
    rows.set(name, { name, first_seen: toTime(first_seen), last_seen: toTime(last_seen), calls: Number(calls) });
  }
  return [...rows.values()].sort((a, b) => compareCodePoints(a.name, b.name));
}

const toTime = (milliseconds: string): string => new Date(Number(milliseconds)).toISOString();

async function withTags(
  rows: readonly ListRow[],
  { control, projectId, dimension }: Parameters<typeof readTags>[0],
): Promise<ListRow[]> {
  const tags = await readTags(
    { control, projectId, dimension },
    rows.map(({ name }) => name),
  );
  return rows.map((row) => ({ ...row, tags: tags.get(row.name) ?? {} }));
}
