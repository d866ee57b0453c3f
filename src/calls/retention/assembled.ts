import type { AnalyticStore } from '../../clickhouse/analytic-store.ts';
import type { Clause } from '../../clickhouse/clause.ts';
import type { Watermark } from '../assembly/watermarks.ts';

/** The events that are in the calls by these watermarks. Of a writer that is off the vector, all are. */
export const assembledBy = (watermarks: readonly Watermark[]): Clause => ({
  sql: 'seq <= transform(toString(writer), {assembled_writers:Array(String)}, {assembled_seqs:Array(UInt64)}, toUInt64(18446744073709551615))',
  parameters: {
    assembled_writers: watermarks.map(({ writer }) => writer),
    assembled_seqs: watermarks.map(({ seq }) => seq),
  },
});

/** Whether events of a project that happened before an instant are on their way into the calls. */
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
