import { SingleBar } from 'cli-progress';

/** A progress bar; does nothing when standard error is not a terminal. */
export interface ProgressBar {
  update(value: number): void;
  advance(by: number): void;
  stop(): void;
}

/** Starts a bar from 0 to `total`. The format may use `{percentage}`, `{value}`, `{total}` and `{eta_formatted}`. */
export function startBar(total: number, format = '{bar} {percentage}% | {eta_formatted} left'): ProgressBar {
  if (!process.stderr.isTTY) return { update: () => undefined, advance: () => undefined, stop: () => undefined };
  const bar = new SingleBar({
    format,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    stream: process.stderr,
  });
  bar.start(total, 0);
  return { update: (value) => bar.update(value), advance: (by) => bar.increment(by), stop: () => bar.stop() };
}
