import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../lib/json.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { LostPart } from './lost-parts.ts';

/** The file that lists the parts of the embedded engine's tables. The engine does not notice that a part is missing. */
const fileName = 'parts.json';

const knownParts = z.object({
  /** By table: the number of the last mutation, and each part's name, partition and block range. */
  tables: z.record(
    z.string(),
    z.object({
      mutation: z.number(),
      parts: z.array(z.object({ name: z.string(), partition: z.string(), first: z.number(), last: z.number() })),
    }),
  ),
});
export type KnownParts = z.output<typeof knownParts>;

interface PartRow {
  readonly table: string;
  readonly name: string;
  readonly partition_id: string;
  readonly first: string;
  readonly last: string;
}

/** The active parts, empty ones too: they show that the rows of earlier parts were deleted, not lost. */
export async function readParts(
  store: Pick<AnalyticStore, 'select'>,
  { withEmpty = false }: { readonly withEmpty?: boolean } = {},
): Promise<KnownParts> {
  // Read the mutations first. A deletion that starts before the parts are read then never makes a part look lost.
  const mutations = await store.select<{ table: string; last: string }>(
    `SELECT table, max(arrayMax(block_numbers.number)) AS last FROM system.mutations
      WHERE database = currentDatabase() GROUP BY table`,
  );
  const rows = await store.select<PartRow>(
    `SELECT table, name, partition_id, min_block_number AS first, max_block_number AS last FROM system.parts
      WHERE database = currentDatabase() AND active AND (rows > 0 OR {with_empty:Bool})`,
    { with_empty: withEmpty },
  );
  const lastMutation = new Map(mutations.map(({ table, last }) => [table, Number(last)]));
  const tables = Object.groupBy(rows, ({ table }) => table);
  return {
    tables: Object.fromEntries(
      Object.entries(tables).map(([table, parts = []]) => [
        table,
        {
          mutation: lastMutation.get(table) ?? 0,
          parts: parts.map(toSpan),
        },
      ]),
    ),
  };
}

/** A part's partition and block range. The range shows from which parts it was merged. */
interface Span {
  readonly partition: string;
  readonly first: number;
  readonly last: number;
}

export async function readDetached(
  store: Pick<AnalyticStore, 'select'>,
): Promise<(Span & { readonly table: string; readonly name: string })[]> {
  const rows = await store.select<PartRow>(
    `SELECT table, name, coalesce(partition_id, '') AS partition_id, coalesce(min_block_number, 0) AS first,
        coalesce(max_block_number, 0) AS last
      FROM system.detached_parts WHERE database = currentDatabase() ORDER BY table, name`,
  );
  return rows.map((row) => ({ table: row.table, ...toSpan(row) }));
}

const toSpan = ({ name, partition_id: partition, first, last }: PartRow): Span & { readonly name: string } => ({
  name,
  partition,
  first: Number(first),
  last: Number(last),
});

/**
 * Whether the rows of a part are in other parts: in the part that it was merged into, or in those that it was merged
 * from. The engine keeps the latter for minutes and deletes them together; they begin and end at the same blocks as the
 * part. Block numbers missing in between may belong to failed INSERTs, for example on a disk that refused writes.
 */
export function isReplaced({ partition, first, last }: Span, parts: readonly Span[]): boolean {
  const around = parts.filter((part) => part.partition === partition && part.first <= last && part.last >= first);
  return around.some((part) => part.first <= first) && around.some((part) => part.last >= last);
}

/**
 * Known parts that no current part replaces. A deletion also removes parts of which no row is left. So for a table with
 * a newer mutation, only parts of rollups are reported, because those are cheap to rebuild.
 */
export function findMissing(known: KnownParts, now: KnownParts, isRollup: (table: string) => boolean): LostPart[] {
  return Object.entries(known.tables).flatMap(([table, { mutation, parts }]) => {
    const there = now.tables[table];
    if ((there?.mutation ?? 0) > mutation && !isRollup(table)) return [];
    return parts
      .filter((part) => !isReplaced(part, there?.parts ?? []))
      .map(({ name }): LostPart => ({ table, name, how: 'missing' }));
  });
}

/** The list saved last; undefined when there is none or the file is incomplete. */
export function readKnownParts(dataDir: string): KnownParts | undefined {
  try {
    return knownParts.parse(parseJson(readFileSync(join(dataDir, fileName), 'utf8')));
  } catch {
    return undefined;
  }
}

export function keepKnownParts(dataDir: string, parts: KnownParts): void {
  const path = join(dataDir, fileName);
  writeFileSync(`${path}.new`, JSON.stringify(parts), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
