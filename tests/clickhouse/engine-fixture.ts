import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClickHouseClient, type ClickHouseClientConfigOptions, createClient } from '@clickhouse/client';
import { expect } from 'vitest';
import {
  type EmbeddedEngine,
  type EmbeddedEngineOptions,
  startEmbeddedEngine,
} from '../../src/storage/analytic/embedded/engine.ts';
import { dataRoot } from '../support/data-root.ts';
import { makeDataDir } from '../support/service.ts';

/** An engine on a folder of its own, with a client as the service makes it. */
export interface EngineFixture {
  readonly engine: EmbeddedEngine;
  readonly client: ClickHouseClient;
  readonly dataDir: string;
  readonly logged: { readonly level: string; readonly details: object; readonly message: string }[];
  connect(options?: ClickHouseClientConfigOptions): ClickHouseClient;
  close(): Promise<void>;
  /** Closes, and fails if the engine has died in the meantime: a restart can hide that from a test. */
  closeUnharmed(): Promise<void>;
}

/** Starts an engine for a test file; `close` removes everything again. */
export async function startFixture(options: Partial<EmbeddedEngineOptions> = {}): Promise<EngineFixture> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(dataRoot, 'farthing-clickhouse-')));
  const logged: { level: string; details: object; message: string }[] = [];
  const log = (level: string) => (details: object, message: string) => void logged.push({ level, details, message });
  const logger = { info: log('info'), warn: log('warn'), error: log('error') };
  const engine = await startEmbeddedEngine({ logger, ...options, dataDir });
  const clients: ClickHouseClient[] = [];
  const connect = (config: ClickHouseClientConfigOptions = {}) => {
    const client = createClient({
      url: engine.url,
      username: engine.username,
      password: engine.password,
      use_multipart_params_auto: true,
      max_open_connections: 64,
      log: { level: 127 },
      ...config,
    });
    clients.push(client);
    return client;
  };
  const close = async () => {
    await Promise.all(clients.map((client) => client.close()));
    await engine.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  const closeUnharmed = async () => {
    const restarts = engine.restarts();
    await close();
    expect({ restarts, logged }).toEqual({ restarts: 0, logged: [expect.objectContaining({ level: 'info' })] });
  };
  return { engine, client: connect(), dataDir, logged, connect, close, closeUnharmed };
}

/** An engine with the usual limits for all test files of this worker: starting one takes longer than most files. */
let fixtureOfWorker: Promise<EngineFixture> | undefined;

/** The engine that files share which neither limit it nor end it; closing it only checks that it is unharmed. */
export async function shareFixture(): Promise<EngineFixture> {
  fixtureOfWorker ??= startFixture({ dataDir: makeDataDir() });
  const fixture = await fixtureOfWorker;
  const closeUnharmed = async () => expectUnharmed(fixture);
  return { ...fixture, close: closeUnharmed, closeUnharmed };
}

const expectUnharmed = ({ engine, logged }: Pick<EngineFixture, 'engine' | 'logged'>): void =>
  expect({ restarts: engine.restarts(), logged }).toEqual({
    restarts: 0,
    logged: [expect.objectContaining({ level: 'info' })],
  });

/** The rows of a SELECT. */
export async function selectRows<Row>(
  client: ClickHouseClient,
  query: string,
  parameters: Record<string, unknown> = {},
): Promise<Row[]> {
  const result = await client.query({ query, query_params: parameters, format: 'JSONEachRow' });
  return result.json<Row>();
}

/** Repeats until it succeeds; for what must become true shortly. */
export async function eventually<Value>(attempt: () => Promise<Value>, timeoutMs = 60_000): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}
