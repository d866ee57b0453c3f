import { shareWaiting } from '../operations/waiting.ts';
import type { Assembly } from './assembly.ts';
import type { Foundation } from './foundation.ts';

/** Adds the figures to the metrics that are read when they are asked for. */
export function watchFigures({ config, metrics, stores, clock }: Foundation, assembly: Assembly): void {
  const { control, engine } = stores;
  const readWaiting = shareWaiting({ control, clock, sealAfterMs: config.sealAfterMs });
  metrics.watch({
    bufferedBytes: () => assembly.buffer.bufferedBytes,
    assemblyLagMs: () => assembly.progress.lagMs,
    holdsLease: assembly.holdsLease,
    engineRestarts: () => engine?.restarts() ?? 0,
    waiting: async (what) => (await readWaiting())?.[what],
  });
}
