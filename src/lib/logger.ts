import { type Logger as PinoLogger, pino } from 'pino';

/** The part of pino's logger that is used. */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error'>;

/** Creates the log: JSON lines, or readable lines on a terminal. Headers and bodies are never logged, so no secret is. */
export async function createLogger(level: string, isTerminal: boolean): Promise<PinoLogger> {
  if (!isTerminal) return pino({ level });
  const { default: pretty } = await import('pino-pretty');
  // In this process, so that what is said before an exit is seen.
  return pino({ level }, pretty({ translateTime: 'HH:MM:ss', ignore: 'pid,hostname', sync: true }));
}

/** The log of a command: errors alone, on standard error, apart from what the command prints. */
export const createCommandLogger = (): PinoLogger => pino({ level: 'error' }, pino.destination(2));
