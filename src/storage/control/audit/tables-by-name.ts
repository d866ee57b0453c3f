import { type AuditedColumn, auditedTables } from './audited-tables.ts';

export interface AuditedTable {
  readonly table: string;
  readonly kind: string | { readonly of: string; readonly kinds: Readonly<Record<string, string>> };
  readonly onlyCreated: boolean;
  readonly columns: ReadonlyMap<string, AuditedColumn>;
}

/** The tables that the audit log has entries of, by name. */
export const tablesByName: ReadonlyMap<string, AuditedTable> = new Map(
  Object.entries(auditedTables).flatMap(([table, declared]) => {
    if (typeof declared === 'string') return [];
    const columns = new Map<string, AuditedColumn>(Object.entries(declared.columns));
    return [[table, { table, kind: declared.kind, onlyCreated: 'onlyCreated' in declared, columns }]];
  }),
);

/** The kinds of entries, in the order of the alphabet. */
export const auditKinds: readonly string[] = [
  ...new Set([
    'copy',
    ...[...tablesByName.values()].flatMap(({ kind }) => (typeof kind === 'string' ? kind : Object.values(kind.kinds))),
  ]),
].sort();

/** The columns whose changes may make an entry. */
export const listStatedColumns = ({ columns, onlyCreated }: AuditedTable): readonly string[] =>
  onlyCreated ? [] : [...columns].flatMap(([name, column]) => (isStated(column) ? [name] : []));

const unstated: ReadonlySet<AuditedColumn> = new Set(['hidden', 'project', 'parent', 'key', 'member', 'pair_name']);

const isStated = (column: AuditedColumn): boolean => !unstated.has(column);

/** The columns that make up the subject of an entry. */
export const isKey = (column: AuditedColumn): boolean => column === 'key' || column === 'member';
