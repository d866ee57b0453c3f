import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger as PinoLogger } from 'pino';
import type { Config } from '../config.ts';
import { findDiskFault } from '../lib/disk-fault.ts';
import { createApp } from '../lib/http/create-app.ts';
import { registerHealth } from '../lib/http/health.ts';
import { listen } from '../lib/http/listen.ts';
import { openTogether } from '../lib/open-together.ts';
import { Problem } from '../lib/problem.ts';
import { type Service, type ServiceOptions, startService } from '../main.ts';

/** How long to wait before the start is tried again, in milliseconds. */
const tryAgainMs = 5_000;

/** Told of an error for which a start that waits for room gives up. */
export type OnFailed = (error: unknown) => void;

/**
 * Starts the service. If the disk is full, its ports answer 503 instead, until there is room and the start succeeds
 * (D3.7).
 * @throws the error of a start that fails for another reason
 */
export async function startWithRoom(
  config: Config,
  options: ServiceOptions,
  onFailed: OnFailed,
): Promise<Pick<Service, 'stop'>> {
  try {
    return await startService(config, options);
  } catch (error) {
    if (findDiskFault(error) !== 'full') throw error;
    return await waitForRoom(error, config, options, onFailed);
  }
}

async function waitForRoom(
  cause: unknown,
  config: Config,
  options: ServiceOptions,
  onFailed: OnFailed,
): Promise<Pick<Service, 'stop'>> {
  const { logger } = options;
  const ports = await openFullPorts(config, logger);
  logger.error(
    { err: cause, dataDir: config.dataDir },
    'the disk is full: every request is refused with 503 until some space is free',
  );
  const stopping = new AbortController();
  const start = async (): Promise<Service | undefined> => {
    for (;;) {
      await sleep(tryAgainMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return undefined;
      try {
        return await startService(config, { ...options, engine: undefined, beforePorts: () => ports.close() });
      } catch (error) {
        if (findDiskFault(error) !== 'full') throw error;
      }
    }
  };
  const started = start();
  started.catch(onFailed);
  return {
    stop: async () => {
      stopping.abort();
      const service = await started;
      await ports.close();
      await service?.stop();
    },
  };
}

/** The ports of the service, which answer what is wrong and what to do. */
const openFullPorts = async ({ host, port, intakePort }: Config, logger: PinoLogger) =>
  await openTogether(async (keep) => {
    for (const one of intakePort === undefined ? [port] : [port, intakePort]) {
      const away = async () => false;
      const app = createApp(
        logger,
        (routes) =>
          registerHealth(routes, {
            checks: { clickhouse: away, control: away },
            warnings: () => ['the disk is full; free some space or enlarge it, and the start goes on by itself'],
          }),
        { refuse },
      );
      keep(app);
      await listen(app, host, one);
    }
    return {};
  });

function refuse(url: string): Problem | undefined {
  if (/^\/(?:healthz|readyz)\/?(?:\?|$)/.test(url)) return undefined;
  const detail = 'The disk of the service is full; nothing has changed, ask again later.';
  return new Problem('unavailable', detail, { headers: { 'retry-after': '5' } });
}
