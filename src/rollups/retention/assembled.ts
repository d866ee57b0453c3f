import type { Watermark } from '../../calls/assembly/watermarks.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { Clause } from '../../storage/analytic/clause.ts';

/** The condition for events that are assembled by these watermarks. A writer without one is fully assembled. */
export const assembledBy = (watermarks: readonly Watermark[]): Clause => ({
  sql: 'seq <= transform(toString(writer), {assembled_writers:Array(String)}, {assembled_seqs:Array(UInt64)}, toUInt64(18446744073709551615))',
  parameters: {
    assembled_writers: watermarks.map(({ writer }) => writer),
    assembled_seqs: watermarks.map(({ seq }) => seq),
  },
});

/** Whether a project has unassembled events from before a time, in milliseconds since 1970. */
export async function hasUnassembled(
  store: Pick<AnalyticStore, 'select'>,
  project: string,
  { beforeMs, watermarks }: { readonly beforeMs: number; readonly watermarks: readonly Watermark[] },
): Promise<boolean> {
  const assembled = assembledBy(watermarks);
  const rows = await store.select(
    `SELECT 1 FROM events
      WHERE project = {project:String} AND event_time < fromUnixTimestamp64Milli({before:Int64}, 'UTC') AND NOT (${assembled.sql})
      LIMIT 1`,
    { ...assembled.parameters, project, before: beforeMs },
  );
  return rows.length > 0;
}
