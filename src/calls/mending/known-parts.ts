import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { AnalyticStore } from '../../clickhouse/analytic-store.ts';
import { parseJson } from '../../lib/json.ts';
import type { LostPart } from './lost-parts.ts';

/** The parts of the embedded engine's tables as they were a moment ago: the engine itself does not miss one that is gone. */
const fileName = 'parts.json';

const knownParts = z.object({
  /** By table: the number of the last mutation, and of each part its partition, blocks and data version. */
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

/**
 * Reads which parts there are. Empty ones hold nothing that could be lost, but show that what was in their place was deleted
 * and not lost.
 */
export async function readParts(
  store: Pick<AnalyticStore, 'select'>,
  { withEmpty = false }: { readonly withEmpty?: boolean } = {},
): Promise<KnownParts> {
  // Before the parts: a deletion that begins in between makes a part seem to have been deleted, never lost.
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
          parts: parts.map(({ name, partition_id, first, last }) => ({
            name,
            partition: partition_id,
            first: Number(first),
            last: Number(last),
          })),
        },
      ]),
    ),
  };
}

/** The rows of a part by the numbers of their blocks, which say what it was merged of. */
interface Span {
  readonly partition: string;
  readonly first: number;
  readonly last: number;
}

/** The parts that were set aside. */
export async function readDetached(
  store: Pick<AnalyticStore, 'select'>,
): Promise<(Span & { readonly table: string; readonly name: string })[]> {
  const rows = await store.select<PartRow>(
    `SELECT table, name, coalesce(partition_id, '') AS partition_id, coalesce(min_block_number, 0) AS first,
        coalesce(max_block_number, 0) AS last
      FROM system.detached_parts WHERE database = currentDatabase() ORDER BY table, name`,
  );
  return rows.map(({ table, name, partition_id: partition, first, last }) => ({
    table,
    name,
    partition,
    first: Number(first),
    last: Number(last),
  }));
}

/**
 * Whether what a part held is there all the same: in what has been merged of it, or in what it was merged of. That is kept for
 * minutes and deleted together; it begins and ends where the part does. Numbers between may be of INSERTs that have failed, as
 * on a disk that nothing could be written to.
 */
export function isReplaced({ partition, first, last }: Span, parts: readonly Span[]): boolean {
  const around = parts.filter((part) => part.partition === partition && part.first <= last && part.last >= first);
  return around.some((part) => part.first <= first) && around.some((part) => part.last >= last);
}

/**
 * The parts that were known and that no part has taken the place of. Of a table from which rows were deleted since, parts may
 * be gone because nothing was left in them: of these only those of rollups count, which are easily made again.
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

/** What was kept last; undefined when nothing was, or when writing it was cut off. */
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
