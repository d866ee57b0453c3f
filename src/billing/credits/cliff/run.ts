import type { z } from 'zod';
import type { Project } from '../../../accounts/projects.ts';
import { compareCodePoints } from '../../../lib/code-points.ts';
import { type Day, dayOf, type Period } from '../../../lib/days.ts';
import { type WideMoney, widen } from '../../../lib/money.ts';
import { planPage } from '../../../reports/asking/page.ts';
import type { AnswerSources } from '../../../reports/asking/sources.ts';
import { costsBody, parseCosts } from '../../../reports/costs/parse.ts';
import { readCostRecords } from '../../../reports/costs/run.ts';
import { readNow } from '../../../reports/facts/as-of.ts';
import { marginBody, parseMargin } from '../../../reports/margin/parse.ts';
import { readMarginRecords } from '../../../reports/margin/records.ts';
import { readCredits } from '../balances.ts';
import { findLastEnd, type GrantBalance, listInUse } from '../grant-end.ts';
import { type Cover, type CustomerCosts, calcCliff } from './calc-cliff.ts';
import type { CreditCliff } from './wire.ts';

const mostCustomers = 100;
/** More customers than any project has. */
const everyCustomer = 1_000_000;

/** Reads the margins of these days with and without credits, by customer. */
export async function runCreditCliff(
  project: Project,
  { dateFrom, dateTo }: Period,
  sources: AnswerSources,
): Promise<CreditCliff> {
  const today = dayOf(project.timezone, sources.clock());
  const range = { date_from: dateFrom, date_to: dateTo };
  const [{ grants }, net, gross] = await Promise.all([
    readCredits(sources, project.id),
    readCustomers(project, { ...range, apply_credits: true }, sources),
    readCustomers(project, { ...range, apply_credits: false }, sources),
  ]);
  const inUse = listInUse(grants, today);
  const covers = await readCovers(project, { ...range, grants, inUse }, sources);
  const netOf = new Map(net.map(({ customer, cost }) => [customer, cost]));
  const customers = gross.map(
    ({ customer, revenue, cost }): CustomerCosts => ({
      customer,
      revenue,
      net: netOf.get(customer) ?? cost,
      gross: cost,
      covers: covers.get(customer) ?? [],
    }),
  );
  return {
    ...range,
    credits_left: inUse.reduce((sum, { remaining }) => sum + remaining, 0),
    ends_on: findLastEnd(inUse)?.day ?? null,
    ...calcCliff(customers, mostCustomers),
  };
}

interface CoversWanted {
  readonly date_from: Day;
  readonly date_to: Day;
  readonly grants: readonly GrantBalance[];
  readonly inUse: readonly GrantBalance[];
}

/** What credits cover of each customer's cost, by provider, in the order in which the provider's grants end. */
async function readCovers(
  project: Project,
  { grants, inUse, ...range }: CoversWanted,
  sources: AnswerSources,
): Promise<Map<string, Cover[]>> {
  const keyOf = (provider: string) => provider.toLowerCase();
  const costs = await readCosts(project, { ...range, group_by: 'provider' }, sources);
  const spellings = Map.groupBy(costs.keys(), keyOf);
  const providers = [...new Set(grants.map(({ provider }) => keyOf(provider)))].flatMap((key) => {
    const names = spellings.get(key);
    const current = inUse.filter(({ provider }) => keyOf(provider) === key);
    return names ? [{ names, hasEnded: current.length === 0, endsOn: findLastEnd(current)?.day ?? null }] : [];
  });
  // Credits that have ended come first, those without a known end last.
  const rank = ({ hasEnded, endsOn }: (typeof providers)[number]) => (hasEnded ? '' : (endsOn ?? '~'));
  const covers = new Map<string, Cover[]>();
  for (const { names, endsOn } of providers.sort((a, b) => compareCodePoints(rank(a), rank(b)))) {
    const asked = { ...range, group_by: 'customer', providers: names } as const;
    const gross = await readCosts(project, asked, sources);
    const net = await readCosts(project, { ...asked, apply_credits: true }, sources);
    for (const [customer, cost] of gross) {
      const amount = cost - (net.get(customer) ?? 0n);
      if (amount > 0n) covers.set(customer, [...(covers.get(customer) ?? []), { endsOn, amount }]);
    }
  }
  return covers;
}

/** The exact costs behind `POST /api/costs/`, by value of the group. */
async function readCosts(
  project: Project,
  asked: Omit<z.input<typeof costsBody>, 'aggregate'>,
  sources: AnswerSources,
): Promise<Map<string, WideMoney>> {
  const question = parseCosts('costs', project.id, costsBody.parse({ ...asked, aggregate: 'all' }));
  const plan = planPage(project, question, { limit: everyCustomer }, sources.clock());
  const records = await readCostRecords(await readNow(sources.control, project), question, plan, sources);
  return new Map(records.map(({ value = '', cost }) => [value, cost]));
}

/** The exact margins behind `POST /api/margin/` by customer. */
async function readCustomers(
  project: Project,
  asked: { readonly date_from: string; readonly date_to: string; readonly apply_credits: boolean },
  sources: AnswerSources,
) {
  const question = parseMargin(project.id, marginBody.parse({ ...asked, aggregate: 'all', group_by: 'customer' }));
  const plan = planPage(project, question, { limit: everyCustomer }, sources.clock());
  const records = await readMarginRecords(await readNow(sources.control, project), question, plan, sources);
  return records.map(({ value, revenue, cost }) => ({ customer: value, revenue: widen(revenue), cost }));
}
