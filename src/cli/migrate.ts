import { mkdirSync } from 'node:fs';
import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { createLogger } from '../lib/logger.ts';
import { openStores } from '../stores.ts';

/** `farthing migrate`: the schema of both stores, without a service. */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description('Bring the schema of both stores up to date, and end. A start of the service does so too.')
    .addHelpText('after', '\nExample:\n  FARTHING_CLICKHOUSE_URL=… FARTHING_POSTGRES_URL=… farthing migrate')
    .action(async () => {
      const config = readConfig();
      const logger = createLogger(config.logLevel, process.stdout.isTTY === true);
      try {
        mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
        const stores = await openStores(config, logger);
        await stores.close();
        logger.info('the schema of both stores is up to date');
      } catch (error) {
        logger.fatal({ err: error }, 'the schema could not be brought up to date');
        process.exitCode = 1;
      }
    });
}
