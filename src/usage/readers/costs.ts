import { type JsonObject, ownObject, ownObjects, ownValue } from '../../lib/json-object.ts';
import { dollar, type Money, parseMoney } from '../../lib/money.ts';
import { openRouterCost, openRouterUsage, perplexityUsage } from './sources.ts';
import type { UsageObject } from './usage-object.ts';
import { markPaths, type Paths, paths, pathsInBothCases } from './usage-paths.ts';

const xAiCost = 'https://docs.x.ai/developers/cost-tracking';
const vercelGateway = 'https://www.npmjs.com/package/@ai-sdk/gateway/v/4.0.146';
const aiSdkXAi = 'https://www.npmjs.com/package/@ai-sdk/xai/v/5.0.12';

/** The amount that OpenRouter charged, in US dollars; Vercel's gateway writes it as text, and 0 for the caller's own key. */
const charged = [...paths(openRouterCost, 'cost'), ...paths(vercelGateway, 'cost')];
/** Whether the caller's own key paid the provider. The caller then pays the provider's price and OpenRouter's fee. */
const isOwnKey = pathsInBothCases(openRouterUsage, 'is_byok');
const upstream = pathsInBothCases(openRouterCost, 'cost_details.upstream_inference_cost');
/** The amount that xAI charged, in ticks of 1e-10 US dollars. */
const ticks = [...paths(xAiCost, 'cost_in_usd_ticks'), ...paths(aiSdkXAi, 'costInUsdTicks')];
const moneyPerTick = dollar / 10_000_000_000n;
/** The amount that Perplexity charged, in US dollars. */
const perplexityTotal = paths(perplexityUsage, 'cost.total_cost');

const isOfCosts = markPaths([...charged, ...ticks, ...perplexityTotal, ...upstream]);

/** The highest cost that an event may report (D3.11). */
const maxReportedCost = 100_000n * dollar;

/** An amount in US dollars that is accepted as a call's cost (D3.11): from 0 to 100,000; null for anything else. */
export function asReportedCost(value: unknown): Money | null {
  const amount = typeof value === 'number' ? parseMoney(value) : null;
  return isBelieved(amount) ? amount : null;
}

/** The provider's charge for the call according to a usage object, in US dollars, and its place. */
export interface UsageCost {
  readonly amount: Money;
  readonly paths: Paths;
}

/** Reads the provider's charge (D26.4); null where the usage object has none. */
export function readCost(usage: UsageObject): UsageCost | null {
  // OpenRouter's cost of 0 counts too, because models can be free.
  if (!usage.hasNumberIn(isOfCosts) && !usage.has(isOwnKey) && !usage.has(charged)) return null;
  const cost = readGateway(usage) ?? readOpenRouter(usage) ?? readTicks(usage) ?? readPerplexity(usage);
  if (cost !== null) usage.accept(cost.paths);
  return cost;
}

/** Exa's charge, in US dollars (https://exa.ai/docs/reference/search), or 0 for what Claude refused. */
export function readAnswerCost(answer: JsonObject | undefined): Money | null {
  const costs = ownObject(answer, 'costDollars');
  if (costs !== undefined) return asReportedCost(ownValue(costs, 'total'));
  return answer !== undefined && isFreeRefusal(answer) ? 0n : null;
}

/**
 * Whether Claude refused before any output, which is free. Refusals of older models, without details, were charged.
 * https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback
 */
function isFreeRefusal(answer: JsonObject): boolean {
  if (ownValue(answer, 'stop_reason') !== 'refusal') return false;
  const usage = ownObject(answer, 'usage');
  if (usage === undefined || ownObject(answer, 'stop_details') === undefined) return false;
  return [usage, ...ownObjects(usage, 'iterations')].every((one) => ownValue(one, 'output_tokens') === 0);
}

function readOpenRouter(usage: UsageObject): UsageCost | null {
  const fee = usage.number(charged);
  if (fee === undefined) return null;
  const ofProvider = usage.number(upstream);
  if (usage.value(isOwnKey) !== true || ofProvider === undefined) {
    usage.check(upstream, fee);
    return asCost(asReportedCost(fee), charged);
  }
  const [own, beside] = [asReportedCost(fee), asReportedCost(ofProvider)];
  return own === null || beside === null ? null : asCost(own + beside, [...charged, ...upstream]);
}

function readGateway(usage: UsageObject): UsageCost | null {
  const text = usage.value(charged);
  const amount = typeof text === 'string' ? parseMoney(text) : null;
  return amount === 0n ? null : asCost(amount, charged);
}

function readTicks(usage: UsageObject): UsageCost | null {
  const count = usage.number(ticks);
  if (count === undefined || !Number.isSafeInteger(count)) return null;
  return asCost(BigInt(count) * moneyPerTick, ticks);
}

const readPerplexity = (usage: UsageObject): UsageCost | null =>
  asCost(asReportedCost(usage.number(perplexityTotal)), perplexityTotal);

const asCost = (amount: Money | null, list: Paths): UsageCost | null =>
  isBelieved(amount) ? { amount, paths: list } : null;

const isBelieved = (amount: Money | null): amount is Money =>
  amount !== null && amount >= 0n && amount <= maxReportedCost;
