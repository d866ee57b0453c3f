// Made projects for the alert `runaway`: what runs, users and customers spend by the minute, and planted loops.
import { Random } from '../series/random.ts';

/** What one run, or calls without a run, spend from a minute on: an amount for each minute, in USD. */
export interface Work {
  readonly from: number;
  readonly spent: readonly number[];
  readonly run: string;
  readonly feature: string;
  readonly customer: string;
  readonly user: string;
  /** The loop that it belongs to. */
  readonly loop?: Loop;
}

export interface Loop {
  readonly kind: LoopKind;
  readonly from: number;
  readonly minutes: number;
  /** USD an hour. */
  readonly rate: number;
  /** The names by which it can be told. */
  readonly names: ReadonlySet<string>;
}

export const projectKinds = ['agents', 'chat', 'batch nights', 'launch', 'small', 'no runs', 'heavy tails'] as const;
export type ProjectKind = (typeof projectKinds)[number];
export const loopKinds = ['one run', 'growing run', 'retries without a run', 'runs that start runs'] as const;
export type LoopKind = (typeof loopKinds)[number];

export interface MadeProject {
  readonly kind: ProjectKind;
  readonly work: readonly Work[];
  readonly loops: readonly Loop[];
}

export const dayMinutes = 1_440;
/** Days to learn from, and a month that is judged. */
export const learnDays = 14;
export const judgedDays = 30;
const days = learnDays + judgedDays;

interface Shape {
  /** Runs on a usual day, their minutes and what one spends in a minute. */
  readonly runs: number;
  readonly minutes: readonly [low: number, high: number];
  readonly perMinute: readonly [low: number, high: number];
  /** The spread of a run's cost, on a logarithmic scale. */
  readonly spread: number;
  readonly customers: number;
}

const shapes: Readonly<Record<ProjectKind, Shape>> = {
  agents: { runs: 60, minutes: [5, 180], perMinute: [0.005, 0.05], spread: 0.5, customers: 12 },
  chat: { runs: 700, minutes: [1, 12], perMinute: [0.001, 0.02], spread: 0.6, customers: 60 },
  'batch nights': { runs: 120, minutes: [1, 20], perMinute: [0.005, 0.03], spread: 0.5, customers: 15 },
  launch: { runs: 120, minutes: [2, 60], perMinute: [0.005, 0.04], spread: 0.5, customers: 20 },
  small: { runs: 8, minutes: [1, 30], perMinute: [0.005, 0.05], spread: 0.5, customers: 3 },
  'no runs': { runs: 400, minutes: [1, 30], perMinute: [0.002, 0.02], spread: 0.5, customers: 25 },
  'heavy tails': { runs: 80, minutes: [2, 120], perMinute: [0.003, 0.05], spread: 0.75, customers: 12 },
};

export function makeProject(kind: ProjectKind, seed: number): MadeProject {
  const random = new Random(seed);
  const shape = shapes[kind];
  // Projects differ in size; each customer in how much it uses.
  const size = random.logBetween(0.4, 2.5);
  const shares = Array.from({ length: shape.customers }, () => random.logBetween(0.05, 1));
  const work: Work[] = [];
  let runs = 0;
  const nextRun = (feature: string) => {
    runs += 1;
    return kind === 'no runs' ? '' : `${feature}-${runs}`;
  };
  const launchDay = learnDays + random.whole(3, 20);
  const whoOf = (pick: number) => ({ customer: `c${pick}`, user: `u${pick}.${random.whole(0, 4)}` });
  for (let day = 0; day < days; day += 1) {
    const weekend = day % 7 >= 5 ? 0.4 : 1;
    // A launch grows within two days to thrice the runs, with a feature and customers that were not there before.
    const launched = kind === 'launch' ? Math.max(0, Math.min(1, (day - launchDay) / 2)) : 0;
    const count = random.poisson(shape.runs * size * weekend * (1 + 2 * launched));
    for (let run = 0; run < count; run += 1) {
      const isNew = random.chance(launched / 2);
      const feature = isNew ? 'launched' : random.pick('agent', 'search', 'summary');
      const pick = isNew && random.chance(0.5) ? shape.customers + random.whole(0, 9) : pickBy(random, shares);
      // Most work is in the hours of the day.
      const minute = random.chance(0.8) ? random.whole(8 * 60, 19 * 60) : random.whole(0, dayMinutes - 1);
      const minutes = Math.round(random.logBetween(...shape.minutes));
      const rate = random.logBetween(...shape.perMinute) * Math.exp(shape.spread * random.normal());
      const spent = Array.from({ length: minutes }, () => rate * random.between(0.3, 1.7));
      work.push({ from: day * dayMinutes + minute, spent, run: nextRun(feature), feature, ...whoOf(pick) });
    }
    if (kind === 'batch nights') work.push(...makeBatches(random, day, size, nextRun('batch')));
  }
  const perHour = work.reduce((sum, { spent }) => sum + total(spent), 0) / (days * 24);
  const loops = Array.from({ length: 4 }, (_, index) => {
    // One a week, at any hour.
    const from = (learnDays + 7 * index) * dayMinutes + random.whole(0, 6 * dayMinutes);
    const pick = pickBy(random, shares);
    const kinds = kind === 'no runs' ? (['retries without a run'] as const) : loopKinds;
    // Eight times what the project spends: $40 an hour where that is $5.
    const rate = Math.max(24, 8 * perHour) * random.between(1, 1.5);
    return makeLoop(random, { kind: kinds[index % kinds.length] ?? 'one run', from, rate, index, ...whoOf(pick) });
  });
  return { kind, work: [...work, ...loops.flatMap(({ work }) => work)], loops: loops.map(({ loop }) => loop) };
}

/** A run each night, twice as large at the end of a week. */
function makeBatches(random: Random, day: number, size: number, run: string): Work[] {
  const rate = size * random.between(0.6, 1.4) * (day % 7 === 6 ? 2 : 1);
  const minutes = random.whole(40, 150);
  return [
    {
      ...{ from: day * dayMinutes + 120 + random.whole(0, 20), run, feature: 'batch', customer: '', user: '' },
      spent: Array.from({ length: minutes }, () => rate * random.between(0.7, 1.3)),
    },
  ];
}

interface LoopPlan {
  readonly kind: LoopKind;
  readonly from: number;
  readonly rate: number;
  readonly index: number;
  readonly customer: string;
  readonly user: string;
}

function makeLoop(random: Random, { kind, from, rate, index, customer, user }: LoopPlan) {
  const minutes = random.whole(30, 240);
  const feature = random.pick('agent', 'search', 'summary');
  const run = kind === 'one run' || kind === 'growing run' ? `loop-${index}` : '';
  const loop: Loop = { kind, from, minutes, rate, names: new Set([run, customer, user].filter((name) => name !== '')) };
  const at = (minute: number) =>
    (rate / 60) * random.between(0.7, 1.3) * (kind === 'growing run' ? Math.min(1, 2 ** (minute / 10 - 3)) : 1);
  const all = Array.from({ length: minutes }, (_, minute) => at(minute));
  if (kind !== 'runs that start runs') {
    return { loop, work: [{ from, spent: all, run, feature, customer, user, loop } satisfies Work] };
  }
  // Each run is like others; there are too many of them.
  const work = all.map(
    (spent, minute): Work => ({
      ...{ from: from + minute, spent: [spent], feature, customer, user, loop },
      run: `loop-${index}-${minute}`,
    }),
  );
  return { loop, work };
}

const total = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0);

function pickBy(random: Random, shares: readonly number[]): number {
  let left = random.uniform() * total(shares);
  return Math.max(
    0,
    shares.findIndex((share) => {
      left -= share;
      return left <= 0;
    }),
  );
}
