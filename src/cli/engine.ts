import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { newSecret } from '../lib/ids.ts';
import { createLogger } from '../lib/logger.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { startEmbeddedEngine } from '../storage/analytic/embedded/engine.ts';
import { isOperatorsMistake } from './serve.ts';
import { stopOnSignal } from './stop-on-signal.ts';

/** `farthing engine`: runs only the embedded engine, for several instances to share. */
export function engineCommand(): Command {
  return new Command('engine')
    .description('Run only the embedded engine, for several instances to share. Its settings are FARTHING_ENGINE_….')
    .addHelpText(
      'after',
      '\nExample:\n  FARTHING_ENGINE_TOKEN=0123456789abcdef farthing engine\n  FARTHING_CLICKHOUSE_URL=http://farthing:0123456789abcdef@127.0.0.1:8788 FARTHING_POSTGRES_URL=… farthing serve',
    )
    .action(async () => {
      const config = readConfig();
      const logger = createLogger(config.logLevel, process.stdout.isTTY === true);
      try {
        const { token, path } = openEngineToken(config);
        const engine = await startEmbeddedEngine({
          dataDir: config.dataDir,
          logger,
          address: { host: config.engineHost, port: config.enginePort },
          password: token,
        });
        const { url, username } = engine;
        logger.info({ url, username, ...(path && { tokenFile: path }) }, `The engine serves at ${url}`);
        stopOnSignal(logger, () => engine.close());
      } catch (error) {
        logger.fatal(
          isOperatorsMistake(error) ? {} : { err: error },
          error instanceof Error ? error.message : 'the start failed',
        );
        process.exit(1);
      }
    });
}

/**
 * The engine's password: the configured one, else the one in the data folder, else a new one, stored there with mode
 * 0600.
 */
function openEngineToken({ dataDir, engineToken }: Config): {
  readonly token: string;
  readonly path: string | undefined;
} {
  makeFolder(dataDir);
  chmodSync(dataDir, 0o700);
  if (engineToken !== undefined) return { token: engineToken, path: undefined };
  const path = join(dataDir, 'engine-token');
  try {
    const kept = readFileSync(path, 'utf8').trim();
    if (kept) return { token: kept, path };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const token = newSecret('fe');
  writeFileSync(path, `${token}\n`, { mode: 0o600 });
  chmodSync(path, 0o600);
  return { token, path };
}
