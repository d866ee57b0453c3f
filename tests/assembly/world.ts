// The stores that assembly works on, for tests: a real engine, a control store of either kind, and a project with three
// price books, so that a call costed by the wrong book shows.

import { afterAll, beforeEach } from 'vitest';
import { Projects } from '../../src/accounts/projects.ts';
import { readEarned } from '../../src/billing/revenue/earned.ts';
import { type BatchOptions, readBatch, writeBatch } from '../../src/calls/assembly/batch.ts';
import { registerWriter } from '../../src/calls/assembly/watermarks.ts';
import { callTags } from '../../src/calls/costing/call-tags.ts';
import { type EventColumns, readEvent } from '../../src/calls/events/event.ts';
import { type EventRow, eventColumns } from '../../src/calls/events/event-columns.ts';
import { ReportKeys } from '../../src/calls/joins/report-keys.ts';
import type { RebuilderOptions } from '../../src/calls/rebuild/rebuilder.ts';
import { TouchedDays } from '../../src/calls/touched-days.ts';
import { newId } from '../../src/lib/ids.ts';
import { PriceBooks } from '../../src/pricing/books/price-books.ts';
import { type ControlStore, openControlStore } from '../../src/storage/control/control-store.ts';
import { Lease } from '../../src/storage/control/lease.ts';
import { picos } from '../support/decimal.ts';
import { createDatabase } from '../support/postgres.ts';
import { type EngineStore, startEngineStore } from '../support/stores.ts';
import { type Json, type LoggedEvent, type ModelBook, type ModelCall, modelCalls } from './model.ts';

export const hour = 3_600_000;
export const minute = 60_000;
/** Where the tests' logs begin: two days before a month ends. */
export const base = Date.UTC(2026, 0, 29, 20);
/** Its days begin at 05:00 UTC. */
export const timezone = 'America/New_York';

export interface World extends EngineStore {
  readonly control: ControlStore;
  readonly postgresUrl: string | undefined;
  readonly projects: Projects;
  readonly priceBooks: PriceBooks;
  readonly projectId: string;
  readonly books: readonly ModelBook[];
  /** The time of these stores; tests move it. */
  readonly clock: { now: number };
}

/** Replaces the previous world: the new one begins at the same time, and has the same lease and writers. */
export async function openNextWorld(engineStore: EngineStore, before: World | undefined): Promise<World> {
  await before?.close();
  const world = await openWorld(engineStore);
  await forgetWriters(world);
  await world.control.updateTable('lease').set({ expires_at: 0 }).execute();
  return world;
}

/** Opens a control store for the engine, on a database of its own when a PostgreSQL server is given. */
export async function openWorld(engineStore: EngineStore, postgresServerUrl?: string): Promise<World> {
  const postgresUrl = postgresServerUrl && (await createDatabase(postgresServerUrl));
  const control = await openControlStore({
    dataDir: engineStore.dataDir,
    postgresUrl,
    onError: () => undefined,
  });
  const clock = { now: base - 400 * 24 * hour };
  const projects = new Projects(control, () => clock.now);
  const priceBooks = new PriceBooks(control, () => clock.now);
  const fields = { name: 'Test', type: 'revenue', timezone, atRiskBelowPct: null } as const;
  // Its books are those of the prices below.
  const withoutBook: Parameters<Projects['create']>[1] = { activateForNew: async (_id, insert) => insert(control) };
  const { id: projectId } = await projects.create(fields, withoutBook);

  const prices: Record<string, { input: bigint; output: bigint }> = {};
  const tables: ModelBook['prices'][] = [];
  const addPrice = async (at: number, model: string, inputPerMtok: string, outputPerMtok: string) => {
    clock.now = at;
    const unset = {
      cacheReadPerMtok: null,
      cacheWritePerMtok: null,
      inputAudioPerMtok: null,
      outputAudioPerMtok: null,
    };
    await priceBooks.add(projectId, {
      ...unset,
      reasoningPerMtok: null,
      perRequest: null,
      provider: null,
      terms: {},
      units: {},
      effectiveFrom: null,
      effectiveTo: null,
      model,
      inputPerMtok,
      outputPerMtok,
    });
    prices[model] = { input: picos(inputPerMtok) / 1_000_000n, output: picos(outputPerMtok) / 1_000_000n };
    tables.push({ ...prices });
  };
  await addPrice(clock.now, 'm-alpha', '1.25', '10');
  await addPrice(clock.now + hour, 'm-beta', '0.3', '2.5');
  await addPrice(base + 36 * hour, 'm-alpha', '2.000001', '20.5');
  const rows = await control.selectFrom('price_books').selectAll().orderBy('activated_at').execute();
  const books = rows
    .filter((row) => row.project_id === projectId)
    .map((row, index) => ({ id: row.id, activatedAt: row.activated_at, prices: tables[index] ?? {} }));

  return {
    ...engineStore,
    control,
    postgresUrl,
    projects,
    priceBooks,
    projectId,
    books,
    clock,
    close: async () => {
      await control.destroy();
    },
  };
}

/** An engine for all tests of a file, removed when they have run. */
export async function startEngineOfFile(): Promise<EngineStore> {
  const engine = await startEngineStore();
  afterAll(engine.close);
  return engine;
}

/** An engine for all tests of a file, and a world of its own for each, given to `onOpen`. */
export async function openWorldForEachTest(onOpen: (world: World) => void | Promise<void>): Promise<void> {
  const engine = await startEngineOfFile();
  let world: World | undefined;
  beforeEach(async () => {
    world = await openNextWorld(engine, world);
    await onOpen(world);
  });
  afterAll(async () => {
    await world?.close();
  });
}

/** An engine, and one world on it, for all tests of a file. */
export async function openWorldOfFile(): Promise<World> {
  const world = await openWorld(await startEngineOfFile());
  afterAll(world.close);
  return world;
}

/** A process start that stores events: it gives its events their sequences. */
export class Writer {
  readonly id: string;
  #seq = 0;
  #lastAt = 0;

  constructor(id: string = newId('wrt')) {
    this.id = id;
  }

  /** Receives an event at a time, which never runs backwards within one writer. */
  receive(receivedAt: number, event: Json): LoggedEvent {
    if (receivedAt < this.#lastAt) throw new Error('a writer receives in the order of time');
    this.#lastAt = receivedAt;
    this.#seq += 1;
    return { writer: this.id, seq: this.#seq, receivedAt, event };
  }
}

/** What an earlier release may have understood of an event. */
export type Understanding = (columns: EventColumns) => EventColumns;
const ofNow: Understanding = (columns) => columns;

/** Stores events as the intake would: each writer's in their order, one month an INSERT. */
export async function deliver(world: World, events: readonly LoggedEvent[], understanding = ofNow): Promise<void> {
  const { projectId } = world;
  await deliverOf(
    world,
    events.map((logged) => ({ projectId, logged })),
    understanding,
  );
}

/** Stores events of several projects, as the intake does. */
export async function deliverOf(
  { store, control }: World,
  events: readonly { readonly projectId: string; readonly logged: LoggedEvent }[],
  understanding = ofNow,
): Promise<void> {
  const known = new Set((await control.selectFrom('writers').select('id').execute()).map(({ id }) => id));
  const byWriter = Map.groupBy(
    events.map(({ logged }) => logged),
    ({ writer }) => writer,
  );
  for (const [writer, ofWriter] of byWriter) {
    if (known.has(writer)) continue;
    // A writer is there before it receives anything.
    await registerWriter(
      control,
      writer,
      ofWriter.reduce((since, { receivedAt }) => Math.min(since, receivedAt), base),
    );
  }
  // The log can't tell whether writers share an INSERT; each costs more than its rows.
  for (const ofMonth of Map.groupBy(events, ({ logged }) => monthOf(logged.receivedAt)).values()) {
    const rows = ofMonth.map(({ projectId, logged }) => toRow(projectId, logged, understanding));
    await store.insertRows('events', eventColumns, rows);
  }
}

const monthOf = (time: number): string => new Date(time).toISOString().slice(0, 7);

/** The row that stores an event. */
export function toRow(
  projectId: string,
  { writer, seq, receivedAt, event }: LoggedEvent,
  understanding = ofNow,
): EventRow {
  const reading = readEvent(event, receivedAt, { maxTags: 100 });
  if (!reading.ok) throw new Error(`not an event: ${JSON.stringify(reading.faults)}`);
  const columns = understanding(reading.columns);
  return {
    ...{ writer, seq, receivedAtMs: receivedAt },
    event: { projectId, clientId: 'cl_test', columns, text: Buffer.from(JSON.stringify(event)) },
  };
}

export type AssemblerSettings = Partial<
  Pick<BatchOptions, 'store' | 'maxEvents' | 'fresh' | 'afterStep' | 'afterCopyStep'>
> & {
  /** Whether the next batch is read while one is written. */
  readonly readsAhead?: boolean;
};

/** An assembler of its own, with a lease that it does not hold yet. */
export function makeAssembler(world: World, settings: AssemblerSettings = {}): BatchOptions {
  const { store, control, projects, priceBooks, clock } = world;
  const lease = new Lease({ control, clock: () => clock.now, holder: newId('wrt'), exclusive: false });
  const touchedDays = new TouchedDays(control, () => clock.now);
  const reportKeys = new ReportKeys(settings.store ?? store, lease);
  return { store, control, projects, priceBooks, lease, touchedDays, reportKeys, maxEvents: 20_000, ...settings };
}

/** The logger of a test that reads no log. */
const quiet = () => undefined;
export const quietLogger = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** How a rebuilder reads revenue. */
export const readsRevenue = ({ control }: Pick<BatchOptions, 'control'>): Pick<RebuilderOptions, 'readEarned'> => ({
  readEarned: (projectId, days) => readEarned(control, projectId, days),
});

/** What the jobs of a process that holds the lease work with. */
export async function takeLease(world: World, settings: AssemblerSettings = {}): Promise<BatchOptions> {
  const options = makeAssembler(world, settings);
  outliveLease(world);
  if (!(await options.lease.acquire())) throw new Error('the lease has run out and still can not be taken');
  return options;
}

/** Lets the holder's lease run out. */
export function outliveLease({ clock }: World): void {
  clock.now += 10_000;
}

/** A fresh assembler takes over and works until nothing is left. Returns the number of batches. */
export async function assembleAll(world: World, settings: AssemblerSettings = {}): Promise<number> {
  const options = await takeLease(world, settings);
  let batches = 0;
  let read = await readBatch(options);
  while (read.slice.length > 0) {
    const ahead = settings.readsAhead && read.isFull ? readBatch(options, read) : undefined;
    await writeBatch(options, read);
    batches += 1;
    if (!read.isFull) break;
    read = await (ahead ?? readBatch(options));
  }
  await options.lease.release();
  return batches;
}

/** Takes all writers off the vector, so that a test begins with none. */
export async function forgetWriters({ control }: World): Promise<void> {
  await control.deleteFrom('writers').execute();
}

/** The calls of these ids on any day, as an answer reads them. */
export async function readCalls({ store, projectId }: World, ids: readonly string[]): Promise<ModelCall[]> {
  const rows = await store.select<Omit<ModelCall, 'time' | 'firstReceivedAt' | 'input' | 'output' | 'cost'> & Numbers>(
    `SELECT event_id AS eventId, ordinal, toString(day) AS day, toUnixTimestamp64Milli(time) AS time,
        toUnixTimestamp64Milli(first_received_at) AS firstReceivedAt, customer, user, feature, run, model, provider, ${callTags} AS tags,
        failed, elapsed_ms AS elapsedMs, input_tokens AS input, output_tokens AS output, cost, cost_source AS source, price_book AS book
      FROM calls FINAL
      WHERE project = {project:String} AND event_id IN {ids:Array(UUID)}
      ORDER BY toString(event_id), ordinal, day`,
    { project: projectId, ids: [...ids] },
  );
  return rows.map((row) => ({
    ...row,
    time: Number(row.time),
    firstReceivedAt: Number(row.firstReceivedAt),
    input: Number(row.input),
    output: Number(row.output),
    cost: picos(row.cost).toString(),
  }));
}

/** The columns that come as text. */
interface Numbers {
  readonly time: string;
  readonly firstReceivedAt: string;
  readonly input: string;
  readonly output: string;
  readonly cost: string;
}

/** What must be in the calls of these events. */
export function expectedCalls(world: World, log: readonly LoggedEvent[]): ModelCall[] {
  return modelCalls(log, { timezone, books: world.books });
}

export const idsOf = (log: readonly LoggedEvent[]): string[] => [
  ...new Set(log.map(({ event }) => String(event.event_id).toLowerCase())),
];

export const newEventId = (): string => crypto.randomUUID();

/** A time as an event says it. */
export const at = (time: number): string => new Date(time).toISOString();
