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

/** Buckets of times, in seconds. */
const times = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const longerTimes = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

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
    const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      new Counter<Label>({ name, help, labelNames, registers });
    const histogram = <Label extends string>(name: string, help: string, buckets: number[], ...labelNames: Label[]) =>
      new Histogram<Label>({ name, help, buckets, labelNames, registers });
    const ofRequests = ['route', 'method', 'status'] as const;
    this.requests = histogram(
      'farthing_http_request_seconds',
      'Time to answer a request.',
      [...times, 10],
      ...ofRequests,
    );
    this.storedEvents = counter('farthing_events_stored_total', 'Events made durable.');
    this.assembledEvents = counter('farthing_events_assembled_total', 'Events moved into calls.');
    this.assembledCalls = counter('farthing_calls_assembled_total', 'Rows of calls written.');
    this.sealedDays = counter('farthing_days_sealed_total', 'Days whose calls were rolled up, counted each time.');
    const ofDeletions = 'How often events and calls of frozen days of a project were deleted.';
    this.deletions = counter('farthing_retention_deletions_total', ofDeletions);
    this.batchSeconds = histogram('farthing_assembly_batch_seconds', 'Time of one batch of assembly.', longerTimes);
    const ofSteps = 'Time of one step of a batch of assembly.';
    this.stepSeconds = histogram('farthing_assembly_step_seconds', ofSteps, times, 'step');
    const ofJobs =
      'Time that assembly waited for a step of purging, erasing, rebuilding, sealing, freezing or deleting.';
    this.jobSeconds = histogram('farthing_assembly_other_work_seconds', ofJobs, times, 'work');
    const ofInserts = 'Time until a batch of events was durable, with all attempts.';
    this.insertSeconds = histogram('farthing_intake_insert_seconds', ofInserts, [0.005, ...longerTimes]);
    const ofBatches = 'Events in a batch that was made durable at once.';
    this.insertEvents = histogram('farthing_intake_insert_events', ofBatches, [1, 10, 100, 1_000, 10_000, 100_000]);
    const ofStatements = 'Time of a statement of the analytic store, each attempt.';
    this.statementSeconds = histogram('farthing_store_statement_seconds', ofStatements, [...times, 10, 30], 'kind');
    const ofErrors = 'Statements that a store has refused or not answered, each attempt.';
    this.storeErrors = counter('farthing_store_errors_total', ofErrors, 'store');
    for (const store of ['clickhouse', 'control']) this.storeErrors.inc({ store }, 0);
  }

  /** Adds the figures that are read at each scrape. */
  watch(sources: MetricSources): void {
    const registers = [this.registry];
    const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          this.set(await read());
        },
      });
    /** A figure that is not known is reported as NaN. */
    const waits = async (figure: WaitingFigure) => (await sources.waiting(figure)) ?? Number.NaN;
    new Gauge({
      name: 'farthing_price_list_age_days',
      help: 'Age of the data of a price list, in days; the catalogue is genai-prices.',
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
    const ofBackups = 'Backups that are being read: deletions wait for them.';
    gauge('farthing_backups_open', ofBackups, () => waits('backups'));
    const ofDays = 'Days that are over and quiet but not rolled up.';
    gauge('farthing_unsealed_days', ofDays, () => waits('unsealedDays'));
    const ofSealing = 'How long the first of these days could have been rolled up.';
    gauge('farthing_sealing_lag_seconds', ofSealing, async () => (await waits('sealingLagMs')) / 1_000);
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
  app.get('/metrics', {
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
    handler: async (request, reply) => {
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
  });
}
