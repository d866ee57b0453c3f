import type { Config } from '../config.ts';
import { makePrivateFolder } from '../lib/make-folder.ts';
import { type EmbeddedEngine, type EngineLogger, startEmbeddedEngine } from '../storage/analytic/embedded/engine.ts';
import { refuseMoved } from './backup/moved.ts';

/** Makes the data folder, for its owner alone. @throws Error when its data has moved to servers */
export function openDataFolder({ dataDir, clickhouseUrl }: Config): void {
  makePrivateFolder(dataDir);
  if (clickhouseUrl === undefined) refuseMoved(dataDir);
}

/** Before the service's modules are loaded: either takes half a second. Undefined where the store is a server. */
export function startEngineEarly(config: Config, logger: EngineLogger): Promise<EmbeddedEngine> | undefined {
  if (config.clickhouseUrl !== undefined) return undefined;
  const start = async () => {
    openDataFolder(config);
    return await startEmbeddedEngine({ dataDir: config.dataDir, logger });
  };
  const engine = start();
  // Its failure is the service's, once that waits for it.
  engine.catch(() => undefined);
  return engine;
}
