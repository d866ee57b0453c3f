import type { Logger as PinoLogger } from 'pino';
import { AnalyticStore } from './clickhouse/analytic-store.ts';
import { type EmbeddedEngine, startEmbeddedEngine } from './clickhouse/embedded/engine.ts';
import type { Config } from './config.ts';
import { type ControlStore, type ControlStoreOptions, openControlStore } from './control/control-store.ts';

/** The two stores, brought up to date, and the engine of the one where it is embedded. */
export interface Stores {
  readonly engine: EmbeddedEngine | undefined;
  readonly store: AnalyticStore;
  readonly control: ControlStore;
  close(): Promise<void>;
}

/** Told of what the stores are asked, and of what fails. */
interface StoresObserver {
  onStatement(kind: 'select' | 'insert' | 'command', elapsedMs: number): void;
  onError(store: 'clickhouse' | 'control'): void;
}

/** Opens the stores that a configuration names. */
export async function openStores(
  config: Config,
  logger: PinoLogger,
  observer: StoresObserver = { onStatement: () => undefined, onError: () => undefined },
): Promise<Stores> {
  const opened: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const one of opened.splice(0).reverse()) await one();
  };
  try {
    const engine =
      config.clickhouseUrl === undefined ? await startEmbeddedEngine({ dataDir: config.dataDir, logger }) : undefined;
    if (engine) opened.push(() => engine.close());
    const store = new AnalyticStore({
      ...toStoreOptions(config, engine),
      observer: { onStatement: observer.onStatement, onError: () => observer.onError('clickhouse') },
    });
    opened.push(() => store.close());
    await store.migrate();
    const control = await openControlStore({
      ...toControlOptions(config, logger),
      onFailedStatement: () => observer.onError('control'),
    });
    opened.push(() => control.destroy());
    return { engine, store, control, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export const toControlOptions = ({ dataDir, postgresUrl }: Config, logger: PinoLogger): ControlStoreOptions => ({
  dataDir,
  postgresUrl,
  onError: (cause) => logger.error({ err: cause }, 'a store failed'),
});

function toStoreOptions({ clickhouseUrl }: Config, engine: EmbeddedEngine | undefined) {
  if (engine) return { url: engine.url, credentials: { username: engine.username, password: engine.password } };
  if (clickhouseUrl === undefined) throw new Error('There is neither an engine nor the URL of one');
  return { url: clickhouseUrl, credentials: undefined };
}
