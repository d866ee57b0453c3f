import { dimensionNames } from '../../lib/dimensions.ts';
import { bucketNames, usageBuckets } from '../../lib/usage-buckets.ts';
import { writePricedAs } from '../../pricing/priced-as.ts';
import {
  bool,
  type Column,
  type ColumnType,
  column,
  dictionary,
  float64,
  list,
  mapOf,
  money,
  nullable,
  text,
  timeMs,
  uint32,
  uint64,
} from '../../storage/analytic/native-block.ts';
import { formatOtherUsage } from '../../usage/other-usage.ts';
import { shortenTags } from './call-tags.ts';
import type { CallRow, StoredCall } from './cost-calls.ts';

/** A column of a call. Rows that remove a call have `absent` in it. */
const ofCall = <Value>(
  name: string,
  type: ColumnType<Value>,
  absent: Value,
  take: (call: StoredCall) => Value,
): Column<CallRow> => column(name, type, ({ call }) => (call === null ? absent : take(call)));

export const callColumns: readonly Column<CallRow>[] = [
  column('project', text, ({ projectId }) => projectId),
  column('day', text, ({ day }) => day),
  column('generation', uint64, ({ generation }) => generation),
  column('event_id', text, ({ eventId }) => eventId),
  column('ordinal', uint32, ({ ordinal }) => ordinal),
  column('version', uint64, ({ version }) => version),
  column('is_deleted', bool, ({ call }) => call === null),
  ofCall('time', timeMs, 0, (call) => call.timeMs),
  ofCall('first_received_at', timeMs, 0, (call) => call.firstReceivedAtMs),
  ...dimensionNames.map((name) =>
    // The price book knows the provider of a call that names none.
    ofCall(name, text, '', name === 'provider' ? ({ cost }) => cost.provider : ({ dimensions }) => dimensions[name]),
  ),
  ofCall('run', text, '', ({ run }) => run),
  ofCall('tags', dictionary, {}, ({ tags, dimensions, run }) => shortenTags(tags, { ...dimensions, run })),
  ofCall('failed', bool, false, ({ failed }) => failed),
  ofCall('aborted', bool, false, ({ aborted }) => aborted),
  ofCall('alike', text, '', ({ alike }) => alike),
  ofCall('elapsed_ms', nullable<number>(float64, 0), null, ({ elapsedMs }) => elapsedMs),
  ofCall('cost', money, 0n, ({ cost }) => cost.cost),
  ofCall('cost_source', text, '', ({ cost }) => cost.source),
  ofCall('unpriced_reason', text, '', ({ cost }) => cost.unpricedReason ?? ''),
  ofCall('price_book', text, '', ({ priceBookId }) => priceBookId),
  ...usageBuckets.map((bucket) =>
    ofCall(`${bucketNames[bucket]}_tokens`, uint32, 0, ({ costed }) => costed.usage?.[bucket] ?? 0),
  ),
  ofCall('units', mapOf<bigint>(money), {}, ({ costed }) => costed.units),
  ofCall('terms', dictionary, {}, ({ costed }) => costed.terms),
  ofCall('partly_priced', list(text), [], ({ cost }) => cost.partlyPriced),
  ofCall('priced_as', text, '', ({ costed }) => writePricedAs(costed)),
  ofCall('requests', uint32, 1, ({ costed }) => costed.requests ?? 1),
  ofCall('cost_elsewhere', nullable<bigint>(money, 0n), null, ({ costed }) => costed.costElsewhere ?? null),
  ofCall('other_usage', text, '', ({ costed }) => (costed.others === undefined ? '' : formatOtherUsage(costed.others))),
];
