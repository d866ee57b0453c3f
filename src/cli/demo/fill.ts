import { Temporal } from 'temporal-polyfill';
import type { ProjectWire } from '../../accounts/project-record.ts';
import { type AlertKind, definitions } from '../../alerting/kinds/kinds.ts';
import { type DemoCharge, demoCharges, demoCustomers } from './company.ts';
import { type DemoEvent, type DemoType, demoDayMs, makeDemoEvents } from './events.ts';
import { makeRandom } from './random.ts';

/** The requests that a demo makes: the admin token's routes and the intake. */
export interface DemoService {
  post<T>(path: string, body: unknown, project?: string): Promise<T>;
  put(path: string, body: unknown, project: string): Promise<void>;
  postEvents(client: DemoClient, events: readonly DemoEvent[]): Promise<void>;
}

export interface DemoClient {
  readonly client_id: string;
  readonly secret: string;
}

export interface DemoOptions {
  readonly name: string;
  readonly type: DemoType;
  readonly days: number;
  readonly now: number;
  readonly seed?: number;
  readonly onProgress?: (done: number) => void;
}

export interface Demo {
  readonly project: string;
  readonly events: number;
}

const batchEvents = 5_000;
const atRiskBelowPct = 40;

/**
 * Makes a project and fills it through public routes only: events, revenue, tags, credits, a shared cost, key metrics and
 * invoices.
 */
export async function fillDemo(service: DemoService, options: DemoOptions): Promise<Demo> {
  const { name, type, days, now, seed = 7, onProgress } = options;
  const { id: project } = await service.post<ProjectWire>('/admin/projects/', {
    name,
    type,
    ...(type === 'revenue' && { at_risk_below_pct: atRiskBelowPct }),
  });
  const client = await service.post<DemoClient>(`/admin/projects/${project}/clients/`, { name: 'demo' });
  const firstDayMs = Math.floor(now / demoDayMs) * demoDayMs - (days - 1) * demoDayMs;
  await setLimits(service, project, (_kind, _name, outOfReach) => outOfReach);
  await fillAround(service, { project, type, firstDayMs, days });

  const random = makeRandom(seed);
  const invoices = new DemoInvoices();
  let batch: DemoEvent[] = [];
  let events = 0;
  const send = async () => {
    if (batch.length > 0) await service.postEvents(client, batch);
    events += batch.length;
    batch = [];
  };
  for (let day = 0; day < days; day += 1) {
    const startMs = firstDayMs + day * demoDayMs;
    const progress = days === 1 ? 1 : day / (days - 1);
    const daysAgo = days - 1 - day;
    const made = makeDemoEvents(
      { startMs, endMs: Math.min(now, startMs + demoDayMs), progress, daysAgo },
      type,
      random,
    );
    const isOfThisMonth = toDay(startMs).slice(0, 7) === toDay(now).slice(0, 7);
    if (!isOfThisMonth || daysAgo >= invoicedDaysAgo) invoices.charge(toDay(startMs), made);
    batch.push(...made);
    if (batch.length >= batchEvents) await send();
    onProgress?.(day + 1);
  }
  await send();
  const entries = invoices.toEntries();
  if (entries.length > 0) await service.post('/api/invoices/', { entries }, project);
  // The answer waits for all calls: what fires from now on has the numbers of the page that it leads to.
  const today = toDay(now);
  await service.post('/api/usage/', { date_from: today, date_to: today, aggregate: 'all' }, project);
  await setLimits(service, project, (kind, name) => definitions[kind].settings[name]?.default);
  return { project, events };
}

/** The last day of this month that is on an invoice; months before are whole. */
const invoicedDaysAgo = 2;

const toDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Limits that no alert reaches while the demo is filled: it would fire with the numbers of the calls so far. */
const limitsWhileFilling = [
  ['anomaly', 'least_amount', 1e9],
  ['runaway', 'least_amount', 1e9],
  ['unprofitable_customer', 'least_cost', 1e9],
  ['unpriced_model', 'least_calls', 1e9],
  ['coverage_drop', 'least_calls', 1e9],
  ['credit_ending', 'days', 1],
] as const;

async function setLimits(
  service: DemoService,
  project: string,
  toLimit: (kind: AlertKind, name: string, outOfReach: number) => unknown,
): Promise<void> {
  for (const [kind, name, outOfReach] of limitsWhileFilling)
    await service.put(`/api/alerts/${kind}/`, { [name]: toLimit(kind, name, outOfReach) }, project);
}

interface Surroundings {
  readonly project: string;
  readonly type: DemoType;
  readonly firstDayMs: number;
  readonly days: number;
}

/** Adds the data around the calls: credits, a budget, and key metrics or tags and revenue. */
async function fillAround(service: DemoService, { project, type, firstDayMs, days }: Surroundings): Promise<void> {
  const grant = {
    name: 'Startup programme',
    provider: 'openai',
    amount: 600,
    starts_on: toDay(firstDayMs + Math.floor(days / 3) * demoDayMs),
    // Soon, so that the demo shows which customers are unprofitable without credits.
    expires_on: toDay(firstDayMs + (days + 12) * demoDayMs),
  };
  await service.post('/api/credit-grants/', grant, project);
  const gpu = {
    ...{ external_id: 'demo-gpu', name: 'GPU server', amount: 6 * days, allocate_by: 'tokens' },
    ...{ date_from: toDay(firstDayMs), date_to: toDay(firstDayMs + (days - 1) * demoDayMs) },
  };
  await service.post('/api/shared-costs/', { entries: [gpu] }, project);
  const budget = { name: 'All AI calls', amount: 650, period: 'month', thresholds: [80, 100] };
  await service.post('/api/budgets/', budget, project);
  if (type === 'internal') {
    const metric = { event_type: 'ticket.resolved', unit: 'ticket' };
    await service.put('/api/key-metrics/tickets%20resolved/', { ...metric, aggregation: 'count' }, project);
    const minutes = { event_type: 'ticket.resolved', aggregation: 'sum', field: '/data/minutes', unit: 'minute' };
    await service.put('/api/key-metrics/minutes%20worked/', minutes, project);
    return;
  }
  const customers = demoCustomers.map(({ name, tags }) => ({ customer_name: name, tags }));
  await service.post('/api/customer-tags/', { customers, upsert: true }, project);
  await service.post('/api/revenue/', { entries: makeRevenue(firstDayMs, days) }, project);
}

/** An entry for each customer and calendar month; the first month is charged from the first day on. */
function makeRevenue(firstDayMs: number, days: number) {
  const first = Temporal.PlainDate.from(toDay(firstDayMs));
  const last = first.add({ days: days - 1 });
  const starts = [first];
  for (let next = first.with({ day: 1 }).add({ months: 1 }); Temporal.PlainDate.compare(next, last) <= 0; ) {
    starts.push(next);
    next = next.add({ months: 1 });
  }
  return demoCustomers.flatMap(({ name, monthly }) =>
    starts.map((start) => ({
      external_id: `demo-${name}-${start.toPlainYearMonth()}`,
      customer: name,
      amount: Math.round((100 * monthly * (start.daysInMonth - start.day + 1)) / start.daysInMonth) / 100,
      date_from: start.toString(),
      date_to: start.with({ day: start.daysInMonth }).toString(),
    })),
  );
}

/** The invoices of the providers: an entry for each model and month or day, in whole cents. */
class DemoInvoices {
  /** Millionths of a dollar and the days charged, by the id of the entry. */
  readonly #charged = new Map<string, { readonly charge: DemoCharge; readonly days: string[]; micros: number }>();

  charge(day: string, events: readonly DemoEvent[]): void {
    for (const { model, prompt_tokens: prompt, cached_tokens: cached, completion_tokens: output } of events) {
      const charge = demoCharges.find((one) => one.model === model);
      if (charge === undefined || prompt === undefined) continue;
      const key = `demo-${charge.provider}-${charge.model}-${charge.isDaily ? day : day.slice(0, 7)}`;
      const entry = this.#charged.get(key) ?? { charge, days: [], micros: 0 };
      const read = Number(cached ?? 0);
      entry.micros += (Number(prompt) - read) * charge.input + read * charge.cached + Number(output) * charge.output;
      if (entry.days.at(-1) !== day) entry.days.push(day);
      this.#charged.set(key, entry);
    }
  }

  /** The entries for `POST /api/invoices/`. */
  toEntries() {
    return [...this.#charged]
      .map(
        ([
          id,
          {
            charge: { provider, model },
            days,
            micros,
          },
        ]) => {
          const [first = ''] = days;
          return {
            external_id: id,
            provider,
            model,
            date_from: first,
            date_to: days.at(-1) ?? first,
            amount: Math.round(micros / 10_000) / 100,
            kind: 'usage',
          };
        },
      )
      .filter(({ amount }) => amount > 0);
  }
}
