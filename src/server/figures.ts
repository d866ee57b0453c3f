import type { Assembly } from './assembly.ts';
import type { Foundation } from './foundation.ts';
import { shareWaiting } from './operations/waiting.ts';

export function watchFigures({ config, metrics, stores, clock, priceBooks }: Foundation, assembly: Assembly): void {
  const { control, engine } = stores;
  const readWaiting = shareWaiting({ control, clock, sealAfterMs: config.sealAfterMs });
  metrics.watch({
    bufferedBytes: () => assembly.buffer.bufferedBytes,
    assemblyLagMs: () => assembly.progress.lagMs,
    projectsApart: () => assembly.progress.projectsApart,
    holdsLease: assembly.holdsLease,
    engineRestarts: () => engine?.restarts() ?? 0,
    priceListAge: async (list) => await priceBooks.ageOf(list),
    waiting: async (what) => (await readWaiting())?.[what],
  });
}
