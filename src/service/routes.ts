import { sql } from 'kysely';
import { registerNextSteps } from '../advice/routes.ts';
import { registerAlerts } from '../alerts/routes.ts';
import { registerCalls } from '../analytics/calls/routes.ts';
import { CellCache } from '../analytics/cell-cache.ts';
import { registerChanges } from '../analytics/changes/routes.ts';
import { registerCosts } from '../analytics/costs/routes.ts';
import { registerCoverage } from '../analytics/coverage/routes.ts';
import { registerCreditCliff } from '../analytics/credit-cliff/routes.ts';
import { readDailyGross } from '../analytics/daily-gross.ts';
import { registerDrift } from '../analytics/drift/routes.ts';
import { registerEvents } from '../analytics/events/routes.ts';
import { registerLists } from '../analytics/lists/routes.ts';
import { registerMargin } from '../analytics/margin/routes.ts';
import { registerPerformance } from '../analytics/performance/routes.ts';
import { registerPriceCheck } from '../analytics/price-check/routes.ts';
import { findUsedChanges } from '../analytics/price-check/used-changes.ts';
import { registerReconciliation } from '../analytics/reconciliation/routes.ts';
import { registerUsage } from '../analytics/usage/routes.ts';
import { registerWaste } from '../analytics/waste/routes.ts';
import { registerBackups } from '../backup/routes.ts';
import { registerBudgets, tellOfChanges } from '../budgets/routes.ts';
import { registerCloses } from '../closes/routes.ts';
import { registerCreditGrants } from '../credits/routes.ts';
import { registerErasures } from '../customers/erasure-routes.ts';
import { registerTags } from '../customers/routes.ts';
import { registerFocus } from '../exports/focus/routes.ts';
import { offerFormats } from '../exports/offer-formats.ts';
import { gatewayRoutes } from '../gateways/routes.ts';
import type { App } from '../http/app.ts';
import { registerDashboard } from '../http/dashboard.ts';
import { openPageFiles } from '../http/dashboard-files.ts';
import { registerDocs } from '../http/docs.ts';
import { registerHealth } from '../http/health.ts';
import { giveHeavyTurns } from '../http/heavy-answers.ts';
import { registerMetrics, timeRequests } from '../http/metrics.ts';
import { registerOpenApi } from '../http/openapi.ts';
import { Pace } from '../intake/pace.ts';
import { ParseQueue } from '../intake/parse-queue.ts';
import { registerIntake } from '../intake/routes.ts';
import { registerInvoices } from '../invoices/routes.ts';
import { registerKeyMetrics } from '../key-metrics/routes.ts';
import { registerMcp } from '../mcp/routes.ts';
import { registerNotifications } from '../notifications/routes.ts';
import { registerDiagnosis } from '../operations/diagnosis.ts';
import { registerCatalogueUpdates } from '../pricing/catalogue-update-routes.ts';
import { NewerCatalogues } from '../pricing/check/newer-catalogue.ts';
import { registerModelPrice } from '../pricing/model-price-route.ts';
import { registerReprices } from '../pricing/reprice-routes.ts';
import { registerPrices } from '../pricing/routes.ts';
import { registerProjectMetrics } from '../project-metrics/routes.ts';
import { registerApiKeys } from '../projects/api-key-routes.ts';
import { changeTimezone } from '../projects/change-timezone.ts';
import { registerClients } from '../projects/client-routes.ts';
import { guardRoutes } from '../projects/guard.ts';
import { nameAskers } from '../projects/name-askers.ts';
import { registerRebuilds } from '../projects/rebuild-routes.ts';
import { registerProjects } from '../projects/routes.ts';
import { registerSessions } from '../projects/session-routes.ts';
import { Sessions } from '../projects/sessions.ts';
import { registerExchangeRates } from '../revenue/exchange-rates.ts';
import { registerRevenue } from '../revenue/routes.ts';
import { registerStripe } from '../revenue/stripe/routes.ts';
import { toControlOptions } from '../stores.ts';
import { registerTelemetry } from '../telemetry/routes.ts';
import type { Assembly } from './assembly.ts';
import type { Foundation } from './foundation.ts';
import type { Memory } from './memory.ts';

/** Everything that routes need. */
export interface RouteSources extends Omit<Foundation, 'close'> {
  readonly assembly: Assembly;
  readonly memory: Memory;
  /** Present conditions that an operator should know about. */
  readonly warnings: () => readonly string[];
  readonly sessions: Sessions;
}

export function toRouteSources(
  foundation: Foundation,
  assembly: Assembly,
  memory: Memory,
  controlLoss: readonly string[],
): RouteSources {
  const { stores, clock, apiKeys, adminTokenHash } = foundation;
  return {
    ...foundation,
    assembly,
    memory,
    warnings: () => [...controlLoss, ...assembly.warnings()],
    sessions: new Sessions({ control: stores.control, clock, apiKeys, adminTokenHash }),
  };
}

/** Every route of the service. */
export function registerRoutes(app: App, sources: RouteSources): void {
  // The guard checks that a route names its access when it is registered, so it comes before the others. `/metrics`
  // checks its own token and is public to the guard, so its place does not matter.
  timeRequests(app, sources.metrics);
  registerMetrics(app, sources.metrics, sources.config.metricsToken);
  guardRoutes(app, sources);
  nameAskers(app);
  tellOfChanges(app, sources.memory.spending);
  giveHeavyTurns(app);
  offerFormats(app);
  registerPublic(app, sources);
  registerAdmin(app, sources);
  registerPricing(app, sources);
  registerFacts(app, sources);
  registerTelling(app, sources);
  registerAnswers(app, sources);
  registerMcp(app, { clock: sources.clock, publicUrl: sources.config.publicUrl });
  registerIntakeAt(app, '/intake', sources);
}

/** The routes of a port that takes events alone. */
export function registerIntakeRoutes(app: App, sources: RouteSources): void {
  timeRequests(app, sources.metrics);
  guardRoutes(app, sources);
  registerIntakeAt(app, '', sources);
}

/** Health, the description of the API, the page, and sign-in. */
function registerPublic(app: App, { logger, stores, clock, projects, sessions, warnings }: RouteSources): void {
  const { store, control } = stores;
  registerHealth(app, {
    checks: {
      clickhouse: () => store.isReachable(),
      control: async () => (await sql`select 1`.execute(control)).rows.length === 1,
    },
    warnings,
  });
  registerOpenApi(app);
  registerDocs(app);
  registerDashboard(app, { openFiles: () => openPageFiles(logger) });
  registerSessions(app, { sessions, projects, clock });
}

/** Projects with their clients and keys, and what an operator does with the instance. */
function registerAdmin(app: App, sources: RouteSources): void {
  const { config, logger, stores, clock, projects, clients, apiKeys, priceBooks, assembly } = sources;
  const { store, control } = stores;
  const flush = () => assembly.buffer.flush();
  const ofTimezones = { projects, priceBooks, store, control, clock, flush, onRebuild: assembly.wake };
  registerProjects(app, {
    ...{ projects, clients, priceBooks, flush },
    changeTimezone: (projectId, timezone) => changeTimezone(projectId, timezone, ofTimezones),
  });
  registerClients(app, { projects, clients, clock });
  registerApiKeys(app, { projects, apiKeys, clock });
  registerDiagnosis(app, {
    store,
    control,
    clock,
    sealAfterMs: config.sealAfterMs,
    isControlServer: config.postgresUrl !== undefined,
    assemblyLagMs: () => assembly.progress.lagMs,
  });
  registerBackups(app, {
    store,
    control,
    clock,
    flush,
    controlOptions: toControlOptions(config, logger),
  });
  registerRebuilds(app, { control, projects, clock, onRebuild: assembly.wake });
}

/** Prices, and reprices of past days. */
function registerPricing(app: App, { stores, clock, priceBooks, assembly }: RouteSources): void {
  const { control } = stores;
  const { progress } = assembly;
  registerPrices(app, { priceBooks });
  registerModelPrice(app, { priceBooks, clock });
  registerReprices(app, { control, priceBooks, clock, progress, onRebuild: assembly.wake });
}

/** Facts that a project states besides its events, and erasures. */
function registerFacts(app: App, { stores, clock, assembly, projects, secretBox }: RouteSources): void {
  const { control } = stores;
  registerTags(app, { control });
  registerKeyMetrics(app, { control, clock });
  registerErasures(app, { control, clock, flush: () => assembly.buffer.flush(), onErasure: assembly.wake });
  registerRevenue(app, { control, clock });
  registerInvoices(app, { control, clock });
  registerStripe(app, { control, clock, projects, box: secretBox, onRemake: assembly.wake });
  registerExchangeRates(app, { control, clock });
}

/** Notifications: the endpoints and their deliveries. */
function registerTelling(app: App, { config, stores, clock, secretBox, assembly }: RouteSources): void {
  registerNotifications(app, {
    control: stores.control,
    clock,
    reach: { hosts: new Set(config.webhookHosts) },
    box: secretBox,
    sendsMail: config.mail !== undefined,
    onDue: assembly.wake,
  });
}

/** Analytics, and the settings that they depend on: budgets, credit grants, alerts, closes. */
function registerAnswers(
  app: App,
  { config, stores, clock, projects, priceBooks, assembly, memory }: RouteSources,
): void {
  const { questions: store, control } = stores;
  const { progress } = assembly;
  const { answerCache, spending } = memory;
  const sources = { store, answerCache, cellCache: new CellCache(store), control, clock, progress };
  registerCosts(app, sources);
  registerCalls(app, { ...sources, priceBooks });
  registerMargin(app, sources);
  registerCreditCliff(app, sources);
  registerPerformance(app, sources);
  registerUsage(app, sources);
  registerChanges(app, { ...sources, priceBooks });
  registerWaste(app, { ...sources, priceBooks });
  registerReconciliation(app, { ...sources, priceBooks });
  registerCoverage(app, { ...sources, priceBooks });
  registerLists(app, { ...sources, priceBooks });
  registerPriceCheck(app, { ...sources, priceBooks, newerCatalogues: new NewerCatalogues(control, priceBooks) });
  registerCatalogueUpdates(app, {
    ...{ control, priceBooks, clock },
    urls: {
      'genai-prices': config.priceCatalogueUrl,
      litellm: config.litellmPricesUrl,
      'models.dev': config.modelsDevUrl,
    },
    findChanges: async (change) => await findUsedChanges(change, { ...sources, priceBooks, projects }),
  });
  registerEvents(app, { ...sources, flush: () => assembly.buffer.flush() });
  registerBudgets(app, { ...sources, spending });
  registerProjectMetrics(app, sources);
  registerCreditGrants(app, {
    control,
    clock,
    progress,
    readDailyGross: (projectId, options) => readDailyGross(answerCache, projectId, options),
  });
  registerAlerts(app, { control, clock });
  registerNextSteps(app, { ...sources, priceBooks });
  registerCloses(app, { control, clock, progress, onClose: assembly.wake });
  registerDrift(app, sources);
  registerFocus(app, sources);
}

function registerIntakeAt(app: App, path: string, { config, clients, projects, assembly }: RouteSources): void {
  const options = {
    clients,
    buffer: assembly.buffer,
    queue: new ParseQueue(new Pace(assembly.progress)),
    limits: {
      maxTags: config.maxEventTags,
      maxEventBytes: config.maxEventBytes,
      maxRequestBytes: config.maxRequestBytes,
    },
    requestsPerSecond: config.intakeRateLimit,
    recordRoutes: gatewayRoutes,
    projects,
  };
  registerIntake(app, path, options);
  registerTelemetry(app, path, options);
}
