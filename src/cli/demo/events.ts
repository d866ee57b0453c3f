import {
  type DemoCustomer,
  type DemoFeature,
  type DemoLoop,
  type DemoModel,
  demoCustomers,
  demoFeatures,
  demoLoops,
  demoUsers,
  modelsOf,
} from './company.ts';
import type { Random } from './random.ts';

export type DemoType = 'revenue' | 'internal';
export type DemoEvent = Readonly<Record<string, unknown>>;

export interface DemoDay {
  /** The start of the day, in milliseconds since 1970. */
  readonly startMs: number;
  /** No event is later. */
  readonly endMs: number;
  /** From 0, the first day, to 1, the last. */
  readonly progress: number;
  /** How many days it is before the last one. */
  readonly daysAgo: number;
}

export const demoDayMs = 86_400_000;
const runsADay = 170;
const weekendShare = 0.42;
const errorShare = 0.012;
/** The share of failures that are retried at once, and the share of failures that report usage. */
const retriedShare = 0.7;
const chargedShare = 0.4;
const unattributedShare = 0.015;

/** The events of one day: runs of one or more calls, each with its outcome. The internal demo also resolves tickets. */
export function makeDemoEvents(day: DemoDay, type: DemoType, random: Random): DemoEvent[] {
  const weekday = new Date(day.startMs).getUTCDay();
  const isWeekend = weekday === 0 || weekday === 6;
  const wave = 1 + 0.18 * Math.sin(day.progress * 11) + 0.35 * day.progress;
  const runs = Math.round(runsADay * wave * (isWeekend ? weekendShare : 1) * (0.9 + 0.2 * random.next()));
  const events: DemoEvent[] = [];
  for (let run = 0; run < runs; run += 1) {
    const startMs = day.startMs + Math.floor(pickHour(random) * hourMs);
    if (startMs >= day.endMs) continue;
    const feature = pickFeature(day, random);
    const who = type === 'revenue' ? pickCustomer(day, random) : { user: random.pick(demoUsers) };
    events.push(...makeRun({ startMs, day, type, feature, who }, random));
  }
  for (const loop of demoLoops) {
    if (loop.daysAgo === day.daysAgo) events.push(...makeLoop(loop, day, type, random));
  }
  return events;
}

const hourMs = 3_600_000;

/** Runs of one feature for one customer or user, one after the other: through the working day, or in the last hours. */
function makeLoop(loop: DemoLoop, day: DemoDay, type: DemoType, random: Random): DemoEvent[] {
  const feature = demoFeatures.find(({ name }) => name === loop.feature);
  if (!feature) throw new Error(`There is no feature ${loop.feature}`);
  const who = type === 'revenue' ? { customer: loop.customer } : { user: loop.user };
  const [fromMs, toMs] =
    loop.daysAgo === 0
      ? [Math.max(day.startMs, day.endMs - 3 * hourMs), day.endMs]
      : [day.startMs + 9 * hourMs, day.startMs + 17 * hourMs];
  return Array.from({ length: loop.runs }, (_, run) => Math.floor(fromMs + ((toMs - fromMs) * run) / loop.runs))
    .filter((startMs) => startMs < day.endMs)
    .flatMap((startMs) => makeRun({ startMs, day, type, feature, who }, random));
}

function pickFeature({ daysAgo }: DemoDay, random: Random): DemoFeature {
  const launched = demoFeatures.filter(({ launchedDaysAgo = Infinity }) => daysAgo <= launchedDaysAgo);
  return random.pick(launched.map((one) => [one, one.weight] as const));
}

/** An hour of the day. People work by day, in several timezones. */
const pickHour = (random: Random): number => (6 + 14 * ((random.next() + random.next()) / 2) + 3 * random.next()) % 24;

interface RunPlan {
  readonly startMs: number;
  readonly day: DemoDay;
  readonly type: DemoType;
  readonly feature: DemoFeature;
  readonly who: Readonly<Record<string, string>>;
}

function makeRun({ startMs, day, type, feature, who }: RunPlan, random: Random): DemoEvent[] {
  const tags = { ...who, feature: feature.name, run_id: `run-${random.uuid().slice(0, 13)}` };
  const events: DemoEvent[] = [];
  const calls = random.between(...feature.calls);
  let atMs = startMs;
  for (let call = 0, again: DemoModel | undefined; call < calls; ) {
    const made = makeCall(feature, { tags, atMs, endMs: day.endMs, model: again }, random);
    if (!made) break;
    events.push(made.event);
    atMs = made.doneMs + random.between(40, 1_500);
    again = made.hasFailed && random.next() < retriedShare ? made.model : undefined;
    if (!again) call += 1;
  }
  if (type === 'internal' && feature.name !== 'search' && random.next() < 0.3 && atMs < day.endMs) {
    events.push({
      event_id: random.uuid(),
      event_type: 'ticket.resolved',
      timestamp: new Date(atMs).toISOString(),
      tags: who,
      data: { minutes: random.between(2, 45) },
    });
  }
  return events;
}

function pickCustomer(day: DemoDay, random: Random): Readonly<Record<string, string>> {
  if (random.next() < unattributedShare) return {};
  const weightOf = ({ weight, growth }: DemoCustomer) => weight * (1 + (growth - 1) * day.progress);
  return { customer: random.pick(demoCustomers.map((customer) => [customer.name, weightOf(customer)] as const)) };
}

interface CallPlan {
  readonly tags: Readonly<Record<string, string>>;
  readonly atMs: number;
  readonly endMs: number;
  /** The model of the failed call that this call retries. */
  readonly model: DemoModel | undefined;
}

function makeCall(feature: DemoFeature, { tags, atMs, endMs, model: again }: CallPlan, random: Random) {
  const chosen = again ?? random.pick<DemoModel>(modelsOf(feature));
  const { model, provider, pace } = chosen;
  const isAborted = random.next() < (feature.aborted ?? 0);
  const output = Math.ceil(random.between(...feature.output) * (isAborted ? random.next() : 1));
  const elapsed = Math.round(250 + (output * pace * (0.7 + 0.6 * random.next())) / 1_000);
  const doneMs = atMs + elapsed;
  if (doneMs >= endMs) return undefined;
  const common = {
    event_id: random.uuid(),
    timestamp: new Date(doneMs).toISOString(),
    model,
    provider,
    tags,
    elapsed_ms: elapsed,
  };
  const prompt = random.between(...feature.input);
  const cached = Math.floor(prompt * feature.cached * random.next());
  const used = {
    prompt_tokens: prompt,
    completion_tokens: output,
    ...(cached > 0 && { cached_tokens: cached }),
  };
  const hasFailed = random.next() < errorShare;
  const outcome = hasFailed
    ? { event_type: 'llm.error', ...pickError(random), ...(random.next() < chargedShare && used) }
    : { event_type: 'llm.after', ...used, ...(isAborted && { aborted: true }) };
  return { event: { ...common, ...outcome }, doneMs, hasFailed, model: chosen };
}

function pickError(random: Random) {
  const [type, message] = random.pick<readonly [string, string]>([
    [['RateLimitError', 'Too many requests'], 3],
    [['TimeoutError', 'The provider took too long'], 2],
    [['OverloadedError', 'The model is overloaded'], 1],
  ]);
  return { error_type: type, error_message: message };
}
