import { type AuditedColumn, auditedTables } from './audited-tables.ts';

export interface AuditedTable {
  readonly table: string;
  readonly kind: string | { readonly of: string; readonly kinds: Readonly<Record<string, string>> };
  readonly onlyCreated: boolean;
  readonly columns: ReadonlyMap<string, AuditedColumn>;
  /** The columns by what they are, because a transaction may change a hundred thousand rows. */
  readonly keys: readonly string[];
  readonly ends: readonly string[];
  readonly trials: readonly string[];
  readonly fields: readonly string[];
  readonly project: string | undefined;
  readonly parent: string | undefined;
  readonly pair: { readonly name: string; readonly value: string } | undefined;
  readonly isOfMember: boolean;
}

const unshown: ReadonlySet<AuditedColumn> = new Set(['project', 'key', 'member', 'hidden', 'end', 'trial']);

/** The tables that the audit log has entries of, by name. */
export const tablesByName: ReadonlyMap<string, AuditedTable> = new Map(
  Object.entries(auditedTables).flatMap(([table, declared]) => {
    if (typeof declared === 'string') return [];
    const columns = new Map<string, AuditedColumn>(Object.entries(declared.columns));
    const named = (...wanted: readonly AuditedColumn[]) =>
      [...columns].flatMap(([name, column]) => (wanted.includes(column) ? [name] : []));
    const [project] = named('project');
    const [parent] = named('parent');
    const [name] = named('pair_name');
    const [value] = named('pair_value');
    const audited: AuditedTable = {
      ...{ table, kind: declared.kind, onlyCreated: 'onlyCreated' in declared, columns, project, parent },
      keys: named('key', 'member'),
      ends: named('end'),
      trials: named('trial'),
      fields: [...columns.keys()].filter((column) => !unshown.has(columns.get(column) ?? 'hidden')),
      pair: name !== undefined && value !== undefined ? { name, value } : undefined,
      isOfMember: named('member').length > 0,
    };
    return [[table, audited]];
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
