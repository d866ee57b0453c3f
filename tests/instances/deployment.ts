// Instances, an engine and, in the long form, a PostgreSQL server of their own: processes that a test can stop, kill or hang.
import { rmSync } from 'node:fs';
import { inject } from 'vitest';
import '../support/provided.ts';
import { isLong } from '../support/effort.ts';
import { poll } from '../support/poll.ts';
import { freePort } from '../support/ports.ts';
import { createDatabase, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { launchService, makeDataDir, type Service, startEngine, untilReady } from '../support/service.ts';

const token = 'token-of-the-engine-0123456789';
const adminToken = 'admin-token-of-the-instances-0123456789';

export interface Instance {
  readonly index: number;
  readonly url: string;
  service: Service;
}

export class Deployment {
  readonly adminToken = adminToken;
  readonly instances: Instance[] = [];
  engine: Service;
  readonly #postgres: PostgresServer | undefined;
  readonly #databaseUrl: string;
  readonly #directories: string[];
  readonly #env: Record<string, string>;

  private constructor(
    postgres: PostgresServer | undefined,
    databaseUrl: string,
    engine: Service,
    env: Record<string, string>,
  ) {
    this.#env = env;
    this.#postgres = postgres;
    this.#databaseUrl = databaseUrl;
    this.engine = engine;
    this.#directories = [engine.dataDir];
  }

  /** Starts everything; the instances all at once, on empty stores. `env` is added to the environment of each. */
  static async start(count = 3, env: Record<string, string> = {}): Promise<Deployment> {
    const postgres = isLong ? await startPostgres() : undefined;
    try {
      const engine = await startEngine({ dataDir: makeDataDir(), port: await freePort(), token });
      const deployment = new Deployment(
        postgres,
        await createDatabase(postgres?.url ?? inject('postgresUrl')),
        engine,
        env,
      );
      try {
        for (let index = 0; index < count; index += 1) {
          const service = await deployment.#launch(await freePort(), makeDataDir());
          deployment.instances.push({ index, url: service.url, service });
          deployment.#directories.push(service.dataDir);
        }
        await Promise.all(deployment.instances.map(({ service }) => untilReady(service)));
        return deployment;
      } catch (error) {
        await deployment.close();
        throw error;
      }
    } catch (error) {
      await postgres?.stop();
      throw error;
    }
  }

  get postgres(): PostgresServer {
    if (!this.#postgres) throw new Error('Others use the server too');
    return this.#postgres;
  }

  #launch(port: number, dataDir: string): Promise<Service> {
    return launchService({
      dataDir,
      port,
      adminToken,
      postgresUrl: this.#databaseUrl,
      // Days are rolled up at once, so that answers come from rollups and calls in every mixture.
      env: { FARTHING_CLICKHOUSE_URL: this.engine.url, FARTHING_SEAL_AFTER_SECONDS: '0', ...this.#env },
    });
  }

  /** Starts an instance again that has ended. */
  async revive(instance: Instance): Promise<void> {
    const { port, dataDir } = instance.service;
    instance.service = await this.#launch(port, dataDir);
    await untilReady(instance.service);
  }

  async reviveEngine(): Promise<void> {
    const { port, dataDir } = this.engine;
    this.engine = await startEngine({ dataDir, port, token });
  }

  /** The instance that assembles, once there is one. */
  async holder(except?: Instance): Promise<Instance> {
    return await poll('an instance holds the lease', { within: 30_000, every: 200 }, async () => {
      for (const instance of this.instances) {
        if (instance !== except && (await holdsLease(instance))) return instance;
      }
      return undefined;
    });
  }

  /** The last that each process has logged. */
  output(): string {
    const named = this.instances.map(({ index, service }) => [`instance ${index}`, service] as const);
    return [...named, ['engine', this.engine] as const]
      .map(([name, service]) => `${name}:\n${service.output().slice(-4_000)}`)
      .join('\n');
  }

  async close(): Promise<void> {
    await Promise.all(this.instances.map(({ service }) => service.kill()));
    await this.engine.kill();
    await this.#postgres?.stop();
    for (const directory of this.#directories) rmSync(directory, { recursive: true, force: true });
  }
}

async function holdsLease({ url }: Instance): Promise<boolean> {
  const answer = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
  const text = await answer?.text().catch(() => '');
  return /^farthing_lease_held 1$/m.test(text ?? '');
}
