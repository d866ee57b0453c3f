import { readTaggedNames } from '../../asking/where.ts';
import type { Facts } from '../../facts/facts.ts';
import type { AskedPlan, Selector } from './plan.ts';

/** The place of a customer's plan: the first that selects it; undefined for customers that none selects. */
export type PlaceOf = (customer: string) => number | undefined;

/** Reads whom the plans select. Calls without a customer are on a plan only by the name `''`. */
export async function choosePlans(facts: Facts, plans: readonly AskedPlan[]): Promise<PlaceOf> {
  const selectors = await Promise.all(plans.map(({ customers }) => readSelector(facts, customers)));
  const known = new Map<string, number>();
  return (customer) => {
    const place = known.get(customer) ?? selectors.findIndex((selects) => selects(customer));
    known.set(customer, place);
    return place === -1 ? undefined : place;
  };
}

async function readSelector(facts: Facts, selector: Selector): Promise<(customer: string) => boolean> {
  if ('names' in selector) {
    const names = new Set(selector.names);
    return (customer) => names.has(customer);
  }
  const { among, except } = await readTaggedNames(facts, 'customer', selector.tags);
  const [kept, left] = [among && new Set(among), new Set(except)];
  return (customer) => customer !== '' && !left.has(customer) && (kept?.has(customer) ?? true);
}
