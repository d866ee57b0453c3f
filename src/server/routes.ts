import { sql } from 'kysely';
import { registerApiKeys } from '../accounts/api-key-routes.ts';
import { registerAudit } from '../accounts/audit/routes.ts';
import { registerClients } from '../accounts/client-routes.ts';
import { registerTags } from '../accounts/customers/routes.ts';
import { guardRoutes } from '../accounts/guard.ts';
import { registerKeyMetrics } from '../accounts/key-metrics/routes.ts';
import { registerProvider } from '../accounts/members/provider-routes.ts';
import { registerMembers } from '../accounts/members/routes.ts';
import { nameActors } from '../accounts/name-actors.ts';
import { nameAskers } from '../accounts/name-askers.ts';
import { registerProjects } from '../accounts/routes.ts';
import { registerSessions } from '../accounts/session-routes.ts';
import { Sessions } from '../accounts/sessions.ts';
import { registerNextSteps } from '../alerting/advice/routes.ts';
import { registerAlerts } from '../alerting/alerts/routes.ts';
import { registerBudgets, tellOfChanges } from '../alerting/budgets/routes.ts';
import { registerDigests } from '../alerting/digester/routes.ts';
import { registerNotifications } from '../alerting/notifications/routes.ts';
import { registerProjectMetrics } from '../alerting/project-metrics/routes.ts';
import { registerDrift } from '../billing/closes/drift/routes.ts';
import { registerCloses } from '../billing/closes/routes.ts';
import { registerCreditCliff } from '../billing/credits/cliff/routes.ts';
import { registerCreditGrants } from '../billing/credits/routes.ts';
import { registerReconciliation } from '../billing/invoices/reconciliation/routes.ts';
import { registerInvoices } from '../billing/invoices/routes.ts';
import { registerProviderAccounts } from '../billing/provider-accounts/routes.ts';
import { readEarned } from '../billing/revenue/earned.ts';
import { registerExchangeRates } from '../billing/revenue/exchange-rates.ts';
import { registerRevenue } from '../billing/revenue/routes.ts';
import { registerStripe } from '../billing/revenue/stripe/routes.ts';
import { registerSharedAllocation } from '../billing/shared-costs/allocation-route.ts';
import { registerSharedCosts } from '../billing/shared-costs/routes.ts';
import { registerReprices } from '../calls/rebuild/reprice-routes.ts';
import { gatewayRoutes } from '../ingest/gateways/routes.ts';
import { Pace } from '../ingest/intake/pace.ts';
import { ParseQueue } from '../ingest/intake/parse-queue.ts';
import { registerIntake } from '../ingest/intake/routes.ts';
import { registerTelemetry } from '../ingest/telemetry/routes.ts';
import type { App } from '../lib/http/app.ts';
import { registerDashboard } from '../lib/http/dashboard.ts';
import { registerDocs } from '../lib/http/docs.ts';
import { registerHealth } from '../lib/http/health.ts';
import { giveHeavyTurns } from '../lib/http/heavy-answers.ts';
import { registerMetrics, timeRequests } from '../lib/http/metrics.ts';
import { registerOpenApi } from '../lib/http/openapi.ts';
import { registerModelPrice } from '../pricing/books/model-price-route.ts';
import { registerPrices } from '../pricing/books/routes.ts';
import { registerCatalogueUpdates } from '../pricing/check/catalogue-update-routes.ts';
import { NewerCatalogues } from '../pricing/check/newer-catalogue.ts';
import { CellCache } from '../reports/asking/cell-cache.ts';
import { registerCalls } from '../reports/calls/routes.ts';
import { registerChanges } from '../reports/changes/routes.ts';
import { registerCosts } from '../reports/costs/routes.ts';
import { registerCoverage } from '../reports/coverage/routes.ts';
import { registerEvents } from '../reports/events/routes.ts';
import { registerFocus } from '../reports/exports/focus/routes.ts';
import { offerFiles, offerFormats } from '../reports/exports/offer-formats.ts';
import { registerLists } from '../reports/lists/routes.ts';
import { registerTagList } from '../reports/lists/tag-routes.ts';
import { registerMargin } from '../reports/margin/routes.ts';
import { registerMcp } from '../reports/mcp/routes.ts';
import { registerPerformance } from '../reports/performance/routes.ts';
import { registerPlans } from '../reports/plans/routes.ts';
import { registerSimulation } from '../reports/plans/simulation/routes.ts';
import { registerSavedSimulations } from '../reports/plans/simulation/saved-routes.ts';
import { registerPriceCheck } from '../reports/price-check/routes.ts';
import { findUsedChanges } from '../reports/price-check/used-changes.ts';
import { registerUsage } from '../reports/usage/routes.ts';
import { registerWaste } from '../reports/waste/routes.ts';
import type { Assembly } from './assembly.ts';
import { registerBackups } from './backup/routes.ts';
import { openDashboardFiles } from './dashboard-files.ts';
import { registerErasures } from './erasure/erasure-routes.ts';
import type { Foundation } from './foundation.ts';
import type { Memory } from './memory.ts';
import { changeTimezone } from './operations/change-timezone.ts';
import { registerDiagnosis } from './operations/diagnosis.ts';
import { registerRebuilds } from './operations/rebuild-routes.ts';
import { toSendLink } from './send-link.ts';
import { toControlOptions } from './stores.ts';

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
  const { stores, clock, apiKeys, adminTokenHash, members, lastUsed } = foundation;
  return {
    ...foundation,
    assembly,
    memory,
    warnings: () => [...controlLoss, ...assembly.warnings()],
    sessions: new Sessions({ control: stores.control, clock, apiKeys, adminTokenHash, members, lastUsed }),
  };
}

export function registerRoutes(app: App, sources: RouteSources): void {
  // The guard checks that a route names its access when it is registered, so it comes before the others. `/metrics`
  // checks its own token and is public to the guard, so its place does not matter.
  timeRequests(app, sources.metrics);
  registerMetrics(app, sources.metrics, sources.config.metricsToken);
  guardRoutes(app, sources);
  nameAskers(app);
  nameActors(app);
  tellOfChanges(app, sources.memory.spending);
  offerFiles(app);
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
  nameActors(app);
  registerIntakeAt(app, '', sources);
}

/** Health, the description of the API, the dashboard, and sign-in. */
function registerPublic(
  app: App,
  { stores, clock, projects, sessions, members, provider, warnings }: RouteSources,
): void {
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
  registerDashboard(app, { openFiles: openDashboardFiles });
  registerSessions(app, { sessions, projects, clock, provider: provider?.host });
  if (provider) registerProvider(app, { control, clock, members, sessions, provider });
}

/** Projects with their clients and keys, and what an operator does with the instance. */
function registerAdmin(app: App, sources: RouteSources): void {
  const { config, logger, stores, clock, projects, clients, apiKeys, members, priceBooks, assembly } = sources;
  const { store, control } = stores;
  const flush = () => assembly.buffer.flush();
  const ofTimezones = { projects, priceBooks, store, control, clock, flush, onRebuild: assembly.wake };
  registerProjects(app, {
    ...{ projects, clients, priceBooks, flush },
    changeTimezone: (projectId, timezone) => changeTimezone(projectId, timezone, ofTimezones),
  });
  registerClients(app, { projects, clients, clock });
  registerApiKeys(app, { projects, apiKeys, clock });
  registerMembers(app, {
    ...{ control, clock, members, projects, publicUrl: config.publicUrl, hasProvider: sources.provider !== undefined },
    sendLink: toSendLink(config),
  });
  registerDiagnosis(app, {
    store,
    control,
    clock,
    sealAfterMs: config.sealAfterMs,
    isControlServer: config.postgresUrl !== undefined,
    assemblyLagMs: () => assembly.progress.lagMs,
    provider: sources.provider,
  });
  registerAudit(app, { control });
  registerBackups(app, { store, control, clock, flush, controlOptions: toControlOptions(config, logger) });
  registerRebuilds(app, { control, projects, clock, onRebuild: assembly.wake });
}

/** Prices, and reprices of past days. */
function registerPricing(app: App, { stores, clock, priceBooks, assembly }: RouteSources): void {
  const { questions: store, control } = stores;
  const { progress } = assembly;
  registerPrices(app, { priceBooks });
  registerModelPrice(app, { priceBooks, clock });
  registerReprices(app, {
    store,
    control,
    priceBooks,
    clock,
    progress,
    readEarned: (projectId, days) => readEarned(control, projectId, days),
    onRebuild: assembly.wake,
  });
}

/** Facts that a project states besides its events, and erasures. */
function registerFacts(app: App, { stores, clock, assembly, projects, secretBox }: RouteSources): void {
  const { control } = stores;
  registerTags(app, { control });
  registerKeyMetrics(app, { control, clock });
  registerErasures(app, { control, clock, flush: () => assembly.buffer.flush(), onErasure: assembly.wake });
  registerRevenue(app, { control, clock });
  registerInvoices(app, { control, clock });
  registerSharedCosts(app, { control, clock });
  registerProviderAccounts(app, { control, clock, box: secretBox, onDue: assembly.wake });
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

/** Reports, and the settings that they depend on: budgets, credit grants, alerts, closes. */
function registerAnswers(
  app: App,
  { config, stores, clock, projects, priceBooks, assembly, memory }: RouteSources,
): void {
  // Questions read the analytic store in shares, so that no project holds up others.
  const { questions: store, control } = stores;
  const { progress } = assembly;
  const { answerCache, spending } = memory;
  const sources = { store, answerCache, cellCache: new CellCache(store), control, clock, progress };
  registerCosts(app, sources);
  registerCalls(app, { ...sources, priceBooks });
  registerMargin(app, sources);
  registerPlans(app, sources);
  registerSimulation(app, sources);
  registerSavedSimulations(app, sources);
  registerCreditCliff(app, sources);
  registerPerformance(app, sources);
  registerUsage(app, sources);
  registerChanges(app, { ...sources, priceBooks });
  registerWaste(app, { ...sources, priceBooks });
  registerReconciliation(app, { ...sources, priceBooks });
  registerCoverage(app, { ...sources, priceBooks });
  registerLists(app, { ...sources, priceBooks });
  registerTagList(app, sources);
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
  registerCreditGrants(app, sources);
  registerSharedAllocation(app, sources);
  registerAlerts(app, { control, clock });
  registerNextSteps(app, { ...sources, priceBooks });
  registerDigests(app, { ...sources, priceBooks, publicUrl: config.publicUrl });
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
