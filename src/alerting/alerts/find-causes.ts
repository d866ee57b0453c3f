import { readBalances } from '../../billing/credits/balances.ts';
import { addDays, dayOf } from '../../lib/days.ts';
import { NewerCatalogues } from '../../pricing/check/newer-catalogue.ts';
import { readDailyGross } from '../../reports/asking/daily-gross.ts';
import type { ChangesSources } from '../../reports/changes/run.ts';
import type { AlertKind } from '../notifications/alert-kinds.ts';
import type { Cause } from './cause.ts';
import type { FindCauses, Look } from './look.ts';
import { ArrivalReader } from './numbers/arrivals.ts';
import type { Asker } from './numbers/ask.ts';
import { readStates } from './numbers/budgets.ts';
import { hasRevenue, readCustomerMargins, resolveMonth } from './numbers/margins.ts';
import { readOldLists, readPriceChanges } from './numbers/price-changes.ts';
import { readUnusualCosts } from './numbers/unusual-costs.ts';
import { readDayCoverage, readModelUsage } from './numbers/usage.ts';
import { findPassedBudgets } from './rules/budget.ts';
import { findCoverageDrops } from './rules/coverage-drop.ts';
import { findEndingCredits } from './rules/credit-ending.ts';
import { findSilence } from './rules/no-events.ts';
import { findOldLists, findPriceChanges } from './rules/price-change.ts';
import { findUnpricedModels } from './rules/unpriced-model.ts';
import { findUnprofitableCustomers } from './rules/unprofitable-customer.ts';
import { resolveSettings } from './settings.ts';

/** For each kind, a function that reads its numbers as the routes do, and finds causes in them by its rule. */
export function createFindCauses(sources: ChangesSources): { readonly [K in AlertKind]: FindCauses } {
  const arrivals = new ArrivalReader(sources.store);
  const newerCatalogues = new NewerCatalogues(sources.control, sources.priceBooks);
  const toAsker = ({ project, now }: Look): Asker => ({ project, nowMs: now, sources });
  return {
    budget: async (look) =>
      findPassedBudgets(await readStates(look, toAsker(look)), resolveSettings('budget', look.watch.settings)),
    anomaly: async (look) => await readUnusualCosts(look, toAsker(look)),
    unprofitable_customer: async (look) => await lookAtMargins(look, toAsker(look)),
    unpriced_model: async (look) => {
      const settings = resolveSettings('unpriced_model', look.watch.settings);
      const models = await readModelUsage(toAsker(look), { today: look.today, days: settings.days });
      return findUnpricedModels({ models, today: look.today }, settings);
    },
    price_change: async (look) => {
      const settings = resolveSettings('price_change', look.watch.settings);
      const changes = await readPriceChanges(toAsker(look), { days: settings.days, newerCatalogues });
      const old = await readOldLists(toAsker(look), settings);
      return [...findPriceChanges(changes, settings), ...findOldLists(old)];
    },
    coverage_drop: async (look) => {
      const { today } = look;
      const settings = resolveSettings('coverage_drop', look.watch.settings);
      const days = await readDayCoverage(toAsker(look), { today, leastCalls: settings.least_calls });
      return findCoverageDrops({ days, today, yesterday: addDays(today, -1) }, settings);
    },
    credit_ending: async ({ project, watch, now, today }) => {
      const grants = await readBalances(
        {
          control: sources.control,
          clock: () => now,
          readDailyGross: (projectId, options) => readDailyGross(sources.answerCache, projectId, options),
        },
        project.id,
      );
      return findEndingCredits({ grants, today }, resolveSettings('credit_ending', watch.settings));
    },
    no_events: async ({ project, watch, now }) =>
      findSilence(await arrivals.read(project, now), resolveSettings('no_events', watch.settings)),
  };
}

/** A month that was over before the kind was watched is not judged. */
async function lookAtMargins({ project, watch, today }: Look, asker: Asker): Promise<Cause[]> {
  const month = resolveMonth(today);
  if (project.type !== 'revenue' || month.dateTo < dayOf(project.timezone, watch.since)) return [];
  if (!(await hasRevenue(asker))) return [];
  const settings = resolveSettings('unprofitable_customer', watch.settings);
  const rows = await readCustomerMargins(asker, { month, applyCredits: settings.apply_credits });
  return findUnprofitableCustomers({ rows, month }, settings);
}
