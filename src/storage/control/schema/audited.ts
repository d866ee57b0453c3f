/**
 * What the audit log has of a column:
 * - `project`: the project of the entry; `parent`: the client whose project it is
 * - `key`: a part of the subject
 * - `member`: the subject, which is the id of a member; the e-mail address names it
 * - `text`, `amount`, `flag`, `time`, `json`: a field of `before` and `after`, as the API writes it
 * - `fields`: JSON in the service's own names, of which each field is one of `before` and `after`
 * - `pair_name`, `pair_value`: one field by row, as of tags
 * - `secret`: that it was set or changed, never its value
 * - `end`: the row counts as deleted once it has a value
 * - `trial`: the row changes nothing, and has no entry, where it is set
 * - `hidden`: nothing, because it is no statement of anybody, or names what may be erased
 */
export type AuditedColumn =
  | ('project' | 'parent' | 'key' | 'member' | 'text' | 'amount' | 'flag' | 'time' | 'json' | 'fields')
  | ('pair_name' | 'pair_value' | 'secret' | 'end' | 'trial' | 'hidden');

/** A column of an audited table: its type in rows, and what the audit log has of it. */
interface Column<Type> {
  readonly audited: AuditedColumn;
  /** Never set: it carries the type. */
  readonly inRows?: Type;
}

export const column = <Type>(audited: AuditedColumn): Column<Type> => ({ audited });

type Columns = Readonly<Record<string, Column<unknown>>>;

/** The kind of a table's entries. `of` names the column that tells kinds apart. */
export type EntryKind<Name = string> = string | { readonly of: Name; readonly kinds: Readonly<Record<string, string>> };

interface Audited<Of extends Columns> {
  readonly kind: EntryKind<keyof Of & string>;
  readonly columns: Of;
  readonly onlyCreated: boolean;
}

/** A table of the audit log. */
export const audited = <Of extends Columns>(kind: EntryKind<keyof Of & string>, columns: Of): Audited<Of> => ({
  ...{ kind, columns },
  onlyCreated: false,
});

/** The same, where jobs make the later changes, which carry out the request, or clean up. */
export const auditedOnCreation: typeof audited = (kind, columns) => ({ ...audited(kind, columns), onlyCreated: true });

type TypeOf<Of> = Of extends Column<infer Type> ? Type : never;

export type RowsOf<Tables> = {
  [Table in keyof Tables]: Tables[Table] extends Audited<infer Of>
    ? { -readonly [Name in keyof Of]: TypeOf<Of[Name]> }
    : never;
};
