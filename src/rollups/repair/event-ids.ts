import { noteIdsOf } from '../../calls/merging/open-state.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';

const dayMs = 86_400_000;

/** Records every id in `event_ids`, a day of receipt at a time. Can be repeated. */
export async function noteAllIds(store: Pick<AnalyticStore, 'select' | 'command'>): Promise<void> {
  const [span] = await store.select<{ first: string; last: string }>(
    'SELECT toUnixTimestamp64Milli(min(received_at)) AS first, toUnixTimestamp64Milli(max(received_at)) AS last FROM events',
  );
  const last = Number(span?.last ?? 0);
  // Both are 0 when the log is empty.
  for (let from = Number(span?.first ?? 0); last > 0 && from <= last; from += dayMs) {
    await store.command(
      noteIdsOf(
        "received_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND received_at < fromUnixTimestamp64Milli({to:Int64}, 'UTC')",
      ),
      { from, to: from + dayMs },
    );
  }
}
