import { callColumns } from '../../calls/costing/call-columns.ts';
import { eventColumns } from '../../calls/events/event-columns.ts';
import { contentColumns } from '../../calls/rebuild/content-columns.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import {
  type CellTable,
  cellTableNames,
  cellTables,
  hasSeen,
  pieceDimensions,
} from '../../storage/analytic/tables/rollups.ts';
import { usageColumns } from '../../storage/analytic/tables/usage-columns.ts';
import { generationInBackup, ofPinnedDays, type PinnedDay } from './pinned-days.ts';

/*
 * The tables of the analytic store that a backup and a move to servers copy, because they can't be rebuilt from others:
 *
 * - the event log, and what rereads have read in it;
 * - the records of running erasures;
 * - the rollups of frozen days, whose events and calls are deleted;
 * - the calls that closes pin.
 */

/** Frozen days and the seals of their rollups. */
export interface FrozenDays {
  readonly projects: readonly string[];
  /** The seal of each frozen day, with its day as days since 1970. */
  readonly seals: readonly (readonly [day: number, seal: number])[];
}

/** The last sequence of each writer in a backup. Later events are not in it. */
export interface Mark {
  readonly writers: readonly string[];
  readonly seqs: readonly number[];
}

/** Which rows of the tables to copy. */
export interface CopyScope {
  /** Undefined for all events. */
  readonly mark: Mark | undefined;
  readonly frozen: FrozenDays;
  /** The rereads in force, as pairs of project and generation; undefined for all. */
  readonly rereads: readonly (readonly [project: string, generation: number])[] | undefined;
  /** The closes that are in the backup; undefined for all. */
  readonly closes: readonly string[] | undefined;
  /** The days that they pin; undefined for all calls. */
  readonly pins: readonly PinnedDay[] | undefined;
}

/** A span of time, in seconds since 1970: `from` is inclusive, `to` exclusive. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

export const allTime: TimeSpan = { from: 0, to: 4_294_967_295 };

export interface KeptTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** The SQL source of the rows. It has FINAL if the engine merges rows in the background. */
  readonly source: string;
  /** SQL for the time by which rows are split into parts, in seconds since 1970. A month is one partition. */
  readonly second: string | undefined;
  readonly within: (span: TimeSpan) => Clause;
  readonly kept: (scope: CopyScope, span: TimeSpan) => Clause;
  /** Whether a backup of this scope can hold any of its rows; default: yes. */
  readonly isNeeded?: (scope: CopyScope) => boolean;
  /** A column that differs between a backup and the store, and the SQL for its value in the backup. */
  readonly selected?: (scope: CopyScope) => { readonly column: string; readonly value: Clause };
  /** The columns that identify a row. Two sets with equal values in them are the same set. */
  readonly identity: string;
  /** The approximate size of a row in bytes, before compression. */
  readonly bytes: string;
}

const everything: Clause = { sql: '1', parameters: {} };
const secondsADay = 86_400;

const withinReceipt = ({ from, to }: TimeSpan): Clause => ({
  sql: "received_at >= fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC') AND received_at < fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC')",
  parameters: { from_ms: from * 1_000, to_ms: to * 1_000 },
});
const daysInSeconds = 'toUInt32(toUInt16(day)) * 86400';

const withinDays = ({ from, to }: TimeSpan): Clause => ({
  sql: 'toUInt16(day) >= {from_day:UInt32} AND toUInt16(day) < {to_day:UInt32}',
  parameters: { from_day: Math.floor(from / secondsADay), to_day: Math.ceil(to / secondsADay) },
});

const ofFrozenDays = ({ frozen }: CopyScope, { from, to }: TimeSpan): Clause => ({
  sql: 'seal IN (SELECT arrayJoin({frozen_seals:Array(UInt64)}))',
  parameters: {
    frozen_seals: frozen.seals
      .filter(([day]) => day * secondsADay >= from && day * secondsADay < to)
      .map(([, seal]) => seal),
  },
});

/** All rows of projects with frozen days, because a run that begins on a frozen day may continue on a later one. */
const ofProjectsWithFrozenDays = ({ frozen }: CopyScope): Clause => ({
  sql: 'project IN (SELECT arrayJoin({frozen_projects:Array(String)}))',
  parameters: { frozen_projects: frozen.projects },
});

const byReceipt = { second: 'toUnixTimestamp(received_at)', within: withinReceipt };
const byDay = { second: daysInSeconds, within: withinDays };
const ofFrozen = { ...byDay, kept: ofFrozenDays };
const ofProjects = { second: undefined, within: () => everything, kept: ofProjectsWithFrozenDays };

/** The values of a cell. Not every table of cells has `seenColumns`, the times of the first and last call. */
const cellColumns = [
  ...['calls', 'errors', 'unpriced_calls', 'cost', 'run_cost', 'runs', 'max_run_cost', 'elapsed_sum', 'elapsed_max'],
  ...usageColumns,
  ...['partly_priced_calls', 'units'],
];
const seenColumns = ['first_time', 'last_time'];

function ofCells(name: CellTable): KeptTable {
  const dimensions = cellTables[name];
  return {
    name,
    columns: [
      ...['project', 'grain', 'day', 'seal', ...dimensions, ...cellColumns],
      ...(hasSeen(name) ? seenColumns : []),
    ],
    source: name,
    ...ofFrozen,
    identity: ['project', 'grain', 'seal', ...dimensions, 'calls', 'cost'].join(', '),
    bytes: '400',
  };
}

export const keptTables: readonly KeptTable[] = [
  {
    name: 'events',
    columns: eventColumns.map(({ name }) => name),
    source: 'events',
    ...byReceipt,
    kept: ({ mark }) =>
      mark === undefined
        ? everything
        : {
            sql: 'seq <= transform(toString(writer), {writers:Array(String)}, {seqs:Array(UInt64)}, toUInt64(0))',
            parameters: { writers: mark.writers, seqs: mark.seqs },
          },
    identity: 'writer, seq, event_id',
    bytes: 'length(text) + 250',
  },
  {
    name: 'calls',
    columns: callColumns.map(({ name }) => name),
    source: 'calls FINAL',
    ...byDay,
    kept: ({ pins }) => (pins === undefined ? everything : ofPinnedDays(pins)),
    isNeeded: ({ pins }) => pins === undefined || pins.length > 0,
    selected: ({ pins = [] }) => ({ column: 'generation', value: generationInBackup(pins) }),
    identity: 'project, day, generation, event_id, ordinal, version, cost',
    bytes: '400',
  },
  {
    name: 'event_contents',
    columns: contentColumns.map(({ name }) => name),
    source: 'event_contents FINAL',
    ...byReceipt,
    kept: ({ rereads }) =>
      rereads === undefined
        ? everything
        : {
            sql: `(project, generation) IN (SELECT reread.1, reread.2
              FROM (SELECT arrayJoin(arrayZip({reread_projects:Array(String)}, {reread_generations:Array(UInt64)})) AS reread))`,
            parameters: {
              reread_projects: rereads.map(([project]) => project),
              reread_generations: rereads.map(([, generation]) => generation),
            },
          },
    identity: 'project, event_id, writer, seq, generation, version',
    bytes: '400',
  },
  {
    name: 'erased_ids',
    columns: ['project', 'erasure', 'event_id'],
    source: 'erased_ids',
    second: undefined,
    within: () => everything,
    kept: () => everything,
    identity: 'project, erasure, event_id',
    bytes: '80',
  },
  ...cellTableNames.map(ofCells),
  {
    name: 'frozen_pieces',
    columns: ['project', 'day', 'seal', 'run_hash', ...pieceDimensions, 'tags', 'cost'],
    source: 'frozen_pieces',
    ...ofFrozen,
    identity: ['project', 'seal', 'run_hash', ...pieceDimensions, 'toString(tags)', 'cost'].join(', '),
    bytes: '150',
  },
  {
    name: 'frozen_readings',
    columns: ['project', 'day', 'seal', 'reading', 'user', 'fed', 'sum', 'rest', 'hashes'],
    source: 'frozen_readings',
    ...ofFrozen,
    identity: 'project, seal, reading, user, fed, sum, rest, hashes',
    bytes: 'length(rest) + 16 * length(hashes) + 200',
  },
  {
    name: 'late_events',
    columns: ['project', 'received_at', 'writer', 'seq'],
    source: 'late_events FINAL',
    ...ofProjects,
    identity: 'project, received_at, writer, seq',
    bytes: '80',
  },
  {
    name: 'runs',
    columns: [
      ...['project', 'base_generation', 'run_hash'],
      ...['first_day', 'last_day', 'first_customer', 'last_customer'],
    ],
    source: 'runs FINAL',
    ...ofProjects,
    identity: 'project, base_generation, run_hash, first_day, last_day, first_customer, last_customer',
    bytes: '120',
  },
  {
    name: 'crossing_runs',
    columns: ['project', 'base_generation', 'run_hash'],
    source: 'crossing_runs FINAL',
    ...ofProjects,
    identity: 'project, base_generation, run_hash',
    bytes: '80',
  },
];

export const keptTable = (name: string): KeptTable => {
  const found = keptTables.find((table) => table.name === name);
  if (!found) throw new Error(`A backup holds no table ${name}`);
  return found;
};
