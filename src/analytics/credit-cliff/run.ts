import { readNow } from '../../closes/as-of.ts';
import { readBalances } from '../../credits/balances.ts';
import { findLastEnd, listInUse } from '../../credits/grant-end.ts';
import { addDays, dayOf } from '../../lib/days.ts';
import { widen } from '../../lib/money.ts';
import type { Project } from '../../projects/projects.ts';
import { readDailyGross } from '../daily-gross.ts';
import { marginBody, parseMargin } from '../margin/parse.ts';
import { readMarginRecords } from '../margin/records.ts';
import { planPage } from '../page.ts';
import type { AnalyticsSources } from '../sources.ts';
import { type Cliff, type CustomerCosts, calcCliff } from './calc-cliff.ts';

/** Margins are over this many days, up to yesterday. */
const cliffDays = 28;
/** The most customers in the answer. */
const mostCustomers = 100;
/** More customers than any project has. */
const everyCustomer = 1_000_000;

/** The effect of the credits' end on margins, with the API's field names. */
export interface CreditCliff extends Cliff {
  readonly date_from: string;
  readonly date_to: string;
  readonly credits_left: number;
  readonly ends_on: string | null;
}

/** The balances of a project's grants. */
export const readGrantBalances = async (
  { control, clock, answerCache }: AnalyticsSources,
  projectId: string,
): ReturnType<typeof readBalances> =>
  await readBalances(
    { control, clock, readDailyGross: (project, options) => readDailyGross(answerCache, project, options) },
    projectId,
  );

/** Reads the margins of the last 28 full days with and without credits, by customer. */
export async function runCreditCliff(project: Project, sources: AnalyticsSources): Promise<CreditCliff> {
  const today = dayOf(project.timezone, sources.clock());
  const range = { date_from: addDays(today, -cliffDays), date_to: addDays(today, -1) };
  const [grants, net, gross] = await Promise.all([
    readGrantBalances(sources, project.id),
    readCustomers(project, { ...range, apply_credits: true }, sources),
    readCustomers(project, { ...range, apply_credits: false }, sources),
  ]);
  const inUse = listInUse(grants, today);
  const endsOn = findLastEnd(inUse)?.day ?? null;
  const netOf = new Map(net.map(({ customer, cost }) => [customer, cost]));
  const customers = gross.map(
    ({ customer, revenue, cost }): CustomerCosts => ({
      customer,
      revenue,
      net: netOf.get(customer) ?? cost,
      gross: cost,
    }),
  );
  return {
    ...range,
    credits_left: inUse.reduce((sum, { remaining }) => sum + remaining, 0),
    ends_on: endsOn,
    ...calcCliff(customers, { endsOn, limit: mostCustomers }),
  };
}

/** The exact margins behind `POST /api/margin/` by customer. */
async function readCustomers(
  project: Project,
  asked: { readonly date_from: string; readonly date_to: string; readonly apply_credits: boolean },
  sources: AnalyticsSources,
) {
  const question = parseMargin(project.id, marginBody.parse({ ...asked, aggregate: 'all', group_by: 'customer' }));
  const plan = planPage(project, question, { limit: everyCustomer }, sources.clock());
  const records = await readMarginRecords(await readNow(sources.control, project), question, plan, sources);
  return records.map(({ value, revenue, cost }) => ({ customer: value, revenue: widen(revenue), cost }));
}
