import type { Answerer } from './answerer.ts';
import { aiSdkUsage } from './sources.ts';
import { checkText, checkTotal, type TokenCounts, withReasoning } from './token-reader.ts';
import { noInput, noneReported, noOutput, sumReported } from './usage-counts.ts';
import type { UsageObject } from './usage-object.ts';
import { type Paths, paths } from './usage-paths.ts';

const aiSdkModelUsage =
  'https://github.com/vercel/ai/blob/ai@7.0.77/packages/provider/src/language-model/v4/language-model-v4-usage.ts';

const declared = (...texts: readonly string[]): Paths => paths(aiSdkUsage, ...texts);

const input = {
  total: declared('inputTokens'),
  cacheRead: declared('inputTokenDetails.cacheReadTokens', 'cachedInputTokens'),
  cacheWrite: declared('inputTokenDetails.cacheWriteTokens'),
};
const output = {
  total: declared('outputTokens'),
  reasoning: declared('outputTokenDetails.reasoningTokens', 'reasoningTokens'),
};
const sides = { input, output };
const all = declared('totalTokens');
const noCache = declared('inputTokenDetails.noCacheTokens');
const text = declared('outputTokenDetails.textTokens');
/** Versions 6 and newer have details, and their totals include cached tokens. */
const inputDetails = declared('inputTokenDetails');

/** The AI SDK's shape. Totals include their parts; reasoning not, if the total of both sides shows that. */
export function readAiSdk(usage: UsageObject, answerer: Answerer): TokenCounts | null {
  const reasoning = usage.count(output.reasoning);
  const cacheRead = usage.count(input.cacheRead);
  const cacheWrite = usage.count(input.cacheWrite);
  if (noneReported(reasoning, cacheRead, cacheWrite)) return null;

  const fresh = usage.count(input.total);
  // Version 5 passes on the input count of these providers, which leaves out cached tokens.
  const isFresh = answerer.leavesCacheOut && !usage.hasObject(inputDetails);
  const total = isFresh ? sumReported(fresh, cacheRead, cacheWrite) : fresh;
  const sent = { input: fresh, output: usage.count(output.total), all: usage.number(all) };
  const made = withReasoning(sent, reasoning, answerer);
  checkTotal(usage, all, sent, made);
  checkTotal(usage, all, { ...sent, input: total }, made);
  checkText(usage, noCache, total, cacheRead, cacheWrite);
  checkText(usage, text, made.total, reasoning);
  return {
    input: { ...noInput, total, totalAsSent: fresh, cacheRead, cacheWrite },
    output: { ...noOutput, ...made },
    paths: sides,
  };
}

const model = {
  input: {
    total: paths(aiSdkModelUsage, 'inputTokens.total'),
    cacheRead: paths(aiSdkModelUsage, 'inputTokens.cacheRead'),
    cacheWrite: paths(aiSdkModelUsage, 'inputTokens.cacheWrite'),
  },
  output: {
    total: paths(aiSdkModelUsage, 'outputTokens.total'),
    reasoning: paths(aiSdkModelUsage, 'outputTokens.reasoning'),
  },
};
const modelNoCache = paths(aiSdkModelUsage, 'inputTokens.noCache');
const modelText = paths(aiSdkModelUsage, 'outputTokens.text');

/** The shape of the AI SDK's models (versions 3 and 4 of its provider interface). Totals include their parts. */
export function readAiSdkModel(usage: UsageObject): TokenCounts | null {
  if (!usage.hasObject(input.total) && !usage.hasObject(output.total)) return null;
  const cacheRead = usage.count(model.input.cacheRead);
  const cacheWrite = usage.count(model.input.cacheWrite);
  const reasoning = usage.count(model.output.reasoning);
  const total = usage.count(model.input.total) ?? sumReported(usage.count(modelNoCache), cacheRead, cacheWrite);
  const made = usage.count(model.output.total) ?? sumReported(usage.count(modelText), reasoning);
  if (noneReported(total, made)) return null;

  checkText(usage, modelNoCache, total, cacheRead, cacheWrite);
  checkText(usage, modelText, made, reasoning);
  usage.check(all, (total ?? 0) + (made ?? 0));
  return {
    input: { ...noInput, total, totalAsSent: total, cacheRead, cacheWrite },
    output: { ...noOutput, total: made, totalAsSent: made, reasoning },
    paths: model,
  };
}
