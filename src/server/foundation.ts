import type { Logger as PinoLogger } from 'pino';
import { adminTokenPath } from '../accounts/admin-token.ts';
import { ApiKeys } from '../accounts/api-keys.ts';
import { Clients } from '../accounts/clients.ts';
import { LastUsed } from '../accounts/last-used.ts';
import { OpenIdProvider } from '../accounts/members/provider.ts';
import { Members } from '../accounts/members.ts';
import { Projects } from '../accounts/projects.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import { Metrics } from '../lib/http/metrics.ts';
import { hashSecret, newSecret } from '../lib/ids.ts';
import { openTogether } from '../lib/open-together.ts';
import { openSecretBox, type SecretBox } from '../lib/secret-box.ts';
import { openSecret } from '../lib/secret-file.ts';
import { PriceBooks } from '../pricing/books/price-books.ts';
import type { EmbeddedEngine } from '../storage/analytic/embedded/engine.ts';
import { readUnfinishedCopy, UnfinishedCopy } from './backup/copy-in.ts';
import { openDataFolder } from './early-engine.ts';
import { logStoreFailure, openClock, openStores, type Stores } from './stores.ts';

/** The parts that everything else in the service uses. */
export interface Foundation {
  readonly config: Config;
  readonly logger: PinoLogger;
  readonly metrics: Metrics;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly adminTokenHash: string;
  readonly projects: Projects;
  readonly clients: Clients;
  readonly apiKeys: ApiKeys;
  readonly members: Members;
  /** Undefined where members sign in by links. */
  readonly provider: OpenIdProvider | undefined;
  readonly lastUsed: LastUsed;
  readonly priceBooks: PriceBooks;
  /** Opens the secrets of notification endpoints; undefined where no key for them is configured. */
  readonly secretBox: SecretBox | undefined;
  close(): Promise<void>;
}

export interface FoundationOptions {
  readonly logger: PinoLogger;
  /** Whether the stores may be a copy that is not released yet. */
  readonly isTrial: boolean;
  /** The embedded engine, where it is starting already. */
  readonly engine: Promise<EmbeddedEngine> | undefined;
}

/**
 * Opens the data folder, the stores, the clock, and the access to projects, keys and prices.
 * @throws Error when the data has moved; UnfinishedCopy; NewerRelease
 */
export const openFoundation = async (
  config: Config,
  { logger, isTrial, engine }: FoundationOptions,
): Promise<Foundation> =>
  await openTogether(async (keep) => {
    openDataFolder(config);
    const metrics = new Metrics();
    const stores = keep(
      await openStores(config, logger, {
        onStatement: (kind, elapsedMs) => metrics.statementSeconds.observe({ kind }, elapsedMs / 1_000),
        onError: (store) => metrics.storeErrors.inc({ store }),
        engine,
      }),
    );
    const { control, store } = stores;
    const { clock } = keep(await openClock(config, control, logger));
    if (!isTrial && (await readUnfinishedCopy(store)) !== undefined) throw new UnfinishedCopy();
    const tokenPath = adminTokenPath(config.dataDir);
    const { secret: adminToken, path } = openSecret(config.adminToken, tokenPath, () => newSecret('fa'));
    if (path) logger.info({ path }, 'the admin token is in this file');
    const lastUsed = keep(new LastUsed(control, logStoreFailure(logger)));
    return {
      config,
      logger,
      metrics,
      stores,
      clock,
      adminTokenHash: hashSecret(adminToken),
      projects: new Projects(control, clock),
      clients: new Clients(control, clock, lastUsed),
      apiKeys: new ApiKeys(control, clock, lastUsed),
      members: new Members({ control, clock }),
      provider: config.oidc && config.publicUrl ? new OpenIdProvider(config.oidc, config.publicUrl) : undefined,
      lastUsed,
      priceBooks: new PriceBooks(control, clock, { usesFurtherLists: config.usesFurtherPrices }),
      secretBox: openSecretBox(config),
    };
  });
