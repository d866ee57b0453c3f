import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { createLogger } from '../lib/logger.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { openStores } from '../server/stores.ts';
import { isOperatorsMistake } from './serve.ts';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('Migrate the schema of both stores, then exit. The service also does this when it starts.')
    .addHelpText('after', '\nExample:\n  FARTHING_CLICKHOUSE_URL=… FARTHING_POSTGRES_URL=… farthing migrate')
    .action(async () => {
      const config = readConfig();
      const logger = await createLogger(config.logLevel, process.stdout.isTTY === true);
      try {
        makeFolder(config.dataDir);
        const stores = await openStores(config, logger);
        await stores.close();
        logger.info('the schema of both stores is up to date');
      } catch (error) {
        if (isOperatorsMistake(error)) logger.fatal((error as Error).message);
        else logger.fatal({ err: error }, 'the schema could not be brought up to date');
        process.exitCode = 1;
      }
    });
}
