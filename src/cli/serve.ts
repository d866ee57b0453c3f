import { Command } from 'commander';
import { ConfigError, readConfig } from '../config.ts';
import { createLogger } from '../lib/logger.ts';
import { startEngineEarly } from '../server/early-engine.ts';
import { stopOnSignal } from './stop-on-signal.ts';

export const isOperatorsMistake = (error: unknown): boolean =>
  error instanceof Error &&
  ['in_use', 'EADDRINUSE', 'EACCES', 'unfinished_copy', 'moved', 'newer_release', 'bad_folder'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  );

function toMessage(error: unknown): string {
  if (!(error instanceof Error)) return 'the start failed';
  const isTaken = 'code' in error && error.code === 'EADDRINUSE';
  return isTaken ? `${error.message}; FARTHING_PORT=9000 takes another port` : error.message;
}

export function serveCommand(): Command {
  return new Command('serve')
    .description(
      'Run the service. Its settings are environment variables; docs/operations/configuration.md lists them.',
    )
    .addHelpText('after', '\nExample:\n  FARTHING_PORT=9000 farthing serve')
    .action(async () => {
      // Files of this process and the engine are readable only by their owner, even when copied elsewhere.
      process.umask(0o077);
      let config: ReturnType<typeof readConfig>;
      try {
        config = readConfig();
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        console.error(error.message);
        process.exit(1);
      }
      const isTerminal = process.stdout.isTTY === true;
      const logger = await createLogger(config.logLevel, isTerminal);
      const fail = (error: unknown) => {
        // A stack does not help with a port or a folder that another process uses.
        logger.fatal(isOperatorsMistake(error) ? {} : { err: error }, toMessage(error));
        process.exit(1);
      };
      const engine = startEngineEarly(config, logger);
      const options = { logger, terminal: isTerminal ? process.stdout : undefined, engine };
      const { startWithRoom } = await import('./start-with-room.ts');
      const service = await startWithRoom(config, options, fail).catch(fail);
      stopOnSignal(logger, () => service.stop());
    });
}
