import { hash } from 'node:crypto';
import type { Clause } from '../../storage/analytic/clause.ts';
import { type Column, column, text, timeMs, uint32 } from '../../storage/analytic/native-block.ts';
import type { PlainSpan } from '../events/plain-span.ts';
import type { EventKey } from '../merging/merge.ts';
import { uuidsIn } from '../merging/sql.ts';
import { toleranceMs } from './groups.ts';
import { beganAfterMs, joinWithinMs, streamOf } from './join-reports.ts';
import { beginningOf, begunMs, isBegun, leftOf, likenessOf } from './likeness.ts';
import type { Report } from './report.ts';
import { aroundMs, insideMs } from './span-tree.ts';

const hourMs = 3_600_000;

/** How far apart reports with one key may be, in milliseconds. */
export const reachMs = {
  answer: joinWithinMs,
  trace: aroundMs,
  stream: 2 * toleranceMs,
  likeness: 2 * toleranceMs,
} as const;

/** In place of an emitter's scope: a span that is no call. */
const spanScope = 'span';

export type Kind = keyof typeof reachMs;

export const kinds = Object.keys(reachMs) as readonly Kind[];

const longestReachMs = Math.max(...Object.values(reachMs));

/** A text that reports of one request share, and when: reports of one key at other times are of other requests. */
export interface Key {
  readonly kind: Kind;
  /** A UUID. */
  readonly key: string;
  /** The scope of the emitter. Reports of one are never alike: alike are those of different ones. */
  readonly scope: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** The name of a trace, or the hash of an answer's id. */
const isHashed = /^(?:[\da-f]{16}){1,2}$/;

/** A hash of a text as a UUID: collisions cost a look at a report that joins nothing. */
function keyOf(kind: Kind, name: string): string {
  const hex = isHashed.test(name) ? name.padEnd(32, '0') : hash('sha256', `${kind} ${name}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** A key of a report or of a span that is no call. */
export interface OwnKey extends EventKey, Key {
  readonly isSpan: boolean;
}

/** The keys of a report: its answer's ids, its trace, its likeness, and that of the beginning of its request. */
export function keysOfReport(report: Report): OwnKey[] {
  const { startMs, endMs, answers, trace, span, scope, call } = report;
  const { projectId, eventId } = call;
  const keys: OwnKey[] = [];
  const add = (kind: Kind, name: string, time: Partial<Pick<Key, 'startMs' | 'endMs'>> = {}) => {
    keys.push({ projectId, eventId, kind, key: keyOf(kind, name), scope, startMs, endMs, ...time, isSpan: false });
  };
  for (const answer of answers) add('answer', answer);
  if (span !== '') add('trace', trace);
  for (const stream of streamOf(report) ?? [])
    add('stream', stream, report.follows ? { startMs: beganAfterMs(report) } : {});
  const alike = [likenessOf, leftOf, beginningOf].flatMap((textOf) => textOf(report) ?? []);
  for (const likeness of alike) add('likeness', likeness, isBegun(report) ? { endMs: endMs + begunMs } : {});
  return keys;
}

export const keyOfSpan = ({ trace, startMs, endMs }: PlainSpan, { projectId, eventId }: EventKey): OwnKey => ({
  ...{ projectId, eventId, kind: 'trace', key: keyOf('trace', trace), scope: spanScope, startMs, endMs, isSpan: true },
});

/** A row of the table; of a key of one hour it is the key itself. */
export interface KeyRow extends EventKey, Key {
  /** Where it is not the hour of the end. */
  readonly hour?: number;
}

export const hourOfRow = ({ hour, endMs }: KeyRow): number => hour ?? Math.floor(endMs / hourMs);

export const keyColumns: readonly Column<KeyRow>[] = [
  column('project', text, ({ projectId }) => projectId),
  column('kind', text, ({ kind }) => kind),
  column('hour', uint32, hourOfRow),
  column('key', text, ({ key }) => key),
  column('scope', text, ({ scope }) => scope),
  column('event_id', text, ({ eventId }) => eventId),
  column('started_at', timeMs, ({ startMs }) => startMs),
  column('ended_at', timeMs, ({ endMs }) => endMs),
];

/** A longer report is found by its last hours only. */
const maxHours = 49;

/** The rows of a key: one for each hour that it covers, so that what lies inside it finds it by its own hour. */
export function rowsOfKey(key: Key & EventKey): KeyRow[] {
  const last = Math.floor(key.endMs / hourMs);
  const rows: KeyRow[] = [key];
  for (let hour = Math.max(Math.floor(key.startMs / hourMs), last - maxHours, 0); hour < last; hour += 1)
    rows.push({ ...key, hour });
  return rows;
}

/** Whether two reports with one key may be of one request. */
export function mayBeOne(a: Key, b: Omit<Key, 'kind' | 'key'>): boolean {
  const areReports = a.scope !== spanScope && b.scope !== spanScope;
  const ms = a.kind === 'trace' && areReports ? insideMs : reachMs[a.kind];
  if (a.kind === 'likeness' && a.scope === b.scope) return false;
  return a.startMs <= b.endMs + ms && b.startMs <= a.endMs + ms;
}

type SoughtKey = Key & Pick<EventKey, 'projectId'>;

/** Leaves out rows of the only emitter that seeks their key: most reports are of one, and many are alike. */
function ofOtherEmitters(keys: readonly SoughtKey[]): Clause {
  const scopes = new Map<string, SoughtKey>();
  const shared = new Set<string>();
  for (const sought of keys) {
    const place = `${sought.projectId} ${sought.key}`;
    if ((scopes.get(place) ?? sought).scope !== sought.scope) shared.add(place);
    scopes.set(place, sought);
  }
  const own = [...scopes].flatMap(([place, key]) => (shared.has(place) ? [] : [key]));
  const groups = Map.groupBy(own, ({ projectId, scope }) => JSON.stringify([projectId, scope]));
  const lists = Array.from(groups.values(), (group) => [
    group[0]?.projectId,
    group[0]?.scope,
    group.map(({ key }) => key),
  ]);
  return {
    sql: `AND (project, scope, key) NOT IN (SELECT own.1, own.2, arrayJoin(own.3)
      FROM (SELECT arrayJoin(JSONExtract({own:String}, 'Array(Tuple(String, String, Array(UUID)))')) AS own))`,
    parameters: { own: JSON.stringify(lists) },
  };
}

/** The condition for reports at about the times of keys of one kind, in their projects. */
function aroundKeys(kind: Kind, keys: readonly SoughtKey[]): Clause {
  const firstMs = keys.reduce((first, { startMs }) => Math.min(first, startMs), Number.POSITIVE_INFINITY);
  const lastMs = keys.reduce((last, { endMs }) => Math.max(last, endMs), 0);
  const [from, to] = [Math.max(firstMs - reachMs[kind], 0), lastMs + reachMs[kind]];
  const areReports = kind === 'trace' && keys.every(({ scope }) => scope !== spanScope);
  const nearer = areReports ? `AND (scope = '${spanScope}' OR ${overlaps(reachMs.trace - insideMs)})` : '';
  return {
    sql: `kind = {kind:String} AND project IN {projects:Array(String)}
        AND hour BETWEEN {first_hour:UInt32} AND {last_hour:UInt32} AND ${overlaps(0)} ${nearer}`,
    parameters: {
      kind,
      projects: [...new Set(keys.map(({ projectId }) => projectId))],
      first_hour: Math.floor(from / hourMs),
      last_hour: Math.floor(to / hourMs),
      from: Math.floor(from),
      to: Math.ceil(to),
    },
  };
}

const overlaps = (closerMs: number): string => `started_at <= fromUnixTimestamp64Milli({to:Int64} - ${closerMs}, 'UTC')
        AND ended_at >= fromUnixTimestamp64Milli({from:Int64} + ${closerMs}, 'UTC')`;

/** The emitters of each project with reports at about the times of keys of one kind. */
export function selectScopes(kind: Kind, keys: readonly SoughtKey[]): Clause {
  const around = aroundKeys(kind, keys);
  return {
    sql: `SELECT project AS projectId, groupUniqArray(scope) AS scopes FROM report_keys WHERE ${around.sql} GROUP BY project`,
    parameters: around.parameters,
  };
}

/**
 * When the last reports with keys of each kind ended, as far as reports that start at `firstMs` or later can share a
 * key: `LastOfKind`s, of reports that ended at `sinceMs` or later.
 */
export function selectLast(firstMs: number): { readonly clause: Clause; readonly sinceMs: number } {
  const hour = Math.max(Math.floor((firstMs - longestReachMs) / hourMs), 0);
  return {
    clause: {
      sql: `SELECT kind, toFloat64(toUnixTimestamp64Milli(max(ended_at))) AS endMs
        FROM report_keys WHERE hour >= {hour:UInt32} GROUP BY kind`,
      parameters: { hour },
    },
    sinceMs: hour * hourMs,
  };
}

export type LastOfKind = Pick<Key, 'kind' | 'endMs'>;

export interface ProjectScopes extends Pick<EventKey, 'projectId'> {
  readonly scopes: readonly string[];
}

/** The reports with one of these keys, at about their times, in any of their projects: `FoundKey`s. */
export function selectKeys(kind: Kind, keys: readonly SoughtKey[]): Clause {
  const around = aroundKeys(kind, keys);
  const others = kind === 'likeness' ? ofOtherEmitters(keys) : undefined;
  return {
    sql: `SELECT project AS projectId, event_id AS eventId, key, scope, toFloat64(toUnixTimestamp64Milli(started_at)) AS startMs,
        toFloat64(toUnixTimestamp64Milli(ended_at)) AS endMs
      FROM report_keys WHERE ${around.sql} AND key IN (${uuidsIn('keys')}) ${others?.sql ?? ''}
      ORDER BY (${overlaps(reachMs[kind])}) DESC, ended_at - started_at DESC, event_id
      LIMIT {most:UInt32} BY project, key
      SETTINGS use_index_for_in_with_subqueries_max_values = 1000`,
    parameters: {
      ...around.parameters,
      ...others?.parameters,
      keys: JSON.stringify(keys.map(({ key }) => key)),
      most: maxRelated,
    },
  };
}

/**
 * More related ids, or more of a key, are not looked at: their reports stay calls of their own. Those at the time of a
 * key come first, the longest before others, which may be around them.
 */
export const maxRelated = 5_000;

export interface FoundKey extends EventKey, Omit<Key, 'kind'> {}
