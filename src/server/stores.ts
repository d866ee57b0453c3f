import { readFileSync } from 'node:fs';
import type { Logger as PinoLogger } from 'pino';
import type { Config } from '../config.ts';
import { openTogether } from '../lib/open-together.ts';
import { Shares } from '../lib/shares.ts';
import { withoutBroken } from '../rollups/repair/detached-parts.ts';
import { AnalyticStore, UnknownMigrations } from '../storage/analytic/analytic-store.ts';
import { type EmbeddedEngine, startEmbeddedEngine } from '../storage/analytic/embedded/engine.ts';
import { type ControlStore, type ControlStoreOptions, openControlStore } from '../storage/control/control-store.ts';
import { NewerRelease, noteRelease, readNewestRelease } from '../storage/control/releases.ts';
import { machineClock, openSharedClock, type SharedClock } from '../storage/control/shared-clock.ts';
import { noSignalBus, PostgresSignalBus, type SignalBus } from '../storage/control/signals.ts';
import { whileOthersWait } from '../storage/control/start-lock.ts';

/**
 * How many statements of questions run at once. The embedded engine runs 12, so six are left to the service's own work; a
 * server takes as many as there are connections.
 */
const [questionsOfEngine, questionsOfServer] = [6, 16];
/** How many statements of one project wait. A page of the dashboard has about 60. */
const mostWaitingQuestions = 250;
/** The most bytes of JSON that the rows of one statement of a question have; they take about three times the memory. */
const mostAnswerBytes = 64 * 1_048_576;
const tooManyStatements =
  'This project asks more at once than its share of the store can answer; ask again when earlier questions are answered.';

/** The two stores with their schema up to date, and the engine where it is embedded. */
export interface Stores {
  readonly engine: EmbeddedEngine | undefined;
  readonly store: AnalyticStore;
  /** The same store for questions, which share it fairly: no project's questions hold up those of others. */
  readonly questions: AnalyticStore;
  readonly control: ControlStore;
  /** Before anything is served; if parts prove to be broken, repeats the action without them. */
  sparingBroken<T>(action: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface StoresOptions {
  /** Told of each statement. */
  onStatement(kind: 'select' | 'insert' | 'command', elapsedMs: number): void;
  /** Told of each failure. */
  onError(store: 'clickhouse' | 'control'): void;
  /** The embedded engine, where it is starting already. */
  readonly engine: Promise<EmbeddedEngine> | undefined;
}

/** Opens the stores that a configuration names. @throws NewerRelease when a newer release has changed one of them */
export const openStores = async (
  config: Config,
  logger: PinoLogger,
  options: StoresOptions = { onStatement: () => undefined, onError: () => undefined, engine: undefined },
): Promise<Stores> =>
  await openTogether(async (keep) => {
    const engine =
      config.clickhouseUrl === undefined
        ? keep(await (options.engine ?? startEmbeddedEngine({ dataDir: config.dataDir, logger })))
        : undefined;
    const storeOptions = {
      ...toStoreOptions(config, engine),
      observer: { onStatement: options.onStatement, onError: () => options.onError('clickhouse') },
    };
    const store = keep(new AnalyticStore(storeOptions));
    const slots = engine ? questionsOfEngine : questionsOfServer;
    const shares = new Shares({ slots, mostWaiting: mostWaitingQuestions, refusal: tooManyStatements });
    const questions = keep(new AnalyticStore({ ...storeOptions, shares, mostBytes: mostAnswerBytes }));
    const control = await openControlStore({
      ...toControlOptions(config, logger),
      onFailedStatement: () => options.onError('control'),
    });
    keep({ close: () => control.destroy() });
    const sparingBroken = <T>(action: () => Promise<T>) => withoutBroken(engine, store, logger, action);
    await whileAlone(config, control, async () => {
      await sparingBroken(() => store.migrate()).catch(async (error: unknown) => {
        if (error instanceof UnknownMigrations) throw new NewerRelease(await readNewestRelease(control), error.ids);
        throw error;
      });
      await noteRelease(control, Date.now());
    });
    return { engine, store, questions, control, sparingBroken };
  });

/** Logs a failure of a store that no request waits for. */
export const logStoreFailure =
  (logger: Pick<PinoLogger, 'error'>) =>
  (cause: unknown): void =>
    logger.error({ err: cause }, 'a store failed');

export const toControlOptions = ({ dataDir, postgresUrl }: Config, logger: PinoLogger): ControlStoreOptions => ({
  dataDir,
  postgresUrl,
  onError: logStoreFailure(logger),
});

function toStoreOptions(
  { clickhouseUrl, clickhouseCluster, clickhouseCaFile }: Config,
  engine: EmbeddedEngine | undefined,
) {
  if (engine) return { url: engine.url, credentials: { username: engine.username, password: engine.password } };
  if (clickhouseUrl === undefined) throw new Error('There is neither an engine nor the URL of one');
  return {
    url: clickhouseUrl,
    credentials: undefined,
    cluster: clickhouseCluster,
    ca: clickhouseCaFile === undefined ? undefined : readFileSync(clickhouseCaFile),
  };
}

/** For a part of a start that one instance at a time may do; an embedded control store has only one. */
export const whileAlone = async <T>(
  { postgresUrl }: Config,
  control: ControlStore,
  action: () => Promise<T>,
): Promise<T> => (postgresUrl === undefined ? await action() : await whileOthersWait(control, action));

/** From this difference on, a machine logs a warning about its clock, in milliseconds. */
const wrongByMs = 1_000;

/** The clock that all instances on the control store share. */
export async function openClock(
  { postgresUrl }: Config,
  control: ControlStore,
  logger: PinoLogger,
): Promise<SharedClock> {
  if (postgresUrl === undefined) return machineClock;
  const shared = await openSharedClock(control, logStoreFailure(logger));
  const offsetMs = shared.offsetMs();
  if (Math.abs(offsetMs) > wrongByMs) {
    logger.warn({ offsetMs }, 'the clock of this machine differs from that of the control store');
  }
  return shared;
}

/** The connection to the other instances on the control store. */
export async function openSignalBus(
  { postgresUrl }: Config,
  writer: string,
  onError: (cause: unknown) => void,
): Promise<SignalBus> {
  const signalBus = postgresUrl === undefined ? noSignalBus : new PostgresSignalBus(postgresUrl, writer, onError);
  await signalBus.open();
  return signalBus;
}
