/** A part of a table whose rows are missing from answers. */
export interface LostPart {
  readonly table: string;
  readonly name: string;
  /** `broken`: the part is corrupt and was set aside. `missing`: the part is gone. */
  readonly how: 'broken' | 'missing';
}

/**
 * How lost rows of a table are restored: roll up its days again, rebuild all calls, post events again, or not at all.
 * `needless`: the loss is harmless, because every migration can be repeated, and ids that are no longer in
 * `condensed_ids` are condensed again from the log.
 */
export type Remedy = 'days' | 'calls' | 'post' | 'none' | 'needless';

const remedies: Readonly<Record<string, Remedy>> = {
  narrow_cells: 'days',
  cells: 'days',
  customer_cells: 'days',
  tag_cells: 'days',
  run_cells: 'days',
  calls: 'calls',
  event_ids: 'calls',
  report_keys: 'calls',
  runs: 'calls',
  crossing_runs: 'calls',
  events: 'post',
  migrations: 'needless',
  condensed_ids: 'needless',
};

export const remedyOf = ({ table }: Pick<LostPart, 'table'>): Remedy => remedies[table] ?? 'none';

/** The partition in a part's name, such as `202605_1_5_1` or `broken-on-start_202605_1_5_1`. */
export const partitionOf = ({ name }: Pick<LostPart, 'name'>): string =>
  /(?:^|_)([0-9A-Za-z]+)_\d+_\d+_\d+(?:_\d+)?(?:_try\d+)?$/.exec(name)?.[1] ?? '';

/** The beginning of the days of its partition, a year (`2026-`) or month (`2026-05-`); empty for all days. */
export function dayPrefixOf(part: Pick<LostPart, 'name'>): string {
  const [, year, month] = /^(\d{4})(\d{2})?$/.exec(partitionOf(part)) ?? [];
  if (year === undefined) return '';
  return month === undefined ? `${year}-` : `${year}-${month}-`;
}

/** Why it can't be restored: frozen days have no other source, its events are lost too, or the rebuild failed. */
export type Hindrance = 'frozen days' | 'lost events' | 'failed';

/** What a loss means, and what to do about it. */
const meanings: Readonly<Record<Remedy | Hindrance, (part: LostPart) => string>> = {
  days: () => 'its days are rolled up again',
  calls: () => 'all calls are rebuilt from the events, and answers wait for that',
  post: (part) =>
    `events received in ${monthOf(part)} are missing, and no rebuild can make calls of them; post them again, or restore a backup`,
  none: () => 'its rows are missing; restore a backup',
  needless: () => 'nothing is missing',
  'frozen days': () => 'totals of days beyond retention may be missing; restore a backup',
  'lost events': () =>
    "calls are missing and can't all be rebuilt, because events are missing too; restore a backup, or post the events again and rebuild",
  failed: () => 'calls are missing, and rebuilding them has failed; the log has the cause. The next start retries it',
};

/** A message for the operator: which part is lost, what is missing, and what to do. */
export function describe(part: LostPart, hindrance: Hindrance | undefined): string {
  const { table, name, how } = part;
  const loss = how === 'broken' ? 'is broken and was set aside' : 'is gone';
  return `part ${name} of ${table} ${loss}: ${meanings[hindrance ?? remedyOf(part)](part)}`;
}

const monthOf = (part: LostPart): string => dayPrefixOf(part).slice(0, -1) || 'an unknown month';
