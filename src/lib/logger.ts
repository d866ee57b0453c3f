import type { Logger as PinoLogger } from 'pino';

/** Where log lines go: pino's, as far as it is used. */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error'>;
