import { z } from 'zod';
import { readTags, type TaggedRows, taggedNow } from '../../accounts/customers/tag-store.ts';
import { readGenerations } from '../../calls/generations.ts';
import { compareCodePoints } from '../../lib/code-points.ts';
import { type Dimension, isTagged, type TaggedDimension } from '../../lib/dimensions.ts';
import { cutPage } from '../../lib/http/page-envelope.ts';
import { readCells, splitScopeOf } from '../asking/cells.ts';
import type { Page } from '../asking/page.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { anyDay } from '../asking/where.ts';
import { readKnownNames } from './known-names.ts';
import { type SeenRecord, seenMeasures, selectSeen } from './sql.ts';

export interface ListQuestion {
  readonly dimension: Dimension;
  /** `''` for all. */
  readonly search: string;
  /** Only names after this one. */
  readonly after: string | undefined;
  readonly limit: number;
  readonly identity: unknown;
}

const time = z.string().meta({ format: 'date-time' });
export const listRow = z.object({
  name: z.string().describe('The empty string stands for calls without one.'),
  first_seen: time.nullable().describe('The time of the earliest call; null without calls.'),
  last_seen: time.nullable().describe('The time of the latest call; null without calls.'),
  calls: z.number().int(),
});

type ListRow = z.output<typeof listRow> & { readonly tags?: Readonly<Record<string, string>> };

/** Reads a page: the values of calls, and names that only have tags or revenue. */
export async function runList(
  projectId: string,
  question: ListQuestion,
  { store, answerCache, control }: Pick<AnswerSources, 'store' | 'answerCache' | 'control'>,
): Promise<Page<ListRow>> {
  const { dimension, search, after, limit, identity } = question;
  // One extra name shows whether there is a next page.
  const most = limit + 1;
  const generations = await readGenerations(control, projectId);
  const seen = await Promise.all(
    splitScopeOf(dimension, { projectId, period: anyDay, generations }).map(async (scope) => {
      const cells = readCells(scope, { grain: dimension, measures: seenMeasures, filters: [] });
      return await answerCache.select<SeenRecord>(selectSeen({ cells, dimension, search, after, most }), [cells]);
    }),
  );
  const known = await readKnownNames({ store, control }, projectId, { dimension, search, after, most });

  const { rows, end } = cutPage(identity, mergeNames(seen.flat(), known), limit, ({ name }) => [name]);
  return { rows: isTagged(dimension) ? await withTags(rows, taggedNow(control, projectId), dimension) : rows, ...end };
}

/** Merges names, in order. Of each source the first were read, so later ones lack calls; the page ends before them. */
function mergeNames(seen: readonly SeenRecord[], known: readonly string[]): ListRow[] {
  const byName = Map.groupBy(seen, ({ name }) => name);
  for (const name of known) if (!byName.has(name)) byName.set(name, []);
  return Array.from(byName, ([name, records]) => toRow(name, records)).sort((a, b) =>
    compareCodePoints(a.name, b.name),
  );
}

/** Joins the records of a name; without any, it has no calls. */
function toRow(name: string, records: readonly SeenRecord[]): ListRow {
  if (records.length === 0) return { name, first_seen: null, last_seen: null, calls: 0 };
  return {
    name,
    first_seen: toTime(Math.min(...records.map(({ first_seen: first }) => Number(first)))),
    last_seen: toTime(Math.max(...records.map(({ last_seen: last }) => Number(last)))),
    calls: records.reduce((sum, { calls }) => sum + Number(calls), 0),
  };
}

const toTime = (milliseconds: number): string => new Date(milliseconds).toISOString();

async function withTags(rows: readonly ListRow[], tagged: TaggedRows, dimension: TaggedDimension): Promise<ListRow[]> {
  const names = rows.map(({ name }) => name);
  const tags = await readTags(tagged, dimension, names);
  return rows.map((row) => ({ ...row, tags: tags.get(row.name) ?? {} }));
}
