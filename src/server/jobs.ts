import { readKeyMetrics } from '../accounts/key-metrics/key-metrics.ts';
import { resolveReadings } from '../accounts/key-metrics/readings.ts';
import type { Projects } from '../accounts/projects.ts';
import { Alerter } from '../alerting/alerts/alerter.ts';
import { createFindCauses } from '../alerting/alerts/find-causes.ts';
import { Digester } from '../alerting/digester/digester.ts';
import { readDigest } from '../alerting/digester/read-digest.ts';
import type { Notifier } from '../alerting/notifications/notifier.ts';
import { Closer } from '../billing/closes/closer.ts';
import type { ProviderReader } from '../billing/provider-accounts/reader.ts';
import { readEarned } from '../billing/revenue/earned.ts';
import { Remaker } from '../billing/revenue/stripe/remakes.ts';
import type { Progress } from '../calls/assembly/progress.ts';
import type { ReportKeys } from '../calls/joins/report-keys.ts';
import { Rebuilder } from '../calls/rebuild/rebuilder.ts';
import type { TouchedDays } from '../calls/touched-days.ts';
import type { Config } from '../config.ts';
import type { Metrics } from '../lib/http/metrics.ts';
import type { Logger } from '../lib/logger.ts';
import type { PriceBooks } from '../pricing/books/price-books.ts';
import { CatalogueWatcher } from '../pricing/check/catalogue-watcher.ts';
import { AnswerCache } from '../reports/asking/answer-cache.ts';
import { CellCache } from '../reports/asking/cell-cache.ts';
import { sumReadings } from '../reports/performance/frozen-readings.ts';
import { PinKeeper } from '../rollups/pins/pin-keeper.ts';
import type { Repairer } from '../rollups/repair/repairer.ts';
import { Clearer } from '../rollups/retention/clearer.ts';
import { Freezer, type ReadingSources } from '../rollups/retention/freezer.ts';
import { Sealer } from '../rollups/rollups/sealer.ts';
import type { AnalyticStore } from '../storage/analytic/analytic-store.ts';
import type { BackgroundJob } from '../storage/background-job.ts';
import type { ControlSources } from '../storage/control/control-store.ts';
import type { Lease } from '../storage/control/lease.ts';
import { isBackupUnderWay } from '../storage/control/open-backups.ts';
import { Eraser } from './erasure/erasures.ts';
import { Purger } from './operations/purge.ts';

/**
 * About how many events a step of a rebuild takes. Assembly waits for the step, and every request waits while its rows
 * are read. With 10,000 events a webhook waits for up to 180 ms, and a reprice takes four fifths of the time
 * (bench/stripe-hook.ts).
 */
const maxStepEvents = 5_000;
/** How long after a start the first project is looked at for alerts, at most, in milliseconds. */
const alertsAfterMs = 10_000;

export interface JobSources extends ControlSources {
  readonly config: Pick<
    Config,
    'sealAfterMs' | 'deleteFrozenAfterMs' | 'alertEveryMs' | 'priceCatalogueUrl' | 'watchesPrices'
  >;
  readonly metrics: Metrics;
  readonly store: AnalyticStore;
  readonly logger: Logger;
  readonly lease: Lease;
  readonly touchedDays: TouchedDays;
  readonly projects: Projects;
  readonly priceBooks: PriceBooks;
  readonly reportKeys: ReportKeys;
  readonly progress: Progress;
  /** Undefined where the analytic store is a server: only losses of the embedded engine are repaired. */
  readonly repairer: Repairer | undefined;
  readonly notifier: Notifier;
  readonly providerReader: ProviderReader;
}

/** Every background job, in the order in which they take turns: the most urgent first. */
export function createJobs({
  config,
  metrics,
  repairer,
  notifier,
  providerReader,
  ...sources
}: JobSources): BackgroundJob[] {
  const { store, control, projects } = sources;
  const sealer = new Sealer({
    ...sources,
    quietMs: config.sealAfterMs,
    onSealed: (days) => metrics.sealedDays.inc(days),
  });
  const readings: ReadingSources = {
    listReadings: async (projectId) => resolveReadings(await readKeyMetrics(control, projectId)).list,
    sumReadings: (query) => sumReadings(store, query),
  };
  // Without the caches that answers have: the questions of alerts and digests come once a while.
  const asked = { ...sources, answerCache: new AnswerCache(store), cellCache: new CellCache(store) };
  const jobs: BackgroundJob[] = [
    ...(repairer ? [repairer] : []),
    notifier,
    new Purger(sources),
    new Remaker(sources),
    providerReader,
    new Eraser(sources),
    new Rebuilder({
      ...sources,
      maxEvents: maxStepEvents,
      readEarned: (projectId, days) => readEarned(control, projectId, days),
    }),
    new Closer({ ...sources, ...readings, sealer }),
    sealer,
    new PinKeeper(sources),
    new Freezer({ ...sources, ...readings, onFrozen: (projectId) => projects.forget(projectId) }),
    new Clearer({ ...sources, graceMs: config.deleteFrozenAfterMs, onCleared: () => metrics.deletions.inc() }),
    ...(config.watchesPrices ? [new CatalogueWatcher({ ...sources, url: config.priceCatalogueUrl })] : []),
    ...(config.alertEveryMs > 0
      ? [
          restAfterStart(
            new Alerter({ ...sources, everyMs: config.alertEveryMs, findCauses: createFindCauses(asked) }),
            Math.min(config.alertEveryMs, alertsAfterMs),
          ),
        ]
      : []),
    new Digester({
      ...sources,
      readDigest: (project, every, ranges) =>
        readDigest({ project, now: sources.clock(), sources: asked }, every, ranges),
    }),
  ];
  return jobs.map((job) => (job.restsDuringBackup ? restDuringBackup(job, sources) : job));
}

/** The first looks read months of every project; answers that are asked right after a start come first. */
const restAfterStart = (job: BackgroundJob, restMs: number): BackgroundJob => {
  const until = performance.now() + restMs;
  return {
    name: job.name,
    restsDuringBackup: job.restsDuringBackup,
    step: async (state) => performance.now() >= until && (await job.step(state)),
  };
};

/** A backup reads the data as it was when the backup began, so jobs that delete or freeze wait until it has ended. */
const restDuringBackup = (
  job: BackgroundJob,
  { control, clock }: Pick<JobSources, 'control' | 'clock'>,
): BackgroundJob => ({
  name: job.name,
  restsDuringBackup: true,
  step: async (state) => !(await isBackupUnderWay(control, clock())) && (await job.step(state)),
});
