import { inTurns } from '../../lib/in-turns.ts';
import { hasOrigin } from '../events/origin.ts';
import { isPlainSpan, type PlainSpan, plainSpanOf } from '../events/plain-span.ts';
import type { attacher } from '../merging/attach.ts';
import { readIds } from '../merging/look-back.ts';
import { type EventKey, keyOf, type MergedCall } from '../merging/merge.ts';
import { type IdInHand, type MergedIds, mergeIds } from '../merging/merge-ids.ts';
import type { Select } from '../merging/sql.ts';
import {
  type FoundKey,
  type KeyRow,
  type Kind,
  keyOfSpan,
  keysOfReport,
  maxRelated,
  mayBeOne,
  type OwnKey,
  type ProjectScopes,
  rowsOfKey,
  selectKeys,
  selectScopes,
} from './keys.ts';
import { toReport } from './report.ts';
import type { ReportKeys } from './report-keys.ts';

/** Calls with all that may report the same requests. */
export interface Gathered extends Pick<MergedIds, 'condensed'> {
  /** The calls of the ids that were asked for. */
  readonly calls: readonly MergedCall[];
  /** Other calls that share a key with one of them. Those marked as written may share keys with calls that were not read. */
  readonly related: readonly MergedCall[];
  /** The spans around any of them. */
  readonly spans: readonly (PlainSpan & Pick<EventKey, 'projectId'>)[];
  /** Those calls of the ids that were asked for that share no key with anything: nothing can be joined to them. */
  readonly alone: ReadonlySet<MergedCall>;
  /** The keys of the ids that were asked for, to be noted. */
  readonly keys: readonly KeyRow[];
}

export interface GatherSources {
  readonly select: Select;
  /** Attaches later contents to events. */
  readonly attach: ReturnType<typeof attacher>;
  /** By which keys are left out that no report in the store has; without it, all are sought. */
  readonly reportKeys?: Pick<ReportKeys, 'mayHave'>;
}

type Id = EventKey & IdInHand;

/** Each round finds what shares a key with what the round before has found. */
const maxRounds = 8;

/** Merges ids, and finds what shares a key with them; `alsoInside`: calls inside those spans too. */
export async function gather(
  sources: GatherSources,
  ids: readonly Id[],
  { alsoInside }: { readonly alsoInside: boolean },
): Promise<Gathered> {
  const first = await readReports(sources, ids);
  const related: MergedCall[] = [];
  const spans = [...first.spans];
  const shared = findShared(first.keys);
  let keys = alsoInside ? first.keys : first.keys.filter(({ isSpan }) => !isSpan);
  const known = new Set(keys.length > 0 ? ids.map(keyOf) : []);
  /** How many of `related`, from the first on, share no key with a call that was not read. */
  let complete = 0;
  for (let round = 0; keys.length > 0; round += 1) {
    const found = await findSharing(sources, keys);
    for (const { key } of found) shared.add(key);
    const others = [...new Map(found.map((key) => [keyOf(key), key])).values()].filter((key) => !known.has(keyOf(key)));
    const left = round < maxRounds ? ids.length + maxRelated - known.size : 0;
    const next = others.slice(0, left);
    if (next.length === others.length) complete = related.length;
    if (next.length === 0) break;
    for (const key of next) known.add(keyOf(key));
    const read = await readReports(sources, await readRelated(sources, ids, next));
    related.push(...read.calls);
    spans.push(...read.spans);
    keys = read.keys.filter(({ isSpan }) => !isSpan);
    if (keys.length === 0) complete = related.length;
  }
  const joinable = new Set(first.keys.flatMap(({ key, eventId }) => (shared.has(key) ? eventId : [])));
  return {
    calls: first.calls,
    condensed: first.condensed,
    alone: new Set(first.calls.filter(({ eventId }) => !joinable.has(eventId))),
    related: related.map((call, index) => (index < complete ? call : { ...call, isWritten: true })),
    spans,
    keys: first.keys.flatMap(rowsOfKey),
  };
}

/** Those of these keys that several have: of likeness, several emitters. */
function findShared(keys: readonly OwnKey[]): Set<string> {
  const shared = new Set<string>();
  const scopes = new Map<string, string>();
  for (const { kind, key, scope } of keys) {
    const known = scopes.get(key);
    if (known === undefined) scopes.set(key, scope);
    else if (kind !== 'likeness' || known !== scope) shared.add(key);
  }
  return shared;
}

async function readRelated(
  { select, attach }: GatherSources,
  ids: readonly Id[],
  keys: readonly EventKey[],
): Promise<readonly Id[]> {
  const aboutMs = ids.reduce(
    (first, { events: [event] }) => Math.min(first, event?.receivedAtMs ?? first),
    Number.POSITIVE_INFINITY,
  );
  return await attach.toIds(await readIds(select, keys, aboutMs));
}

interface ReadReports extends Pick<Gathered, 'calls' | 'spans' | 'condensed'> {
  readonly keys: readonly OwnKey[];
}

async function readReports({ select, attach }: GatherSources, ids: readonly Id[]): Promise<ReadReports> {
  const { calls, condensed } = await mergeIds({ select, attach: attach.toEvents }, ids);
  const spans: Gathered['spans'][number][] = [];
  const keys: OwnKey[] = [];
  // Most events are neither spans nor reports: no turn is timed for each of them.
  await inTurns(ids.filter(hasPlainSpan), ({ projectId, eventId, events }) => {
    for (const event of events) {
      const span = plainSpanOf(event);
      if (span === undefined) continue;
      spans.push({ ...span, projectId });
      keys.push(keyOfSpan(span, { projectId, eventId }));
    }
  });
  await inTurns(calls.filter(hasOrigin), (call) => {
    const report = toReport(call);
    for (const key of report ? keysOfReport(report) : []) keys.push(key);
  });
  return { calls, condensed, spans, keys };
}

const hasPlainSpan = ({ events }: Id): boolean => events.some(isPlainSpan);

/** The ids that share a key with one of these at its time, themselves included. */
async function findSharing({ select, reportKeys }: GatherSources, keys: readonly OwnKey[]): Promise<FoundKey[]> {
  const found: FoundKey[] = [];
  const possible = reportKeys ? await reportKeys.mayHave(select, keys) : keys;
  for (const [kind, ofKind] of Map.groupBy<Kind, OwnKey>(possible, (key) => key.kind)) {
    const sought = kind === 'likeness' ? await withOtherEmitters(select, ofKind) : ofKind;
    if (sought.length === 0) continue;
    const rows = await select<FoundKey>(selectKeys(kind, sought));
    if (rows.length === 0) continue;
    const byKey = Map.groupBy(sought, ({ projectId, key }) => `${projectId} ${key}`);
    for (const row of rows) {
      if (byKey.get(`${row.projectId} ${row.key}`)?.some((key) => mayBeOne(key, row))) found.push(row);
    }
  }
  return found;
}

/** The keys of likeness of projects with reports of another emitter: most projects have one alone. */
async function withOtherEmitters(select: GatherSources['select'], keys: readonly OwnKey[]): Promise<OwnKey[]> {
  const found = await select<ProjectScopes>(selectScopes('likeness', keys));
  const scopes = new Map(found.map((project) => [project.projectId, project.scopes]));
  return keys.filter(({ projectId, scope }) => scopes.get(projectId)?.some((other) => other !== scope));
}
