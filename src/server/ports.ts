import { createApp } from '../lib/http/create-app.ts';
import { listen } from '../lib/http/listen.ts';
import { openTogether } from '../lib/open-together.ts';
import { type RouteSources, registerIntakeRoutes, registerRoutes } from './routes.ts';

/** Where the service listens. */
export interface Ports {
  readonly url: string;
  /** The URL of the port that only takes events; undefined when there is none. */
  readonly intakeUrl: string | undefined;
  /** Stops taking requests, and answers those under way. */
  close(): Promise<void>;
}

/** Listens on the port of all routes and, where it is configured, on that of the intake. */
export const openPorts = async (sources: RouteSources): Promise<Ports> =>
  await openTogether(async (keep) => {
    const { config, logger } = sources;
    const { host, port, intakePort } = config;
    // The service's own lines already say what fastify logs below a warning.
    const appLogger = logger.isLevelEnabled('warn') ? logger.child({}, { level: 'warn' }) : logger;
    const { trustedProxies } = config;
    const app = createApp(appLogger, (routes) => registerRoutes(routes, sources), { trustedProxies });
    const url = await listen(app, host, port);
    keep(app);
    if (intakePort === undefined) return { url, intakeUrl: undefined };
    const intake = createApp(appLogger, (routes) => registerIntakeRoutes(routes, sources));
    const intakeUrl = await listen(intake, host, intakePort);
    keep(intake);
    return { url, intakeUrl };
  });
