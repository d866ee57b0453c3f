import type { Facts } from '../../facts/facts.ts';
import type { AskedPlan } from './plan.ts';

/** The place of the plan of each customer: the first plan that selects it. Customers that none selects are left out. */
export async function choosePlans(facts: Facts, plans: readonly AskedPlan[]): Promise<ReadonlyMap<string, number>> {
  const chosen = new Map<string, number>();
  for (const [place, { customers }] of plans.entries()) {
    const names = 'names' in customers ? customers.names : await facts.findTagged('customer', customers.tags);
    for (const name of names) if (!chosen.has(name)) chosen.set(name, place);
  }
  return chosen;
}
