import { parseJson } from '../../lib/json.ts';
import type { ControlQueries, ControlStore } from '../../storage/control/control-store.ts';
import type { AuditEntryRow } from '../../storage/control/schema/entry-row.ts';

/** Entries read at once. */
const sliceRows = 500;
/** Entries of transactions that were under way may be this much older than the newest that was read, in milliseconds. */
const overlapMs = 60_000;

/** Of the entries of a project, by time. */
interface Position {
  readonly at: number;
  readonly id: string;
}

/**
 * Takes an erased name out of a project's entries. An entry about the customer or user keeps who, when and what kind of
 * change it was, and loses its subject and its fields, which may say more, such as an id of the customer's. Of other
 * entries, the name is emptied where customers or users are named, and each free text with it, such as a note, in any
 * spelling. Each slice has a transaction, so that others write meanwhile. Returns from when on to look again at the end.
 */
export async function eraseFromAudit(control: ControlStore, projectId: string, name: string): Promise<number> {
  for (let after: Position = { at: 0, id: '' }; ; ) {
    const from = after;
    const next = await control
      .transaction()
      .execute(async (transaction) => await eraseSlice(transaction, { projectId, name, after: from }));
    if (next === undefined) return after.at - overlapMs;
    after = next;
  }
}

/** The same of the entries since a time, in the caller's transaction. */
export async function eraseFromLatest(
  transaction: ControlQueries,
  { projectId, name, since }: { readonly projectId: string; readonly name: string; readonly since: number },
): Promise<void> {
  let after: Position | undefined = { at: since, id: '' };
  while (after !== undefined) after = await eraseSlice(transaction, { projectId, name, after });
}

/** Returns the last entry of the slice; undefined where there is none. */
async function eraseSlice(
  transaction: ControlQueries,
  { projectId, name, after }: { readonly projectId: string; readonly name: string; readonly after: Position },
): Promise<Position | undefined> {
  const rows = await transaction
    .selectFrom('audit_entries')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('at', '>=', after.at)
    .where((row) => row.or([row('at', '>', after.at), row('id', '>', after.id)]))
    .orderBy('at')
    .orderBy('id')
    .limit(sliceRows)
    .execute();
  for (const row of rows) {
    const erased = withoutName(row, name);
    if (erased) await transaction.updateTable('audit_entries').set(erased).where('id', '=', row.id).execute();
  }
  return rows.at(-1);
}

type Erased = Pick<AuditEntryRow, 'kind' | 'subject' | 'subject_name' | 'actor_name' | 'before' | 'after'>;

/** What the entry has instead; undefined if the name is not in it. */
function withoutName(row: Erased, name: string): Omit<Erased, 'kind'> | undefined {
  const isName = (text: string): boolean => text === name;
  const spelled = fold(name);
  const isNamed = (text: string): boolean => hasName(text, spelled);
  const [before, after] = [row.before, row.after].map((text) => (text === null ? null : parseJson(text)));
  const isOfTags = ['customer_tags', 'user_tags'].includes(row.kind);
  const owners = isOfTags ? [] : [before, after].map((fields) => Object(fields).customer);
  const without = (text: string | null) => (text !== null && isNamed(text) ? null : text);
  const [actor_name, subject_name] = [without(row.actor_name), without(row.subject_name)];
  // The subject of tags is the name of a customer or user, and no text about others.
  if ((isOfTags ? isName : isNamed)(row.subject) || owners.includes(name))
    return { subject: '', subject_name, actor_name, before: null, after: null };
  const emptied = [before, after].map((fields) => emptyTexts(fields, { isName, isNamed, isOfTags }));
  const [kept, left] = emptied.map((fields) => (fields === null ? null : JSON.stringify(fields)));
  const erased = { subject: row.subject, subject_name, actor_name, before: kept ?? null, after: left ?? null };
  const isSame = Object.entries(erased).every(([column, text]) => row[column as keyof Erased] === text);
  return isSame ? undefined : erased;
}

interface Erasing {
  readonly isName: (text: string) => boolean;
  readonly isNamed: (text: string) => boolean;
  /** Whether the texts are values of tags, which may say anything. */
  readonly isOfTags: boolean;
}

/** Fields whose text is a name. So is each text of a list. */
const namingFields: ReadonlySet<string> = new Set(['customer', 'user', 'stripe_customer']);
/** Fields whose fields are tags, with lists of values. */
const tagFields: ReadonlySet<string> = new Set(['customer_tags', 'user_tags', 'tags']);

/** The value without the texts that are, or have, the name. */
function emptyTexts(value: unknown, erasing: Erasing, isNaming = false): unknown {
  const { isName, isNamed, isOfTags } = erasing;
  if (typeof value === 'string') return (isNaming && !isOfTags ? isName : isNamed)(value) ? '' : value;
  if (Array.isArray(value)) return value.map((one) => emptyTexts(one, erasing, true));
  if (typeof value !== 'object' || value === null) return value;
  // Keys are fields, or those of tags, such as "plan", which other customers carry too.
  const fields = Object.entries(value).map(([key, field]) => [
    key,
    emptyTexts(field, { ...erasing, isOfTags: isOfTags || tagFields.has(key) }, namingFields.has(key)),
  ]);
  return Object.fromEntries(fields);
}

/** Capitals and small letters alike, and characters that stand for the same, such as an accent of its own. */
const fold = (text: string): string => text.normalize('NFKC').toUpperCase().normalize('NFKC');

/** Whether a text has a folded name as a word in any spelling, also as in an address. */
function hasName(text: string, spelled: string): boolean {
  const spellings =
    text.includes('%') || text.includes('+') ? [text, decode(text), decode(text.replaceAll('+', ' '))] : [text];
  return spellings.some((one) => hasWord(fold(one), spelled));
}

/** What percent-encoding stands for, where it is of UTF-8. */
const decode = (text: string): string =>
  text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });

/**
 * Whether a text has the name, neither in the middle of a word nor of a number: an erased "a" is not in "plan". Scripts
 * without spaces have no such middle.
 */
function hasWord(text: string, name: string): boolean {
  const [begins, ends] = [isSpaceless(name, 0), isSpaceless(name, -1)];
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const [before, after] = [text.slice(Math.max(0, at - 2), at), text.slice(at + name.length).slice(0, 2)];
    if ((begins || !isLetter(before, -1)) && (ends || !isLetter(after, 0))) return true;
  }
  return false;
}

const isLetter = (text: string, at: 0 | -1): boolean =>
  /[\p{L}\p{M}\p{N}]/u.test([...text].at(at) ?? '') && !isSpaceless(text, at);

/** Whether the first or last character of a text is of a script that puts no spaces between words. */
const isSpaceless = (text: string, at: 0 | -1): boolean =>
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u.test([...text].at(at) ?? '');
