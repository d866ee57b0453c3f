// The stores without the service around them, each set in a folder of its own, for tests of what works on them.
import { rm } from 'node:fs/promises';
import { AnalyticStore } from '../../src/clickhouse/analytic-store.ts';
import { type EmbeddedEngine, startEmbeddedEngine } from '../../src/clickhouse/embedded/engine.ts';
import { type ControlStore, openControlStore } from '../../src/control/control-store.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { PriceBooks } from '../../src/pricing/price-books.ts';
import { Projects } from '../../src/projects/projects.ts';
import { makeDataDir } from './service.ts';

const ignore = () => undefined;

/** An embedded engine with its tables made. */
export interface EngineStore {
  readonly dataDir: string;
  readonly engine: EmbeddedEngine;
  readonly store: AnalyticStore;
  /** Stops the engine and removes its folder. */
  close(): Promise<void>;
}

export async function startEngineStore(): Promise<EngineStore> {
  const dataDir = makeDataDir();
  const engine = await startEmbeddedEngine({ dataDir, logger: { info: ignore, warn: ignore, error: ignore } });
  const { url, username, password } = engine;
  const store = new AnalyticStore({ url, credentials: { username, password } });
  await store.migrate();
  return {
    dataDir,
    engine,
    store,
    close: async () => {
      await store.close();
      await engine.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

export interface OpenControl {
  readonly control: ControlStore;
  close(): Promise<void>;
}

/** A control store in SQLite. */
export async function openControl(): Promise<OpenControl> {
  const dataDir = makeDataDir();
  const control = await openControlStore({ dataDir, postgresUrl: undefined, onError: ignore });
  return {
    control,
    close: async () => {
      await control.destroy();
      await rm(dataDir, { recursive: true });
    },
  };
}

export interface Stores extends EngineStore {
  readonly control: ControlStore;
}

/** Both stores. */
export async function openStores(): Promise<Stores> {
  const [engineStore, { control, close }] = await Promise.all([startEngineStore(), openControl()]);
  return {
    ...engineStore,
    control,
    close: async () => {
      await close();
      await engineStore.close();
    },
  };
}

/** A project in UTC with its first price book. */
export async function makeProject(control: ControlStore, clock: Clock, type: 'revenue' | 'internal' = 'revenue') {
  const fields = { name: 'a test', type, timezone: 'UTC', atRiskBelowPct: null };
  return await new Projects(control, clock).create(fields, new PriceBooks(control, clock));
}
