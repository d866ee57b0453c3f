import type { Logger as PinoLogger } from 'pino';
import type { Config } from './config.ts';
import { openTogether } from './lib/open-together.ts';
import { shrinkHeapAtRest } from './lib/shrink-heap.ts';
import { version } from './lib/version.ts';
import { announceFirstProject } from './server/announce.ts';
import { startAssembly } from './server/assembly.ts';
import { watchFigures } from './server/figures.ts';
import { openFoundation } from './server/foundation.ts';
import { openMemory } from './server/memory.ts';
import { openPorts } from './server/ports.ts';
import { prepareStores } from './server/prepare.ts';
import { toRouteSources } from './server/routes.ts';
import { warmUp } from './server/warm-up.ts';
import type { EmbeddedEngine } from './storage/analytic/embedded/engine.ts';

export interface Service {
  readonly url: string;
  readonly intakeUrl: string | undefined;
  /** Stops taking requests, answers those under way, stores the buffered events, and closes the stores (D13.3). */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly logger: PinoLogger;
  /** Where the note of the first start is shown; without a terminal it is kept in a file (D1.6). */
  readonly terminal: { write(text: string): void } | undefined;
  /** Starts on stores whose copy is not released yet, so that their answers can be compared. */
  readonly isTrial?: boolean;
  /** The embedded engine, where it is starting already. */
  readonly engine?: Promise<EmbeddedEngine> | undefined;
  /** Called when everything but the ports is open. */
  readonly beforePorts?: () => Promise<void>;
}

/**
 * Starts the service: opens the foundation, readies its stores (`prepareStores`), starts assembly with its background
 * jobs and the memory of answers, then opens the ports. It stops in reverse order. A start that fails closes everything
 * that it has opened.
 *
 * A command gets here by bin/farthing.js → bin/runtime.js → src/cli.ts → cli/serve.ts.
 */
export async function startService(
  config: Config,
  { logger, terminal, isTrial = false, engine, beforePorts }: ServiceOptions,
): Promise<Service> {
  const { close: stop, ...addresses } = await openTogether(async (keep) => {
    const foundation = keep(await openFoundation(config, { logger, isTrial, engine }));
    const { firstProject, controlLoss } = await prepareStores(foundation);
    const assembly = keep(await startAssembly(foundation));
    watchFigures(foundation, assembly);
    const memory = keep(openMemory(foundation, assembly));
    // Nothing waits for it, not even a stop.
    void warmUp(foundation, assembly, memory);
    keep(shrinkHeapAtRest());
    await beforePorts?.();
    const { url, intakeUrl } = keep(await openPorts(toRouteSources(foundation, assembly, memory, controlLoss)));
    announceFirstProject(foundation, url, { firstProject, terminal });
    logger.info(
      { url, ...(intakeUrl && { intakeUrl }), version, dataDir: config.dataDir },
      `Farthing ${version} serves at ${url}`,
    );
    return { url, intakeUrl };
  });
  return { ...addresses, stop };
}
