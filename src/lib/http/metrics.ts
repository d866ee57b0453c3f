import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { z } from 'zod';
import { equalHashes, hashSecret } from '../ids.ts';
import { Problem } from '../problem.ts';
import { bearerToken } from './access.ts';
import type { App } from './app.ts';
import { problemWith } from './problem-schema.ts';

/** Figures that are read at each scrape. */
export interface MetricSources {
  readonly bufferedBytes: () => number;
  readonly assemblyLagMs: () => number;
  readonly projectsApart: () => number;
  readonly holdsLease: () => boolean;
  readonly engineRestarts: () => number;
  /** The age of a price list in days; undefined for one that is not used. */
  readonly priceListAge: (list: string) => Promise<number | undefined> | number | undefined;
  /** A figure of what waits; undefined while the control store does not answer. */
  readonly waiting: (what: WaitingFigure) => Promise<number | undefined> | number | undefined;
}

/** Work that waits for the holder of the lease. */
export type WaitingFigure = 'unsealedDays' | 'sealingLagMs' | (typeof jobs)[number] | 'backups';

const priceLists = ['genai-prices', 'llm-zoo', 'litellm', 'models.dev', 'pi-catalog'] as const;

const jobs = ['rebuilds', 'erasures', 'purges'] as const;

/** The metrics of the process. Labels are routes and outcomes, never a project, a customer or a path (D11.3). */
export class Metrics {
  readonly registry = new Registry();
  readonly requests: Histogram<'route' | 'method' | 'status'>;
  readonly storedEvents: Counter;
  readonly assembledEvents: Counter;
  readonly assembledCalls: Counter;
  readonly sealedDays: Counter;
  readonly deletions: Counter;
  readonly batchSeconds: Histogram;
  readonly stepSeconds: Histogram<'step'>;
  readonly jobSeconds: Histogram<'work'>;
  readonly insertSeconds: Histogram;
  readonly insertEvents: Histogram;
  readonly statementSeconds: Histogram<'kind'>;
  readonly storeErrors: Counter<'store'>;

  constructor() {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.requests = new Histogram({
      name: 'farthing_http_request_seconds',
      help: 'Time to answer a request.',
      labelNames: ['route', 'method', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    });
    this.storedEvents = new Counter({ name: 'farthing_events_stored_total', help: 'Events made durable.', registers });
    this.assembledEvents = new Counter({
      name: 'farthing_events_assembled_total',
      help: 'Events moved into calls.',
      registers,
    });
    this.assembledCalls = new Counter({
      name: 'farthing_calls_assembled_total',
      help: 'Rows of calls written.',
      registers,
    });
    this.sealedDays = new Counter({
      name: 'farthing_days_sealed_total',
      help: 'Days whose calls were rolled up, each time anew.',
      registers,
    });
    this.deletions = new Counter({
      name: 'farthing_retention_deletions_total',
      help: 'How often events and calls of frozen days of a project were deleted.',
      registers,
    });
    this.batchSeconds = new Histogram({
      name: 'farthing_assembly_batch_seconds',
      help: 'Time of one batch of assembly.',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    });
    this.stepSeconds = new Histogram({
      name: 'farthing_assembly_step_seconds',
      help: 'Time of one step of a batch of assembly.',
      labelNames: ['step'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    });
    this.jobSeconds = new Histogram({
      name: 'farthing_assembly_other_work_seconds',
      help: 'Time that assembly waited for a step of purging, erasing, rebuilding, sealing, freezing or deleting.',
      labelNames: ['work'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    });
    this.insertSeconds = new Histogram({
      name: 'farthing_intake_insert_seconds',
      help: 'Time until a batch of events was durable, with all attempts.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    });
    this.insertEvents = new Histogram({
      name: 'farthing_intake_insert_events',
      help: 'Events of a batch that was made durable at once.',
      buckets: [1, 10, 100, 1_000, 10_000, 100_000],
      registers,
    });
    this.statementSeconds = new Histogram({
      name: 'farthing_store_statement_seconds',
      help: 'Time of a statement of the analytic store, each attempt.',
      labelNames: ['kind'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
      registers,
    });
    this.storeErrors = new Counter({
      name: 'farthing_store_errors_total',
      help: 'Statements that a store has refused or not answered, each attempt.',
      labelNames: ['store'],
      registers,
    });
    for (const store of ['clickhouse', 'control']) this.storeErrors.inc({ store }, 0);
  }

  /** Adds the figures that are read at each scrape. */
  watch(sources: MetricSources): void {
    const registers = [this.registry];
    const gauge = (name: string, help: string, read: () => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    /** A figure that is not known is reported as NaN. */
    const waits = async (figure: WaitingFigure) => (await sources.waiting(figure)) ?? Number.NaN;
    new Gauge({
      name: 'farthing_price_list_age_days',
      help: 'Days since the data of a price list; the catalogue is genai-prices.',
      labelNames: ['list'],
      registers,
      async collect() {
        for (const list of priceLists) this.set({ list }, (await sources.priceListAge(list)) ?? Number.NaN);
      },
    });
    new Gauge({
      name: 'farthing_jobs_waiting',
      help: 'Rebuilds and reprices, erasures, and deleted projects that are not done.',
      labelNames: ['job'],
      registers,
      async collect() {
        for (const job of jobs) this.set({ job }, await waits(job));
      },
    });
    new Gauge({
      name: 'farthing_backups_open',
      help: 'Backups that are being read: deletions wait for them.',
      registers,
      async collect() {
        this.set(await waits('backups'));
      },
    });
    new Gauge({
      name: 'farthing_unsealed_days',
      help: 'Days that are over and quiet and not rolled up.',
      registers,
      async collect() {
        this.set(await waits('unsealedDays'));
      },
    });
    new Gauge({
      name: 'farthing_sealing_lag_seconds',
      help: 'How long the first of these days could have been rolled up.',
      registers,
      async collect() {
        this.set((await waits('sealingLagMs')) / 1_000);
      },
    });
    gauge('farthing_intake_buffered_bytes', 'Bytes of events that wait for the store.', sources.bufferedBytes);
    gauge(
      'farthing_assembly_lag_seconds',
      'Age of the oldest acknowledged event that is not in the calls.',
      () => sources.assemblyLagMs() / 1_000,
    );
    gauge(
      'farthing_assembly_projects_apart',
      'Projects whose events are assembled apart from those of others: answers about them are 503.',
      sources.projectsApart,
    );
    gauge(
      'farthing_lease_held',
      'Whether this instance assembles (1), or another that shares its stores does (0).',
      () => Number(sources.holdsLease()),
    );
    new Counter({
      name: 'farthing_engine_restarts_total',
      help: 'Times that the embedded engine was started again.',
      registers,
      collect() {
        this.reset();
        this.inc(sources.engineRestarts());
      },
    });
  }
}

/** Adds the time of every request to the routes of `app` to the metrics. */
export function timeRequests(app: App, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.requests.observe({ route, method: request.method, status: reply.statusCode }, reply.elapsedTime / 1_000);
    done();
  });
}

/** `GET /metrics` in the format of Prometheus (D11.3). */
export function registerMetrics(app: App, metrics: Metrics, token: string | undefined): void {
  const hash = token === undefined ? undefined : hashSecret(token);
  app.get(
    '/metrics',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Metrics in the format of Prometheus',
        description: 'Labels are routes, methods, statuses and steps, never a project or a customer.',
        tags: ['Operations'],
        security: [{}, { metricsToken: [] }],
        produces: ['text/plain'],
        response: {
          200: z.string().meta({
            description: 'The metrics.',
            examples: [
              '# HELP farthing_events_stored_total Events made durable.\n# TYPE farthing_events_stored_total counter\nfarthing_events_stored_total 412\n',
            ],
          }),
          401: problemWith().describe('The instance asks for a token, and this is not it.'),
        },
      },
    },
    async (request, reply) => {
      if (hash !== undefined && !equalHashes(hashSecret(bearerToken(request) ?? ''), hash)) {
        throw new Problem('unauthenticated', 'Send the metrics token: Authorization: Bearer <token>.', {
          headers: { 'www-authenticate': 'Bearer' },
        });
      }
      return reply
        .type(metrics.registry.contentType)
        .serializer(String)
        .send(await metrics.registry.metrics());
    },
  );
}
