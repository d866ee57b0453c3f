import type { Actor } from '../../../lib/actor.ts';
import { newId } from '../../../lib/ids.ts';
import { parseJson } from '../../../lib/json.ts';
import { toTime } from '../../../lib/times.ts';
import type { AuditEntryRow } from '../schema/entry-row.ts';
import { type AuditedTable, tablesByName } from './tables-by-name.ts';

type Row = Readonly<Record<string, unknown>>;

/** The change of one row, as its trigger wrote it down: null before it was there, and after it was gone. */
export interface RowChange {
  readonly table: string;
  readonly before: Row | null;
  readonly after: Row | null;
}

export interface ChangesOf {
  readonly actor: Actor;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The projects of clients, for their secrets. */
  readonly projectOfClient: ReadonlyMap<unknown, string>;
  /** The e-mail addresses of the members whose rows, roles or links have changed. */
  readonly emailOfMember: ReadonlyMap<unknown, string>;
}

/** What several changes of one subject come to. */
interface Subject {
  readonly of: AuditedTable;
  readonly kind: string;
  readonly subject: string;
  readonly projectId: string | null;
  /** By row, because the tags of a customer have a row each. */
  readonly rows: Map<string, { before: Row | null; after: Row | null }>;
}

/**
 * The entries of a transaction's changes, one for each subject: the state before its first change, and after its last.
 * A subject that ends as it began has none.
 */
export function composeEntries(changes: readonly RowChange[], changesOf: ChangesOf): AuditEntryRow[] {
  const subjects = new Map<string, Subject>();
  for (const { table, before, after } of changes) {
    const of = tablesByName.get(table);
    const row = after ?? before;
    if (!of || !row) throw new Error(`The audit log knows no table ${table}`);
    const kind = typeof of.kind === 'string' ? of.kind : (of.kind.kinds[String(row[of.kind.of])] ?? table);
    const projectId = projectOf(of, row, changesOf);
    const subject = of.keys.map((name) => row[name]).join('/');
    // No other part has a line break: kinds and ids of projects are the service's own.
    const id = `${table}\n${kind}\n${projectId}\n${subject}`;
    const known = subjects.get(id) ?? { of, kind, subject, projectId, rows: new Map() };
    subjects.set(id, known);
    const rowId = of.pair ? String(row[of.pair.name]) : '';
    const earlier = known.rows.get(rowId);
    known.rows.set(rowId, { before: earlier ? earlier.before : before, after });
  }
  return [...subjects.values()].flatMap((subject) => {
    const change = subject.of.pair ? pairsOf(subject, subject.of.pair.value) : changeOf(subject);
    return change ? [toEntry(subject, change, changesOf)] : [];
  });
}

function projectOf(of: AuditedTable, row: Row, { projectOfClient }: ChangesOf): string | null {
  if (of.table === 'projects') return String(row.id);
  if (of.project !== undefined) return String(row[of.project]);
  return of.parent === undefined ? null : (projectOfClient.get(row[of.parent]) ?? null);
}

interface Change {
  readonly action: AuditEntryRow['action'];
  readonly before: Row | null;
  readonly after: Row | null;
}

/** The rows of a subject as fields that have changed, where null stands for none. */
function pairsOf({ rows }: Subject, value: string): Change | undefined {
  const pairValue = (row: Row | null): unknown => (row ? row[value] : null);
  const changed = [...rows].filter(([, { before, after }]) => pairValue(before) !== pairValue(after));
  if (changed.length === 0) return undefined;
  return {
    action: 'changed',
    before: Object.fromEntries(changed.map(([name, { before }]) => [name, pairValue(before)])),
    after: Object.fromEntries(changed.map(([name, { after }]) => [name, pairValue(after)])),
  };
}

function changeOf({ of, rows }: Subject): Change | undefined {
  const [row] = rows.values();
  const before = row?.before && !isNothing(of, row.before) ? row.before : null;
  const after = row?.after && !isNothing(of, row.after) ? row.after : null;
  if (before === null) {
    if (after === null) return undefined;
    return { action: 'created', before: null, after: fieldsOf(of, after, of.fields, { isNew: false }) };
  }
  if (of.onlyCreated) return undefined;
  if (after === null) {
    return { action: 'deleted', before: fieldsOf(of, before, of.fields, { isNew: false }), after: null };
  }
  const changed = of.fields.filter((name) => !isSame(before[name], after[name]));
  if (changed.length === 0) return undefined;
  return {
    action: 'changed',
    before: fieldsOf(of, before, changed, { isNew: false }),
    after: fieldsOf(of, after, changed, { isNew: true }),
  };
}

/** Both dialects write a row's values alike, but not the spaces of its JSON. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other));

const isNothing = ({ ends, trials }: AuditedTable, row: Row): boolean =>
  ends.some((name) => row[name] !== null) || trials.some((name) => row[name] === 1);

const fieldsOf = (of: AuditedTable, row: Row, names: readonly string[], { isNew }: { isNew: boolean }): Row =>
  Object.fromEntries(
    names.flatMap((name) =>
      of.columns.get(name) === 'fields' ? listFields(row[name]) : [[name, toField(of, name, row[name], isNew)]],
    ),
  );

/** The fields of JSON that has the service's own names, by those of the API; without those that are null. */
function listFields(text: unknown): (readonly [string, unknown])[] {
  const fields = typeof text === 'string' ? Object.entries(Object(toApiNames(parseJson(text)))) : [];
  return fields.filter(([, value]) => value !== null);
}

function toApiNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toApiNames);
  if (typeof value !== 'object' || value === null) return value;
  const toApiName = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [toApiName(name), toApiNames(field)]));
}

function toField(of: AuditedTable, name: string, value: unknown, isNew: boolean): unknown {
  if (value === null || value === undefined) return null;
  switch (of.columns.get(name)) {
    case 'secret':
      return isNew ? 'another secret' : 'secret';
    case 'flag':
      return value === 1;
    case 'amount':
      return Number(value);
    case 'time':
      return toTime(Number(value));
    case 'json':
      return parseJson(String(value));
    default:
      return value;
  }
}

/** An entry's fields have this much text at most, in characters; beyond it long ones only say how long they are. */
const mostText = 16_384;
const mostTextOfField = 1_000;

/** The fields as JSON. Nothing of a long field is kept, since an erasure finds no name in a part of it. */
function boundFields(fields: Row | null): string | null {
  if (fields === null) return null;
  const text = JSON.stringify(fields);
  if (text.length <= mostText) return text;
  const bounded = Object.entries(fields).map(([name, value]) => {
    const { length } = JSON.stringify(value);
    return [name, length <= mostTextOfField ? value : `(${length} characters)`];
  });
  return JSON.stringify(Object.fromEntries(bounded));
}

const toEntry = (
  { of, kind, subject, projectId }: Subject,
  { action, before, after }: Change,
  { actor, at, emailOfMember }: ChangesOf,
): AuditEntryRow => ({
  id: newId('aud'),
  // Projects are made and deleted for the whole service, whose log outlives them.
  project_id: of.table === 'projects' && action !== 'changed' ? null : projectId,
  at,
  actor_kind: actor.kind,
  actor_id: actor.id ?? null,
  actor_name: actor.name ?? null,
  address: actor.address ?? null,
  request: actor.request ?? null,
  action,
  kind,
  subject,
  subject_name: of.isOfMember ? (emailOfMember.get(subject) ?? null) : null,
  before: boundFields(before),
  after: boundFields(after),
});
