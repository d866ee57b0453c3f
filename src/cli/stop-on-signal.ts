import closeWithGrace from 'close-with-grace';
import type { Logger as PinoLogger } from 'pino';

/** A stop takes at most this long, in milliseconds (D13.3). */
const stopMs = 9_000;

/** At a signal, or after an unexpected error. Ends with 0 once `stop` is done after a signal, else with 1. */
export function stopOnSignal(logger: PinoLogger, stop: () => Promise<void>): void {
  closeWithGrace({ delay: stopMs, logger: false }, async ({ err, signal }) => {
    if (err) logger.fatal({ err }, 'stopping after an unexpected error');
    else logger.info({ signal }, 'stopping');
    await stop().catch((error: unknown) => {
      logger.fatal({ err: error }, 'the stop failed');
      throw error;
    });
    logger.info('stopped');
  });
}
