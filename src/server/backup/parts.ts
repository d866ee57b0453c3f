import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import { allTime, type CopyScope, type KeptTable, keptTable, keptTables, type TimeSpan } from './kept-tables.ts';

/** A part of a backup: rows of one table and one month that fit into one request and one INSERT. */
export interface BackupPart extends TimeSpan {
  readonly table: string;
  readonly rows: number;
  /** XOR of the hashes of its rows' identities, in whatever order: a whole number below 2^64 as text. */
  readonly fingerprint: string;
}

export type PartContent = Pick<BackupPart, 'rows' | 'fingerprint'>;

export const isSameContent = (a: PartContent, b: PartContent): boolean =>
  a.rows === b.rows && a.fingerprint === b.fingerprint;

/** The maximum size of a part, in bytes before compression. A single second of intake may exceed it. */
const maxPartBytes = 48 * 1_048_576;
/** The time limit of a statement over a whole table, in milliseconds. */
const withinMs = 600_000;
const secondsAnHour = 3_600;

/** A group of rows that is not split further. */
interface Slot extends TimeSpan {
  readonly rows: number;
  readonly bytes: number;
  readonly fingerprint: bigint;
}

/** Every part of a backup, ordered by table and time. */
export async function listParts(store: AnalyticStore, scope: CopyScope): Promise<BackupPart[]> {
  const parts: BackupPart[] = [];
  for (const table of keptTables) {
    if (table.isNeeded?.(scope) === false) continue;
    if (table.second === undefined) {
      const content = await readContent(store, { table: table.name, ...allTime }, scope);
      if (content.rows > 0) parts.push({ table: table.name, ...allTime, ...content });
    } else {
      for (const month of await listMonths(store, table)) {
        const slots = await listSlots(store, table, scope, month, secondsAnHour);
        parts.push(...packSlots(slots).map((slot) => ({ table: table.name, ...slot })));
      }
    }
  }
  return parts;
}

/** The rows and the fingerprint of a part, as the store has it now. */
export async function readContent(
  store: AnalyticStore,
  { table: name, from, to }: TimeSpan & { readonly table: string },
  scope: CopyScope,
): Promise<PartContent> {
  const table = keptTable(name);
  const where = whereOf(table, scope, { from, to });
  const [row] = await store.select<{ rows: string; fingerprint: string }>(
    `SELECT count() AS rows, groupBitXor(sipHash64(${table.identity})) AS fingerprint FROM ${table.source} WHERE ${where.sql}`,
    where.parameters,
    withinMs,
  );
  return { rows: Number(row?.rows ?? 0), fingerprint: row?.fingerprint ?? '0' };
}

export function selectPart({ table: name, from, to }: BackupPart, scope: CopyScope): Clause {
  const table = keptTable(name);
  const where = whereOf(table, scope, { from, to });
  const selected = table.selected?.(scope);
  const columns = table.columns.map((name) => (name === selected?.column ? selected.value.sql : name));
  return {
    sql: `SELECT ${columns.join(', ')} FROM ${table.source} WHERE ${where.sql}`,
    parameters: joinParameters(where.parameters, selected?.value.parameters),
  };
}

function whereOf(table: KeptTable, scope: CopyScope, span: TimeSpan): Clause {
  const [within, kept] = [table.within(span), table.kept(scope, span)];
  return { sql: `${within.sql} AND ${kept.sql}`, parameters: { ...within.parameters, ...kept.parameters } };
}

async function listMonths(store: AnalyticStore, { source, second }: KeptTable): Promise<TimeSpan[]> {
  const rows = await store.select<{ month: number }>(
    `SELECT DISTINCT toYYYYMM(toDateTime(${second}, 'UTC')) AS month FROM ${source} ORDER BY month`,
    {},
    withinMs,
  );
  return rows.map(({ month }) => {
    const [year, index] = [Math.floor(month / 100), (month % 100) - 1];
    return { from: Date.UTC(year, index) / 1_000, to: Date.UTC(year, index + 1) / 1_000 };
  });
}

/** The rows of a span in slots of `seconds`. A slot that is too large is split into single seconds. */
async function listSlots(
  store: AnalyticStore,
  table: KeptTable,
  scope: CopyScope,
  span: TimeSpan,
  seconds: number,
): Promise<Slot[]> {
  const where = whereOf(table, scope, span);
  const rows = await store.select<{ slot: string; rows: string; bytes: string; fingerprint: string }>(
    `SELECT intDiv(${table.second}, {seconds:UInt32}) AS slot, count() AS rows, sum(${table.bytes}) AS bytes,
        groupBitXor(sipHash64(${table.identity})) AS fingerprint
      FROM ${table.source} WHERE ${where.sql} GROUP BY slot ORDER BY slot`,
    { ...where.parameters, seconds },
    withinMs,
  );
  const slots: Slot[] = [];
  for (const row of rows) {
    const from = Number(row.slot) * seconds;
    const slot = {
      from,
      to: from + seconds,
      rows: Number(row.rows),
      bytes: Number(row.bytes),
      fingerprint: BigInt(row.fingerprint),
    };
    if (slot.bytes > maxPartBytes && seconds > 1) slots.push(...(await listSlots(store, table, scope, slot, 1)));
    else slots.push(slot);
  }
  return slots;
}

/** Joins neighbouring slots into parts of at most `maxPartBytes`. */
function packSlots(slots: readonly Slot[]): (TimeSpan & PartContent)[] {
  const packed: Slot[] = [];
  for (const slot of slots) {
    const last = packed.at(-1);
    if (last && last.bytes + slot.bytes <= maxPartBytes) {
      packed[packed.length - 1] = {
        from: last.from,
        to: slot.to,
        rows: last.rows + slot.rows,
        bytes: last.bytes + slot.bytes,
        fingerprint: last.fingerprint ^ slot.fingerprint,
      };
    } else {
      packed.push(slot);
    }
  }
  return packed.map(({ from, to, rows, fingerprint }) => ({ from, to, rows, fingerprint: String(fingerprint) }));
}
