// Runs once for each vitest project: one PostgreSQL and one bundle of the service for all projects, and one service for all with the same settings.
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { promisify } from 'node:util';
import type { ProvidedContext } from 'vitest';
import type { TestProject } from 'vitest/node';
import { installClients } from '../../scripts/install-clients.ts';
import { bundleService } from './bundle.ts';
import { freePort } from './ports.ts';
import { createDatabase, type PostgresServer, startPostgres } from './postgres.ts';
import { type PriceUpstream, startPriceUpstream } from './price-upstream.ts';
import './provided.ts';
import { toProviderUrls } from './provider-server.ts';
import { launchService, makeDataDir, makeMigratedDataDir, type Service, startEngine, startService } from './service.ts';
import { areServicesWoken, projectsOfRun, serviceNameOf, sharedServices, stopSharedService } from './service-waker.ts';

interface SharedPostgres {
  server: Promise<PostgresServer>;
  users: number;
}

interface Running {
  service: Service;
  provided: Pick<ProvidedContext, 'serviceUrl' | 'intakeRootUrl' | 'adminToken' | 'providerPort' | 'dataDirs'>;
  /** The engine, if it is a process beside the service. */
  engine: Service | undefined;
  upstream: PriceUpstream;
}

// Every vitest project loads this module again within one process, so the server is kept globally.
const shared = globalThis as typeof globalThis & {
  farthingPostgres?: SharedPostgres;
  farthingProgram?: Promise<void>;
  /** By the name of the service. */
  farthingStarts?: Map<string, Promise<Running | undefined>>;
};

/**
 * Installs what clients need, builds the page, bundles the service and makes the folder that `makeMigratedDataDir` copies;
 * workers inherit the paths.
 */
async function prepareProgram(): Promise<void> {
  installClients();
  const page = promisify(execFile)(process.execPath, ['dashboard/build.js']);
  process.env.TEST_CLI = await bundleService();
  await page;
  const dataDir = makeDataDir();
  const migration = await launchService({ command: 'migrate', dataDir });
  const { code } = await migration.exited;
  if (code !== 0) throw new Error(`the stores could not be migrated:\n${migration.output()}`);
  process.env.TEST_DATA_DIR = dataDir;
  // What `onceARun` makes.
  process.env.TEST_RUN_DIR = makeDataDir();
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.farthingProgram ??= prepareProgram();
  shared.farthingPostgres ??= { server: startPostgres(), users: 0 };
  const postgres = shared.farthingPostgres;
  postgres.users += 1;
  const [server] = await Promise.all([postgres.server, shared.farthingProgram]);
  const releasePostgres = async () => {
    postgres.users -= 1;
    if (postgres.users > 0) return;
    delete shared.farthingPostgres;
    await server.stop();
  };

  project.provide('postgresUrl', server.url);
  try {
    const running = await startBeside(project, server);
    if (running) {
      if (areServicesWoken()) signal(running, 'SIGSTOP');
      for (const [key, value] of Object.entries(running.provided)) {
        project.provide(key as keyof ProvidedContext, value as never);
      }
      sharedServices().set(serviceNameOf(project), {
        wake: () => signal(running, 'SIGCONT'),
        stop: async () => {
          signal(running, 'SIGCONT');
          await stopShared(serviceNameOf(project), running);
        },
      });
    }
    return async () => {
      await stopSharedService(serviceNameOf(project));
      await releasePostgres();
    };
  } catch (error) {
    await releasePostgres();
    throw error;
  }
}

/** Halts the service and its engine, or lets them go on. */
function signal({ service, engine }: Running, name: 'SIGSTOP' | 'SIGCONT'): void {
  for (const one of engine ? [service, engine] : [service]) process.kill(-one.pid, name);
}

/** The service of a project. All that a run needs start at once: one by one they would leave a core idle. */
async function startBeside(project: TestProject, server: PostgresServer): Promise<Running | undefined> {
  shared.farthingStarts ??= new Map();
  for (const one of [project, ...projectsOfRun()]) {
    const name = serviceNameOf(one);
    if (shared.farthingStarts.has(name)) continue;
    const start = startShared(one, server);
    // A failed start is reported by the set-up of its own project.
    start.catch(() => undefined);
    shared.farthingStarts.set(name, start);
  }
  return await shared.farthingStarts.get(serviceNameOf(project));
}

async function startShared(project: TestProject, server: PostgresServer): Promise<Running | undefined> {
  const { stores, seals, alerts } = project.getProvidedContext();
  if (stores === undefined) return undefined;
  // It serves the installed prices, so fetching them changes nothing for the other tests.
  const upstream = await startPriceUpstream();
  const [intakePort, providerPort] = [await freePort(), await freePort()];
  const engine =
    stores === 'servers'
      ? await startEngine({ dataDir: makeDataDir(), port: await freePort(), token: 'token-of-the-engine-0123456789' })
      : undefined;
  const service = await startService({
    dataDir: makeMigratedDataDir(),
    intakePort,
    alerts,
    env: {
      FARTHING_PRICE_CATALOGUE_URL: upstream.url,
      FARTHING_PROVIDER_URLS: toProviderUrls(providerPort),
      FARTHING_SECRETS_KEY: 'secrets-key-of-the-tests-0123456789',
      FARTHING_SEAL_AFTER_SECONDS: seals ? '0' : '86400',
      FARTHING_DELETE_FROZEN_AFTER_SECONDS: '0',
      ...(engine && { FARTHING_CLICKHOUSE_URL: engine.url }),
    },
    ...(engine && { postgresUrl: await createDatabase(server.url) }),
  });
  const provided = {
    serviceUrl: service.url,
    intakeRootUrl: `http://127.0.0.1:${intakePort}`,
    adminToken: service.adminToken,
    providerPort,
    dataDirs: [service.dataDir, ...(engine ? [engine.dataDir] : [])],
  };
  return { service, provided, engine, upstream };
}

async function stopShared(of: string, { service, engine, upstream }: Running): Promise<void> {
  await service.stop();
  await engine?.stop();
  await upstream.stop();
  for (const one of engine ? [service, engine] : [service]) {
    const lines = one.output().trim().split('\n').slice(-20);
    const complaints = lines.map((line) => line.slice(0, 500)).join('\n');
    const name = one === engine ? 'engine' : 'service';
    if (complaints !== '') process.stderr.write(`\nThe ${name} (${of}) logged:\n${complaints}\n`);
    rmSync(one.dataDir, { recursive: true, force: true });
  }
}
