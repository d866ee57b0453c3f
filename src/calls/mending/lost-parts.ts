/** A part of a table whose rows are in no answer any more. */
export interface LostPart {
  readonly table: string;
  readonly name: string;
  /** Set aside because something in it was broken, or not there any more. */
  readonly how: 'broken' | 'missing';
}

/** What can be done about a table that has lost rows: add days up again, make all calls anew, or nothing. */
export type Remedy = 'days' | 'calls' | 'none';

const remedies: Readonly<Record<string, Remedy>> = {
  narrow_cells: 'days',
  cells: 'days',
  customer_cells: 'days',
  calls: 'calls',
  event_ids: 'calls',
  runs: 'calls',
  crossing_runs: 'calls',
};

export const remedyOf = ({ table }: Pick<LostPart, 'table'>): Remedy => remedies[table] ?? 'none';

/** Which migrations are done also shows in the tables that they have made. */
export const isDispensable = ({ table }: Pick<LostPart, 'table'>): boolean => table === 'migrations';

/** The partition of a part, by its name: `202605_1_5_1`, or `broken-on-start_202605_1_5_1`. */
export const partitionOf = ({ name }: Pick<LostPart, 'name'>): string =>
  /(?:^|_)([0-9A-Za-z]+)_\d+_\d+_\d+(?:_\d+)?(?:_try\d+)?$/.exec(name)?.[1] ?? '';

/** With what the days of a partition begin, which is a year or a month: `2026-`, `2026-05-`; all days when it is neither. */
export function dayPrefixOf(part: Pick<LostPart, 'name'>): string {
  const [, year, month] = /^(\d{4})(\d{2})?$/.exec(partitionOf(part)) ?? [];
  if (year === undefined) return '';
  return month === undefined ? `${year}-` : `${year}-${month}-`;
}

/** Why what could be made anew can't be: nothing else is kept of its days, events of its calls are lost too, or it was tried. */
export type Hindrance = 'frozen days' | 'lost events' | 'failed';

/** What an operator should know and do about a part. */
export function describe(part: LostPart, hindrance: Hindrance | undefined): string {
  const { table, name, how } = part;
  const what = `part ${name} of ${table} ${how === 'broken' ? 'is broken and was set aside' : 'is gone'}`;
  if (isDispensable(part)) return `${what}: nothing is missing`;
  if (table === 'events') {
    return `${what}: events received in ${monthOf(part)} are missing, and calls are not made of them any more; post them again, or restore a backup`;
  }
  switch (hindrance) {
    case 'frozen days':
      return `${what}: totals of days that are beyond retention may be missing; restore a backup`;
    case 'lost events':
      return `${what}: calls are missing, and can't all be made anew, as events are missing too; restore a backup, or post the events again and rebuild`;
    case 'failed':
      return `${what}: calls are missing, and making them anew has failed; the log has the cause. The next start tries it again`;
    case undefined:
      break;
  }
  switch (remedyOf(part)) {
    case 'days':
      return `${what}: its days are added up again`;
    case 'calls':
      return `${what}: all calls are made anew from the events, and answers wait for it`;
    case 'none':
      return `${what}: what it held is missing; restore a backup`;
  }
}

const monthOf = (part: LostPart): string => dayPrefixOf(part).slice(0, -1) || 'a month that is not known';
