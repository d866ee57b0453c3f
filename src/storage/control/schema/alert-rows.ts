import { audited, column, type RowsOf } from './audited.ts';

export const alertTables = {
  /** How a project watches for one kind of alert (D20.3). The first look or the first change of settings creates it. */
  alert_watches: audited('alert', {
    project_id: column<string>('project'),
    kind: column<string>('key'),
    /** 0 or 1 */
    enabled: column<number>('flag'),
    /** JSON; missing settings have their defaults. */
    settings: column<string>('json'),
    /** Only causes from this instant on fire. */
    since: column<number>('hidden'),
    /** 0 until the first look after `since`, which records causes that already hold without firing them. */
    begun: column<number>('hidden'),
    changed_at: column<number>('hidden'),
    /** The project's last day that was looked at; null before the first look. */
    looked_day: column<string | null>('hidden'),
  }),
};

type Rows = RowsOf<typeof alertTables>;

export type AlertWatchRow = Rows['alert_watches'];

/** A firing of an alert (D20.3): one row for each cause, from its beginning to its end. */
export interface FiringRow {
  id: string;
  project_id: string;
  kind: string;
  /** SHA-256 that identifies the cause. A cause has at most one open firing. */
  cause: string;
  /** JSON: the subject of the cause, such as a budget or a customer. */
  subject: string;
  /** The customer or user of the subject, for erasures. */
  customer: string | null;
  user: string | null;
  started_at: number;
  ended_at: number | null;
  /** 1 for a cause that held before the kind was watched. It is neither listed nor notified. */
  is_quiet: number;
  /** JSON: the numbers at the time. */
  numbers: string;
  title: string;
  text: string;
  /** Path of the dashboard page that shows the numbers. */
  path: string;
}
