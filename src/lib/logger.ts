import { type Logger as PinoLogger, pino } from 'pino';

/** Where log lines go: pino's, as far as it is used. */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error'>;

/** The log: JSON lines, or lines for people when a person is watching. Secrets never get into it: no header or body does. */
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
