import { type Logger as PinoLogger, pino } from 'pino';

/** The part of pino's logger that is used. */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error'>;

/** Creates the log: JSON lines, or readable lines on a terminal. Headers and bodies are never logged, so no secret is. */
export function createLogger(level: string, isTerminal: boolean): PinoLogger {
  return pino({
    level,
    ...(isTerminal && {
      transport: { target: 'pino-pretty', options: { translateTime: 'HH:MM:ss', ignore: 'pid,hostname' } },
    }),
  });
}

/** The log of a command: errors alone, on standard error, apart from what the command prints. */
export const createCommandLogger = (): PinoLogger => pino({ level: 'error' }, pino.destination(2));
