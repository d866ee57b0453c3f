import { SingleBar } from 'cli-progress';
import { whenInterrupted } from './interrupt.ts';

/** A progress bar; draws nothing when standard error is not a terminal. */
export interface ProgressBar {
  /** The second argument has the values of the format. */
  update(value: number, values?: Readonly<Record<string, unknown>>): void;
  advance(by: number): void;
  stop(): void;
}

/** What a signal says while a bar is shown: how to go on, or a function that does. */
type OnInterrupt = string | (() => string);

const defaultFormat = '{bar} {percentage}% | {eta_formatted} left';

/**
 * Starts a bar from 0 to `total`. The format may use `{percentage}`, `{value}`, `{total}` and `{eta_formatted}`. A
 * signal such as Ctrl-C gives the terminal its cursor back, says how to go on, and ends the process.
 */
export function startBar(total: number, onInterrupt: OnInterrupt, format = defaultFormat): ProgressBar {
  const bar = process.stderr.isTTY
    ? new SingleBar({
        format,
        barCompleteChar: '█',
        barIncompleteChar: '░',
        hideCursor: true,
        gracefulExit: false,
        stream: process.stderr,
      })
    : undefined;
  bar?.start(total, 0);
  const letGo = whenInterrupted(() => {
    bar?.stop();
    return typeof onInterrupt === 'string' ? onInterrupt : onInterrupt();
  });
  return {
    update: (value, values) => bar?.update(value, values),
    advance: (by) => bar?.increment(by),
    stop: () => {
      letGo();
      bar?.stop();
    },
  };
}
