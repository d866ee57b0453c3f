import type { AuditedColumn, EntryKind } from '../schema/audited.ts';
import { auditedTables } from '../schema/schema.ts';

export interface AuditedTable {
  readonly table: string;
  readonly kind: EntryKind;
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
  Object.entries(auditedTables).map(([table, { kind, onlyCreated, columns: declared }]) => {
    const columns = new Map(Object.entries(declared).map(([name, { audited }]) => [name, audited]));
    const named = (...wanted: readonly AuditedColumn[]) =>
      [...columns].flatMap(([name, column]) => (wanted.includes(column) ? [name] : []));
    const [project] = named('project');
    const [parent] = named('parent');
    const [name] = named('pair_name');
    const [value] = named('pair_value');
    const audited: AuditedTable = {
      ...{ table, kind, onlyCreated, columns, project, parent },
      keys: named('key', 'member'),
      ends: named('end'),
      trials: named('trial'),
      fields: [...columns.keys()].filter((column) => !unshown.has(columns.get(column) ?? 'hidden')),
      pair: name !== undefined && value !== undefined ? { name, value } : undefined,
      isOfMember: named('member').length > 0,
    };
    return [table, audited];
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
