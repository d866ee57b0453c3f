import { chmodSync, mkdirSync } from 'node:fs';
import { sql } from 'kysely';
import { type Logger as PinoLogger, pino } from 'pino';
import { registerCalls } from './analytics/calls/routes.ts';
import { registerCosts } from './analytics/costs/routes.ts';
import { registerCoverage } from './analytics/coverage/routes.ts';
import { readDailyGross } from './analytics/daily-gross.ts';
import { registerEvents } from './analytics/events/routes.ts';
import { registerLists } from './analytics/lists/routes.ts';
import { registerMargin } from './analytics/margin/routes.ts';
import { readKeptReadings } from './analytics/performance/kept-readings.ts';
import { registerPerformance } from './analytics/performance/routes.ts';
import { SealedCells } from './analytics/sealed-cells.ts';
import { SettledRows } from './analytics/settled-rows.ts';
import { registerUsage } from './analytics/usage/routes.ts';
import { isBackupUnderWay } from './backup/backups.ts';
import { readUnfinishedCopy, UnfinishedCopy } from './backup/copy-in.ts';
import { refuseMoved } from './backup/moved.ts';
import { registerBackups } from './backup/routes.ts';
import { Assembler, type OtherWork } from './calls/assembly/assembler.ts';
import { Lease } from './calls/assembly/lease.ts';
import { Progress } from './calls/assembly/progress.ts';
import { noteStoredSeq, registerWriter } from './calls/assembly/watermarks.ts';
import { mendControlLoss } from './calls/mending/control-loss.ts';
import { Mender } from './calls/mending/mender.ts';
import { Rebuilder } from './calls/rebuild/rebuilder.ts';
import { Clearer } from './calls/retention/clearer.ts';
import { Freezer } from './calls/retention/freezer.ts';
import { backfillDays } from './calls/rollups/backfill.ts';
import { Sealer } from './calls/rollups/sealer.ts';
import { TouchedDays } from './calls/rollups/touched-days.ts';
import type { Config } from './config.ts';
import { registerCreditGrants } from './credits/routes.ts';
import { registerErasures } from './customers/erasure-routes.ts';
import { carryOnErasures } from './customers/erasures.ts';
import { registerTags } from './customers/routes.ts';
import { createApp } from './http/create-app.ts';
import { registerDashboard } from './http/dashboard.ts';
import { openPageFiles } from './http/dashboard-files.ts';
import { registerDocs } from './http/docs.ts';
import { registerHealth } from './http/health.ts';
import { listen, toUrl } from './http/listen.ts';
import { Metrics, registerMetrics } from './http/metrics.ts';
import { registerOpenApi } from './http/openapi.ts';
import { registerIntake } from './intake/routes.ts';
import { WriteBuffer } from './intake/write-buffer.ts';
import { readKeyMetrics } from './key-metrics/key-metrics.ts';
import { resolveReadings } from './key-metrics/readings.ts';
import { registerKeyMetrics } from './key-metrics/routes.ts';
import { hashSecret, newId } from './lib/ids.ts';
import { version } from './lib/version.ts';
import { registerDiagnosis } from './operations/diagnosis.ts';
import { shareWaiting } from './operations/waiting.ts';
import { describeFailures } from './operations/warnings.ts';
import { registerCatalogueUpdates } from './pricing/catalogue-update-routes.ts';
import { registerModelPrice } from './pricing/model-price-route.ts';
import { PriceBooks } from './pricing/price-books.ts';
import { registerReprices } from './pricing/reprice-routes.ts';
import { registerPrices } from './pricing/routes.ts';
import { openAdminToken } from './projects/admin-token.ts';
import { registerApiKeys } from './projects/api-key-routes.ts';
import { ApiKeys } from './projects/api-keys.ts';
import { registerClients } from './projects/client-routes.ts';
import { Clients } from './projects/clients.ts';
import {
  describeFirstProject,
  dropFirstProject,
  type FirstProject,
  findFirstProject,
  keepFirstProject,
  makeFirstProject,
} from './projects/first-start.ts';
import { guardRoutes } from './projects/guard.ts';
import { LastUsed } from './projects/last-used.ts';
import { Projects } from './projects/projects.ts';
import { purgeDeletedProjects } from './projects/purge.ts';
import { registerRebuilds } from './projects/rebuild-routes.ts';
import { registerProjects } from './projects/routes.ts';
import { registerSessions } from './projects/session-routes.ts';
import { Sessions } from './projects/sessions.ts';
import { registerRevenue } from './revenue/routes.ts';
import { openClock, openStores, openSwitchboard, toControlOptions, whileAlone } from './stores.ts';

/** The most events of one writer that a batch of assembly takes: what is costed at once stays in memory. */
const maxBatchEvents = 50_000;
/** About how many events a step of a rebuild takes: assembly waits for it. */
const maxStepEvents = 10_000;

export interface Service {
  readonly url: string;
  readonly intakeUrl: string | undefined;
  /** Stops taking requests, answers what was taken, stores what is buffered, and closes the stores (D13.3). */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly logger: PinoLogger;
  /** Where the note of the first start is shown; without a terminal it is kept in a file (D1.6). */
  readonly terminal: { write(text: string): void } | undefined;
  /** Starts on stores whose copy was not released yet, for its answers to be compared. */
  readonly isTrial?: boolean;
}

/** Starts the service: stores, then the assembler, then the routes, then the ports. */
export async function startService(
  config: Config,
  { logger, terminal, isTrial = false }: ServiceOptions,
): Promise<Service> {
  // What was started, to be stopped in reverse order, also when the start itself fails.
  const started: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const close of started.splice(0).reverse()) await close();
  };
  try {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    chmodSync(config.dataDir, 0o700);

    if (config.clickhouseUrl === undefined) refuseMoved(config.dataDir);

    const onError = (cause: unknown) => logger.error({ err: cause }, 'a store failed');
    const metrics = new Metrics({
      bufferedBytes: () => buffer.bufferedBytes,
      assemblyLagMs: () => progress.lagMs,
      holdsLease: () => lease.isHeld,
      engineRestarts: () => engine?.restarts() ?? 0,
      waiting: async (what) => (await readWaiting())?.[what],
    });
    const stores = await openStores(config, logger, {
      onStatement: (kind, elapsedMs) => metrics.statementSeconds.observe({ kind }, elapsedMs / 1_000),
      onError: (failed) => metrics.storeErrors.inc({ store: failed }),
    });
    started.push(() => stores.close());
    const { engine, store, control, reading } = stores;
    const sharedClock = await openClock(config, control, logger);
    started.push(async () => sharedClock.close());
    const { clock } = sharedClock;
    const readWaiting = shareWaiting({ control, clock, sealAfterMs: config.sealAfterMs });
    if (!isTrial && (await readUnfinishedCopy(store)) !== undefined) throw new UnfinishedCopy();

    const { token: adminToken, path: adminTokenPath } = openAdminToken(config.dataDir, config.adminToken);
    if (adminTokenPath) logger.info({ path: adminTokenPath }, 'the admin token is in this file');

    const lastUsed = new LastUsed(control, onError);
    started.push(() => lastUsed.close());
    const projects = new Projects(control, clock);
    const clients = new Clients(control, clock, lastUsed);
    const apiKeys = new ApiKeys(control, clock, lastUsed);
    const priceBooks = new PriceBooks(control, clock);
    const keepNote = (made: FirstProject, url: string) =>
      keepFirstProject(describeFirstProject(made, url), config.dataDir);
    const mendLoss = () => mendControlLoss({ store, control, clock, logger });
    const controlLoss = config.postgresUrl ? [] : await reading(mendLoss);
    const prepareStores = async () => {
      await priceBooks.activateCurrentCatalogue();
      const keep = (made: FirstProject) => keepNote(made, toUrl(config.host, config.port));
      const made = await makeFirstProject({ projects, clients, apiKeys, priceBooks, now: clock(), keep });
      const backfilled = await backfillDays(store, control, clock());
      if (backfilled > 0) logger.info({ projects: backfilled }, 'the days of earlier calls were noted');
      return made;
    };
    const first = await whileAlone(config, control, () => reading(prepareStores));

    const writer = newId('wrt');
    // On several shards an INSERT may be there in part: the writer says what is there for certain.
    const isSharded = config.clickhouseCluster !== undefined;
    const registeredAt = clock();
    await registerWriter(control, writer, registeredAt, isSharded ? 0 : null);
    const switchboard = await openSwitchboard(config, writer, onError);
    started.push(() => switchboard.close());
    const progress = new Progress(clock);
    const buffer = new WriteBuffer({
      store,
      writer,
      clock,
      notBefore: registeredAt,
      maxBufferedBytes: config.maxBufferedBytes,
      noteStoredSeq: isSharded ? (seq) => noteStoredSeq(control, writer, seq) : undefined,
      onStored: (batch, elapsedMs) => {
        metrics.storedEvents.inc(batch.events);
        metrics.insertEvents.observe(batch.events);
        metrics.insertSeconds.observe(elapsedMs / 1_000);
        progress.noteStored(batch);
      },
      onError: (cause) => logger.warn({ err: cause }, 'events could not be stored; they will be tried again'),
      isShared: () => switchboard.hearsOthers,
    });
    // The embedded engine locks its folder, and the SQLite file is beside it: nobody else can be at work.
    const exclusive = engine !== undefined && config.postgresUrl === undefined;
    const lease = new Lease({ control, clock, holder: writer, exclusive });
    const touchedDays = new TouchedDays(control, clock);
    const sealer = new Sealer({
      store,
      control,
      lease,
      clock,
      logger,
      touchedDays,
      quietMs: config.sealAfterMs,
      onSealed: (days) => metrics.sealedDays.inc(days),
    });
    const mender = new Mender({ ...config, store, control, lease, clock, logger, progress, touchedDays });
    if (engine) await mender.begin(engine);
    started.push(() => mender.close());
    const rebuilder = new Rebuilder({
      store,
      control,
      lease,
      projects,
      priceBooks,
      clock,
      logger,
      maxEvents: maxStepEvents,
      touchedDays,
    });
    const freezer = new Freezer({
      store,
      control,
      lease,
      clock,
      logger,
      listReadings: async (projectId) => resolveReadings(await readKeyMetrics(control, projectId)).list,
      readKeptReadings: (query) => readKeptReadings(store, query),
      onFrozen: (projectId) => projects.forget(projectId),
    });
    const clearer = new Clearer({
      store,
      control,
      lease,
      clock,
      logger,
      graceMs: config.deleteFrozenAfterMs,
      onCleared: () => metrics.deletions.inc(),
    });
    /** Work that deletes: a backup reads what there was when it began. */
    const unlessBackedUp =
      (step: OtherWork['step']): OtherWork['step'] =>
      async (state) =>
        !(await isBackupUnderWay(control, clock())) && (await step(state));
    const assembler = new Assembler({
      store,
      control,
      lease,
      projects,
      priceBooks,
      maxEvents: maxBatchEvents,
      touchedDays,
      clock,
      logger,
      writer,
      progress,
      exclusive,
      switchboard,
      storedSeq: () => (isSharded ? buffer.storedSeq : null),
      quiet: () => buffer.quiet(),
      otherWork: [
        ...(engine ? [{ name: 'mend', step: () => mender.step() }] : []),
        {
          name: 'purge',
          step: unlessBackedUp(async () => {
            const purged = await purgeDeletedProjects({ store, control, clock });
            if (purged > 0) logger.info({ projects: purged }, 'deleted projects were purged');
            return purged > 0;
          }),
        },
        { name: 'erasure', step: unlessBackedUp(() => carryOnErasures({ store, control, clock, lease })) },
        { name: 'rebuild', step: () => rebuilder.step() },
        { name: 'seal', step: (state) => sealer.step(state) },
        { name: 'freeze', step: unlessBackedUp((state) => freezer.step(state)) },
        { name: 'clear', step: unlessBackedUp(() => clearer.step()) },
      ],
      afterOtherWork: (work, elapsedMs) => metrics.otherWorkSeconds.observe({ work }, elapsedMs / 1_000),
      afterStep: (step, elapsedMs) => metrics.stepSeconds.observe({ step }, elapsedMs / 1_000),
      onBatch: ({ events, calls, elapsedMs }) => {
        metrics.assembledEvents.inc(events);
        metrics.assembledCalls.inc(calls);
        metrics.batchSeconds.observe(elapsedMs / 1_000);
      },
    });
    assembler.start();
    started.push(() => assembler.stop());
    started.push(() => buffer.close());

    const intakeOptions = {
      clients,
      buffer,
      limits: {
        maxTags: config.maxEventTags,
        maxEventBytes: config.maxEventBytes,
        maxRequestBytes: config.maxRequestBytes,
      },
      requestsPerSecond: config.intakeRateLimit,
    };
    const adminTokenHash = hashSecret(adminToken);
    const sessions = new Sessions({ control, clock, apiKeys, adminTokenHash });
    const access = { adminTokenHash, apiKeys, projects, sessions };
    const wakeAssembler = () => assembler.wake();
    const [settled, sealedCells] = [new SettledRows(store), new SealedCells(store)];
    const sources = { store, settled, sealedCells, control, clock, progress };
    // Below a warning, fastify's own lines say nothing that ours don't.
    const appLogger = logger.isLevelEnabled('warn') ? logger.child({}, { level: 'warn' }) : logger;
    const app = createApp(
      appLogger,
      (routes) => {
        registerMetrics(routes, metrics, config.metricsToken);
        guardRoutes(routes, access);
        registerHealth(routes, {
          checks: {
            clickhouse: () => store.isReachable(),
            control: async () => (await sql`select 1`.execute(control)).rows.length === 1,
          },
          warnings: () => [
            ...controlLoss,
            ...mender.warnings,
            ...describeFailures({ intake: buffer.failure, assembly: assembler.failure }),
          ],
        });
        registerOpenApi(routes);
        registerDocs(routes);
        registerDashboard(routes, { openFiles: () => openPageFiles(logger) });
        registerSessions(routes, { sessions, projects, clock });
        registerProjects(routes, { projects, clients, priceBooks, store, control, clock, onRebuild: wakeAssembler });
        registerClients(routes, { projects, clients, clock });
        registerApiKeys(routes, { projects, apiKeys, clock });
        registerDiagnosis(routes, {
          store,
          control,
          clock,
          sealAfterMs: config.sealAfterMs,
          isControlServer: config.postgresUrl !== undefined,
          assemblyLagMs: () => progress.lagMs,
        });
        registerBackups(routes, { store, control, clock, controlOptions: toControlOptions(config, logger) });
        registerRebuilds(routes, { control, projects, clock, onRebuild: wakeAssembler });
        registerPrices(routes, { priceBooks });
        registerModelPrice(routes, { priceBooks, clock });
        registerCatalogueUpdates(routes, { control, priceBooks, clock, url: config.priceCatalogueUrl });
        registerReprices(routes, { control, priceBooks, clock, progress, onRebuild: wakeAssembler });
        registerTags(routes, { control });
        registerKeyMetrics(routes, { control, clock });
        registerErasures(routes, { control, clock, onErasure: wakeAssembler });
        registerRevenue(routes, { control, clock });
        registerCosts(routes, sources);
        registerCalls(routes, { ...sources, priceBooks });
        registerMargin(routes, sources);
        registerPerformance(routes, sources);
        registerUsage(routes, sources);
        registerCoverage(routes, sources);
        registerLists(routes, { ...sources, priceBooks });
        registerEvents(routes, sources);
        registerCreditGrants(routes, {
          control,
          clock,
          progress,
          readDailyGross: (projectId, options) => readDailyGross(sources.settled, projectId, options),
        });
        registerIntake(routes, '/intake', intakeOptions);
      },
      { trustedProxies: config.trustedProxies },
    );
    const url = await listen(app, config.host, config.port);
    started.push(() => app.close());

    let intakeUrl: string | undefined;
    if (config.intakePort !== undefined) {
      const intake = createApp(appLogger, (routes) => {
        guardRoutes(routes, access);
        registerIntake(routes, '', intakeOptions);
      });
      intakeUrl = await listen(intake, config.host, config.intakePort);
      started.push(() => intake.close());
    }

    if (first && terminal) {
      terminal.write(`\n${describeFirstProject(first, url)}\n`);
      dropFirstProject(config.dataDir);
    } else if (first) {
      // Now the port is known, also where any free one was asked for.
      const path = keepNote(first, url);
      logger.info({ path }, 'first start: keys and commands to try are in this file');
    } else {
      const path = findFirstProject(config.dataDir);
      if (path)
        logger.info({ path }, 'the keys of the first start are still in this file: keep them elsewhere and delete it');
    }
    logger.info(
      { url, ...(intakeUrl && { intakeUrl }), version, dataDir: config.dataDir },
      `Farthing ${version} serves at ${url}`,
    );
    return { url, intakeUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The log of a command: errors alone, where they don't get between what it prints. */
export const createCommandLogger = (): PinoLogger => pino({ level: 'error' }, pino.destination(2));
