import { readCredits } from '../../billing/credits/balances.ts';
import { listInvoices } from '../../billing/invoices/entries.ts';
import { parseReconciliation, reconciliationBody } from '../../billing/invoices/reconciliation/parse.ts';
import { runReconciliation } from '../../billing/invoices/reconciliation/run.ts';
import { addDays, type Day, dayOf, laterOf, toDayNumber } from '../../lib/days.ts';
import { openSmallerModels } from '../../pricing/books/smaller-model.ts';
import { planPage } from '../../reports/asking/page.ts';
import { readNow } from '../../reports/facts/as-of.ts';
import { runList } from '../../reports/lists/run.ts';
import type { Alternatives } from '../../reports/waste/parse.ts';
import { listDearer, readWasteRecords, toWaste } from '../../reports/waste/run.ts';
import { askCosts, askMargin, askUsage, type LookContext, readUnreported } from '../rule/ask.ts';
import { readLatePrices } from './late-prices.ts';
import {
  findCreditEnds,
  findInvoicePrices,
  findLatePrices,
  findModelSwaps,
  findUnpricedModels,
  findUnprofitable,
  findWaste,
  type ModelUsage,
  type ReconciledModel,
} from './rules.ts';
import { rankSteps, type Step, type StepDays } from './step.ts';

/** Steps are judged by the days that the overview shows first, which include today, so that all figures there are of the same days. */
const judgedDays = 28;
/** An invoice that ended more days ago says nothing about today's prices. */
const invoiceDays = 62;

/** What is worth doing next, the largest amount first. */
export async function findSteps(asker: LookContext): Promise<Step[]> {
  const { project, now, sources } = asker;
  const today = dayOf(project.timezone, now);
  const from = laterOf(addDays(today, 1 - judgedDays), project.keptFrom ?? '');
  // Days before the first call would make each day cheaper.
  const days = toDays(from, today, laterOf(from, await readFirstDay(asker)));
  const models = await readModels(asker, days);
  const wasteDays = shorten(
    days,
    models.reduce((sum, { calls }) => sum + calls, 0),
  );
  const { newest: book } = await sources.priceBooks.ofProject(project.id);
  const smallerOf = openSmallerModels(book, days.to);
  const smaller = new Map(
    models.flatMap(({ model }) => {
      const name = smallerOf(model);
      return name === undefined ? [] : [[model, name] as const];
    }),
  );
  const [margins, late, wasted, invoiced, credits] = await Promise.all([
    project.type === 'revenue' ? askMargin(asker, { ...rangeOf(days), group_by: 'customer' }) : [],
    readLatePrices(asker, days),
    readWaste(asker, wasteDays, smaller),
    readInvoiced(asker, today),
    readCredits(sources, project.id),
  ]);
  return rankSteps([
    ...findUnprofitable(
      margins.map(({ customer = '', ...amounts }) => ({ customer, ...amounts })),
      days,
    ),
    ...findUnpricedModels(
      models,
      new Set(late.flatMap(({ model, unpricedCalls }) => (unpricedCalls > 0 ? [model] : []))),
      days,
    ),
    ...findLatePrices(late, days),
    // What the invoice charges may be the price that is set by now.
    ...findInvoicePrices(
      invoiced.models.filter(({ model }) => !late.some((price) => price.model === model)),
      invoiced.days,
    ),
    ...findCreditEnds({ ...credits, today }, days),
    ...findWaste(toWaste(wasted, smaller), wasteDays),
    ...findModelSwaps(listDearer(wasted), smaller, wasteDays),
  ]);
}

/** The day of the project's first call; empty without any. */
async function readFirstDay({ project, sources }: LookContext): Promise<Day> {
  const everyone = {
    dimension: 'provider',
    search: '',
    after: undefined,
    limit: mostProviders,
    identity: undefined,
  } as const;
  const { rows } = await runList(project.id, everyone, sources);
  const [first] = rows.flatMap(({ first_seen: time }) => time ?? []).sort();
  return first === undefined ? '' : dayOf(project.timezone, Date.parse(first));
}

/** More are not asked: their first calls are later than those of others, or next to nothing. */
const mostProviders = 1_000;

/** Waste is judged by about this many calls, those of the last days, because it is read call by call. */
const judgedCalls = 100_000;

/** The last of these days, as many as have about `judgedCalls` calls. */
function shorten(days: StepDays, calls: number): StepDays {
  if (calls <= judgedCalls) return days;
  const count = Math.max(1, Math.floor((days.count * judgedCalls) / calls));
  return toDays(addDays(days.to, 1 - count), days.to);
}

const toDays = (from: Day, to: Day, firstKnown = from): StepDays => ({
  from,
  to,
  count: toDayNumber(to) - toDayNumber(firstKnown) + 1,
});

const rangeOf = ({ from, to }: StepDays) => ({ date_from: from, date_to: to, aggregate: 'all' });

async function readModels(asker: LookContext, days: StepDays): Promise<ModelUsage[]> {
  const asked = { ...rangeOf(days), group_by: 'model' };
  const [usage, costs, unreported] = await Promise.all([
    askUsage(asker, asked),
    askCosts(asker, asked),
    readUnreported(asker, { dateFrom: days.from, dateTo: days.to }),
  ]);
  const costOf = new Map(costs.map(({ model = '', cost }) => [model, cost]));
  return usage.map(({ model = '', calls, unpriced_calls: unpricedCalls, tokens }) => ({
    model,
    calls,
    unpricedCalls: unpricedCalls - (unreported.get(model) ?? 0),
    tokens,
    cost: costOf.get(model) ?? 0,
  }));
}

const everyCall = { values: new Map(), customerTags: undefined, runTags: undefined };

async function readWaste({ project, sources }: LookContext, { from, to }: StepDays, alternatives: Alternatives) {
  const asOf = await readNow(sources.control, project);
  const question = { filters: everyCall, alternatives };
  return await readWasteRecords(asOf, question, { dateFrom: from, dateTo: to }, sources);
}

/** An invoice of fewer days of a month says less than that of the month before. */
const leastInvoicedDays = 7;

/** The reconciliation of the newest invoiced month, as its page shows it: from its first day to the last that is invoiced. */
async function readInvoiced(
  { project, now, sources }: LookContext,
  today: Day,
): Promise<{ readonly models: readonly ReconciledModel[]; readonly days: StepDays }> {
  const range = { dateFrom: addDays(today, -invoiceDays), dateTo: addDays(today, -1) };
  const entries = (await listInvoices(sources.control, project.id, { provider: undefined, ...range })).filter(
    ({ kind }) => kind === 'usage',
  );
  const days = findInvoicedDays(entries, range.dateTo);
  if (days === undefined) return { models: [], days: toDays(today, today) };
  const body = reconciliationBody.parse({ ...rangeOf(days), group_by: 'model', limit: 1_000 });
  const question = parseReconciliation(project.id, body);
  const { rows } = await runReconciliation(
    await readNow(sources.control, project),
    question,
    planPage(project, question, body, now),
    sources,
  );
  return { models: rows.map(({ model = '', parts }) => ({ model, parts })), days };
}

/** The days of the newest month with enough invoiced days; undefined without any entry. */
function findInvoicedDays(
  entries: readonly { readonly dateFrom: Day; readonly dateTo: Day }[],
  yesterday: Day,
): StepDays | undefined {
  const first = entries.map(({ dateFrom }) => dateFrom).sort()[0];
  const newest = entries
    .map(({ dateTo }) => dateTo)
    .sort()
    .at(-1);
  if (first === undefined || newest === undefined) return undefined;
  const last = newest < yesterday ? newest : yesterday;
  const monthOf = (day: Day): Day => `${day.slice(0, 7)}-01`;
  const isShort = toDayNumber(last) - toDayNumber(monthOf(last)) + 1 < leastInvoicedDays && first < monthOf(last);
  const to = isShort ? addDays(monthOf(last), -1) : last;
  return toDays([first, monthOf(to)].sort().at(-1) ?? to, to);
}
