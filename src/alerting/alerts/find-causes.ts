import { NewerCatalogues } from '../../pricing/check/newer-catalogue.ts';
import type { ChangesSources } from '../../reports/changes/run.ts';
import { lookAtCosts } from '../kinds/anomaly/unusual-costs.ts';
import { lookAtBudgets } from '../kinds/budget/rule.ts';
import { lookAtCoverage } from '../kinds/coverage-drop/rule.ts';
import { lookAtCredits } from '../kinds/credit-ending/rule.ts';
import type { AlertKind, Kinds } from '../kinds/kinds.ts';
import { ArrivalReader } from '../kinds/no-events/arrivals.ts';
import { findSilence } from '../kinds/no-events/rule.ts';
import { lookAtPrices } from '../kinds/price-change/price-changes.ts';
import { RecentSpending } from '../kinds/runaway/recent-spending.ts';
import { lookAtModels } from '../kinds/unpriced-model/rule.ts';
import { lookAtMargins } from '../kinds/unprofitable-customer/rule.ts';
import type { Cause } from '../rule/cause.ts';
import type { FindCauses, Look } from '../rule/look.ts';
import { resolveSettings } from './settings.ts';
import type { Watch } from './watches.ts';

/** For each kind, how it looks. The readers that remember are made once. */
export function createFindCauses(sources: ChangesSources): (look: Look<Watch>) => Promise<Cause[]> {
  const arrivals = new ArrivalReader(sources.store);
  const recentSpending = new RecentSpending();
  const newerCatalogues = new NewerCatalogues(sources.control, sources.priceBooks);
  const finders: { readonly [K in AlertKind]: FindCauses<Kinds[K]> } = {
    budget: lookAtBudgets,
    runaway: (look) => recentSpending.find(look),
    anomaly: lookAtCosts,
    unprofitable_customer: lookAtMargins,
    unpriced_model: lookAtModels,
    price_change: (look) => lookAtPrices(look, newerCatalogues),
    coverage_drop: lookAtCoverage,
    credit_ending: lookAtCredits,
    no_events: async ({ project, now, settings }) =>
      findSilence(await arrivals.read(project, now), settings, project.timezone),
  };
  const find = <K extends AlertKind>(kind: K, look: Look<Watch>) =>
    finders[kind]({ ...look, settings: resolveSettings(kind, look.watch.settings), sources });
  return (look) => find(look.watch.kind, look);
}
