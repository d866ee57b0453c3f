import { randomInt } from 'node:crypto';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { Lease } from '../../storage/control/lease.ts';
import type { EventKey } from '../merging/merge.ts';
import type { Select } from '../merging/sql.ts';
import { type Key, type KeyRow, type Kind, keyColumns, kinds, type LastOfKind, reachMs, selectLast } from './keys.ts';

type KeyOfProject = Key & Pick<EventKey, 'projectId'>;

/**
 * The table `report_keys`, which the holder of the lease writes. It remembers the keys that it has noted since it has
 * the lease, so that most keys need not be sought: most requests are reported once, or in one batch.
 */
export class ReportKeys {
  readonly #store: Pick<AnalyticStore, 'insertRows'>;
  readonly #lease: Pick<Lease, 'epoch'>;
  /** How many keys of a kind are remembered at least; at most twice as many. */
  readonly #most: number;
  #noted: NotedKeys;

  constructor(store: Pick<AnalyticStore, 'insertRows'>, lease: Pick<Lease, 'epoch'>, most = 100_000) {
    this.#store = store;
    this.#lease = lease;
    this.#most = most;
    this.#noted = new NotedKeys(lease.epoch, most);
  }

  /** Records what reports share, so that later reports of their requests are found. */
  async note(rows: readonly KeyRow[]): Promise<void> {
    if (rows.length === 0) return;
    this.#current().add(rows);
    // As the table has them: texts that repeat are encoded once.
    const inOrder = [...Map.groupBy(rows, ({ kind }) => kind).values()].flat();
    await this.#store.insertRows('report_keys', keyColumns, inOrder);
  }

  /** Those of these keys that a report in the table may have at about their times. */
  async mayHave<Sought extends KeyOfProject>(select: Select, keys: readonly Sought[]): Promise<readonly Sought[]> {
    const noted = this.#current();
    if (keys.length === 0 || noted.epoch === undefined) return keys;
    await noted.readLast(select, keys);
    return keys.filter((key) => noted.mayHave(key));
  }

  /** What was noted since this process has the lease. Another holder may have noted others before. */
  #current(): NotedKeys {
    const { epoch } = this.#lease;
    if (this.#noted.epoch !== epoch) this.#noted = new NotedKeys(epoch, this.#most);
    return this.#noted;
  }
}

/** The keys that were noted in one time of holding the lease: all that are in the table from a time on, and perhaps more. */
class NotedKeys {
  readonly epoch: number | undefined;
  readonly #ofKinds: ReadonlyMap<Kind, NotedOfKind>;
  #underWay: Promise<void> | undefined;

  constructor(epoch: number | undefined, most: number) {
    this.epoch = epoch;
    this.#ofKinds = new Map(kinds.map((kind) => [kind, new NotedOfKind(kind, most)]));
  }

  add(rows: readonly KeyRow[]): void {
    for (const row of rows) this.#ofKinds.get(row.kind)?.add(row);
  }

  mayHave(key: KeyOfProject): boolean {
    return this.#ofKinds.get(key.kind)?.mayHave(key) ?? true;
  }

  /** Reads, once, up to when the table has keys that were noted before. Of keys long before these, it need not know. */
  async readLast(select: Select, keys: readonly Key[]): Promise<void> {
    this.#underWay ??= this.#readLast(select, keys);
    try {
      await this.#underWay;
    } catch (error) {
      this.#underWay = undefined;
      throw error;
    }
  }

  async #readLast(select: Select, keys: readonly Key[]): Promise<void> {
    const firstMs = keys.reduce((first, { startMs }) => Math.min(first, startMs), Number.POSITIVE_INFINITY);
    const { clause, sinceMs } = selectLast(firstMs);
    const last = new Map((await select<LastOfKind>(clause)).map(({ kind, endMs }) => [kind, endMs]));
    for (const [kind, noted] of this.#ofKinds) noted.knowFrom(Math.max(sinceMs, (last.get(kind) ?? 0) + 1));
  }
}

/** The keys of one kind. Of likeness it remembers the emitters of each project, since reports of one are never alike. */
class NotedOfKind {
  readonly #kind: Kind;
  readonly #most: number;
  /** All keys of reports that ended at these times or later are remembered. */
  #readFromMs = Number.POSITIVE_INFINITY;
  #keptFromMs = 0;
  #recent = new Remembered();
  #older = new Remembered();

  constructor(kind: Kind, most: number) {
    this.#kind = kind;
    this.#most = most;
  }

  knowFrom(ms: number): void {
    this.#readFromMs = ms;
  }

  add(key: KeyRow): void {
    if (this.#recent.keys === this.#most) {
      this.#keptFromMs = Math.max(this.#keptFromMs, this.#older.lastMs + 1);
      this.#older = this.#recent;
      this.#recent = new Remembered();
    }
    const [name, value] = this.#entryOf(key);
    this.#recent.add(name, value, key.endMs);
  }

  mayHave(key: KeyOfProject): boolean {
    const fromMs = key.startMs - reachMs[this.#kind];
    if (fromMs < this.#readFromMs || fromMs < this.#keptFromMs) return true;
    const [name, value] = this.#entryOf(key);
    const isOther = this.#kind === 'likeness';
    return [this.#recent, this.#older].some((remembered) => remembered.has(name, value, isOther));
  }

  #entryOf({ projectId, scope, key }: KeyOfProject): readonly [Part, Part] {
    return this.#kind === 'likeness' ? [projectId, scope] : hashesOf(key);
  }
}

type Part = string | number;

/** In place of a value: a name has several. */
const several = Symbol('several');

class Remembered {
  readonly #values = new Map<Part, Part | typeof several>();
  keys = 0;
  lastMs = 0;

  add(name: Part, value: Part, endMs: number): void {
    const known = this.#values.get(name);
    if (known === undefined) this.#values.set(name, value);
    else if (known !== value) this.#values.set(name, several);
    this.keys += 1;
    this.lastMs = Math.max(this.lastMs, endMs);
  }

  /** Whether a name may have this value, or another one. */
  has(name: Part, value: Part, isOther: boolean): boolean {
    const known = this.#values.get(name);
    return known !== undefined && (known === several || (known === value) !== isOther);
  }
}

/** Nobody can choose keys that a map of numbers has in one place. */
const seed = randomInt(2 ** 32);

/** Two hashes of a UUID, numbers that V8 holds without an object. UUIDs with both alike are sought in vain. */
function hashesOf(uuid: string): readonly [number, number] {
  let [first, second] = [seed, ~seed];
  for (let at = 0; at < uuid.length; at += 1) {
    const code = uuid.charCodeAt(at);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x85ebca6b);
    second ^= second >>> 15;
  }
  return [first >>> 2, second >>> 2];
}
