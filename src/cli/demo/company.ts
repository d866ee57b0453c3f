// The made-up customers, models, features and users of the demo.

export interface DemoCustomer {
  readonly name: string;
  /** Its share of all use, relative to the other customers. */
  readonly weight: number;
  /** Revenue per month, in USD. */
  readonly monthly: number;
  readonly tags: Readonly<Record<string, string>>;
  /** The factor by which its use changes from the first day to the last; 1 is constant. */
  readonly growth: number;
}

export const demoCustomers: readonly DemoCustomer[] = [
  { name: 'Northwind', weight: 26, monthly: 640, growth: 1.3, tags: { plan: 'enterprise', region: 'us' } },
  { name: 'Acme Robotics', weight: 17, monthly: 455, growth: 1.1, tags: { plan: 'enterprise', region: 'us' } },
  { name: 'Helio Health', weight: 12, monthly: 232, growth: 1.4, tags: { plan: 'pro', region: 'eu' } },
  { name: 'Blue Harbour', weight: 15, monthly: 29, growth: 2.4, tags: { plan: 'starter', region: 'eu' } },
  { name: 'Lumen Legal', weight: 6, monthly: 172, growth: 0.8, tags: { plan: 'pro', region: 'us' } },
  { name: 'Quarry Labs', weight: 5, monthly: 72, growth: 1, tags: { plan: 'pro', region: 'apac' } },
  { name: 'Tessellate', weight: 3.5, monthly: 88, growth: 1.6, tags: { plan: 'pro', region: 'eu' } },
  { name: 'Fathom Foods', weight: 2.5, monthly: 29, growth: 0.6, tags: { plan: 'starter', region: 'us' } },
  { name: 'Orbit Travel', weight: 2.5, monthly: 16, growth: 1.2, tags: { plan: 'starter', region: 'apac' } },
  { name: 'Pine & Co', weight: 1.5, monthly: 16, growth: 1, tags: { plan: 'starter', region: 'us' } },
  { name: 'Studio Kestrel', weight: 1, monthly: 9, growth: 0.9, tags: { plan: 'starter', region: 'eu' } },
];

export interface DemoModel {
  readonly model: string;
  readonly provider: string;
  /** Milliseconds per thousand output tokens. */
  readonly pace: number;
}

const models = {
  sonnet: { model: 'claude-sonnet-4-5', provider: 'anthropic', pace: 13_000 },
  mini: { model: 'gpt-5-mini', provider: 'openai', pace: 7_000 },
  gemini: { model: 'gemini-2.5-pro', provider: 'google', pace: 8_500 },
  gpt4o: { model: 'gpt-4o', provider: 'openai', pace: 9_500 },
  deepseek: { model: 'deepseek-chat', provider: 'deepseek', pace: 16_000 },
  house: { model: 'house-llm-2', provider: 'house', pace: 11_000 },
} as const satisfies Record<string, DemoModel>;

type ModelName = keyof typeof models;

/** The models that a feature calls, with their relative frequencies. */
const modelWeights = {
  chat: { mini: 5, gpt4o: 2, sonnet: 3 },
  agent: { sonnet: 4, mini: 4, gpt4o: 2, house: 0.4 },
  summarize: { gemini: 5, mini: 3, deepseek: 2 },
  extract: { gemini: 4, deepseek: 4, gpt4o: 2 },
  search: { mini: 6, gemini: 4 },
  research: { sonnet: 6, gemini: 4 },
} as const satisfies Record<string, Partial<Record<ModelName, number>>>;

export interface DemoFeature {
  readonly name: keyof typeof modelWeights;
  readonly weight: number;
  /** Fewest and most calls of a run. */
  readonly calls: readonly [number, number];
  readonly input: readonly [number, number];
  readonly output: readonly [number, number];
  /** The largest share of the prompt that is read from a cache. */
  readonly cached: number;
  /** The share of its answers that are streamed and not read to the end; default: none. */
  readonly aborted?: number;
  /** How many days before the last one it was launched; default: before the first day. */
  readonly launchedDaysAgo?: number;
}

export const demoFeatures: readonly DemoFeature[] = [
  { name: 'chat', weight: 44, calls: [1, 2], input: [1_500, 14_000], output: [120, 900], cached: 0.7, aborted: 0.02 },
  { name: 'agent', weight: 14, calls: [3, 7], input: [18_000, 90_000], output: [500, 3_200], cached: 0.6 },
  { name: 'summarize', weight: 22, calls: [1, 1], input: [6_000, 60_000], output: [300, 1_200], cached: 0 },
  { name: 'extract', weight: 14, calls: [1, 3], input: [3_000, 40_000], output: [200, 2_000], cached: 0.2 },
  { name: 'search', weight: 6, calls: [2, 3], input: [2_000, 20_000], output: [80, 400], cached: 0.4 },
  {
    ...{ name: 'research', weight: 3, calls: [2, 4], input: [20_000, 70_000], output: [600, 2_500], cached: 0.5 },
    launchedDaysAgo: 9,
  },
];

/** A day on which a feature of one customer or user runs far too often, like a loop that nobody stopped. */
export interface DemoLoop {
  readonly daysAgo: number;
  readonly feature: DemoFeature['name'];
  readonly customer: string;
  readonly user: string;
  readonly runs: number;
}

/** One that is over, and one of the last hours, for which an alert fires. */
export const demoLoops: readonly DemoLoop[] = [
  { daysAgo: 4, feature: 'agent', customer: 'Quarry Labs', user: 'farid', runs: 70 },
  { daysAgo: 0, feature: 'agent', customer: 'Lumen Legal', user: 'elif', runs: 60 },
];

export interface DemoCharge extends Pick<DemoModel, 'model' | 'provider'> {
  /** USD per million tokens. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** Whether each day is an entry of its own; otherwise each month is. */
  readonly isDaily?: boolean;
}

/** What providers charge: the list price, but for one model 10% less, as by a contract. The invoices of DeepSeek are missing. */
export const demoCharges: readonly DemoCharge[] = [
  { ...models.sonnet, input: 2.7, cached: 0.27, output: 13.5, isDaily: true },
  { ...models.mini, input: 0.25, cached: 0.025, output: 2 },
  { ...models.gpt4o, input: 2.5, cached: 1.25, output: 10 },
  { ...models.gemini, input: 1.25, cached: 0.125, output: 10 },
];

/** The models that a feature calls, each with its relative frequency. */
export const modelsOf = ({ name }: DemoFeature): (readonly [DemoModel, number])[] =>
  Object.entries(modelWeights[name]).map(([model, weight]) => [models[model as ModelName], weight]);

/** The users of the internal demo, each with its relative use. */
export const demoUsers: readonly (readonly [string, number])[] = [
  ['ann', 6],
  ['ben', 5],
  ['chloe', 5],
  ['dev', 4],
  ['elif', 3],
  ['farid', 2],
  ['greta', 1],
];
