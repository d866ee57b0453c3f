import { constants } from 'node:os';

const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Until the returned function is called, a signal prints what `say` returns, which tells how to go on, and ends the
 * process.
 */
export function whenInterrupted(say: () => string): () => void {
  const interrupt = (signal: NodeJS.Signals) => {
    console.error(say());
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of signals) process.once(signal, interrupt);
  return () => {
    for (const signal of signals) process.off(signal, interrupt);
  };
}
