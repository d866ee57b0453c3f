import { join } from 'node:path';
import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { newSecret } from '../lib/ids.ts';
import { createLogger } from '../lib/logger.ts';
import { makePrivateFolder } from '../lib/make-folder.ts';
import { openSecret } from '../lib/secret-file.ts';
import { startEmbeddedEngine } from '../storage/analytic/embedded/engine.ts';
import { isOperatorsMistake } from './serve.ts';
import { stopOnSignal } from './stop-on-signal.ts';

export function engineCommand(): Command {
  return new Command('engine')
    .description('Run only the embedded engine, for several instances to share. Its settings are FARTHING_ENGINE_….')
    .addHelpText(
      'after',
      '\nExample:\n  FARTHING_ENGINE_TOKEN=0123456789abcdef farthing engine\n  FARTHING_CLICKHOUSE_URL=http://farthing:0123456789abcdef@127.0.0.1:8788 FARTHING_POSTGRES_URL=… farthing serve',
    )
    .action(async () => {
      const config = readConfig();
      const logger = await createLogger(config.logLevel, process.stdout.isTTY === true);
      try {
        makePrivateFolder(config.dataDir);
        const tokenPath = join(config.dataDir, 'engine-token');
        const { secret, path } = openSecret(config.engineToken, tokenPath, () => newSecret('fe'));
        const engine = await startEmbeddedEngine({
          dataDir: config.dataDir,
          logger,
          address: { host: config.engineHost, port: config.enginePort },
          password: secret,
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
