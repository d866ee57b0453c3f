import { sql } from 'kysely';
import { parseJson } from '../../lib/json.ts';
import type { AuditEntryRow } from '../../storage/control/audit/entry-row.ts';
import type { ControlQueries } from '../../storage/control/control-store.ts';

/** Entries read at once. */
const sliceRows = 500;

/**
 * Takes an erased name out of a project's entries, in the caller's transaction. An entry about the customer or user keeps
 * who, when and what kind of change it was, and loses its subject and its fields, which may say more, such as an id of the
 * customer's. Of other entries, the name is emptied where customers or users are named, and each free text with it, such
 * as a note.
 */
export async function eraseFromAudit(transaction: ControlQueries, projectId: string, name: string): Promise<void> {
  // As JSON writes it: fields are JSON, and a name may have quotes.
  const needle = JSON.stringify(name).slice(1, -1);
  for (let after = ''; ; ) {
    const rows = await transaction
      .selectFrom('audit_entries')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('id', '>', after)
      .where(namesIt(name, needle))
      .orderBy('id')
      .limit(sliceRows)
      .execute();
    for (const row of rows) {
      const erased = withoutName(row, name);
      if (erased) await transaction.updateTable('audit_entries').set(erased).where('id', '=', row.id).execute();
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < sliceRows) return;
    after = last.id;
  }
}

/** Finds more than it should, such as names that only begin so: `withoutName` looks closer. */
const namesIt = (name: string, needle: string) => {
  const has = (column: string, text: string) =>
    sql<boolean>`replace(coalesce(${sql.ref(column)}, ''), ${text}, '') <> coalesce(${sql.ref(column)}, '')`;
  return sql<boolean>`(${sql.join(
    [has('subject', name), has('actor_name', name), has('before', needle), has('after', needle)],
    sql` or `,
  )})`;
};

type Erased = Pick<AuditEntryRow, 'kind' | 'subject' | 'actor_name' | 'before' | 'after'>;

/** What the entry has instead; undefined if the name is not in it. */
function withoutName(row: Erased, name: string): Omit<Erased, 'kind'> | undefined {
  const isName = (text: string): boolean => text === name;
  // Tags name other customers, not customers by their values.
  const isNamed = ['customer_tags', 'user_tags'].includes(row.kind) ? isName : (text: string) => hasWord(text, name);
  const [before, after] = [row.before, row.after].map((text) => (text === null ? null : parseJson(text)));
  const owners = [before, after].map((fields) => Object(fields).customer);
  const actor_name = row.actor_name !== null && hasWord(row.actor_name, name) ? null : row.actor_name;
  if (isNamed(row.subject) || owners.includes(name)) return { subject: '', actor_name, before: null, after: null };
  const emptied = [before, after].map((fields) => emptyTexts(fields, { isName, isNamed }));
  const [kept, left] = emptied.map((fields) => (fields === null ? null : JSON.stringify(fields)));
  const erased = { subject: row.subject, actor_name, before: kept ?? null, after: left ?? null };
  const isSame = actor_name === row.actor_name && erased.before === row.before && erased.after === row.after;
  return isSame ? undefined : erased;
}

interface Erasing {
  readonly isName: (text: string) => boolean;
  readonly isNamed: (text: string) => boolean;
}

/** Fields whose text is a name. So is each text of a list. */
const namingFields: ReadonlySet<string> = new Set(['customer', 'user', 'stripe_customer']);

/** The value without the texts that are, or have, the name. */
function emptyTexts(value: unknown, erasing: Erasing, isNaming = false): unknown {
  const { isName, isNamed } = erasing;
  if (typeof value === 'string') return (isNaming ? isName : isNamed)(value) ? '' : value;
  if (Array.isArray(value)) return value.map((one) => emptyTexts(one, erasing, true));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, field]) => [
    isName(key) ? '' : key,
    emptyTexts(field, erasing, namingFields.has(key)),
  ]);
  return Object.fromEntries(fields);
}

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
