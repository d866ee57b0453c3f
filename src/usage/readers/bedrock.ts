import { bedrockMetrics, replicatePrediction } from './sources.ts';
import type { TokenCounts } from './token-reader.ts';
import { noInput, noneReported, noOutput, sumReported } from './usage-counts.ts';
import type { UsageObject } from './usage-object.ts';
import { paths } from './usage-paths.ts';

const bedrockTokenUsage = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html';
const bedrockNova = 'https://docs.aws.amazon.com/nova/latest/userguide/prompt-caching.html';
const bedrockInvoke = 'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html';
const ollamaAnswer = 'https://github.com/ollama/ollama/blob/main/docs/api.md';

const cacheDetails = paths(bedrockTokenUsage, 'cacheDetails');
const ttl = paths(bedrockTokenUsage, 'ttl');
const inputTokens = paths(bedrockTokenUsage, 'inputTokens');
const input = {
  total: [
    ...inputTokens,
    ...paths(bedrockMetrics, 'inputTokenCount'),
    ...paths(replicatePrediction, 'input_token_count'),
  ],
  cacheRead: [...paths(bedrockTokenUsage, 'cacheReadInputTokens'), ...paths(bedrockNova, 'cacheReadInputTokenCount')],
  cacheWrite: [
    ...paths(bedrockTokenUsage, 'cacheWriteInputTokens'),
    ...paths(bedrockNova, 'cacheWriteInputTokenCount'),
  ],
  cacheWrite1h: cacheDetails,
};
const output = {
  total: [
    ...paths(bedrockTokenUsage, 'outputTokens'),
    ...paths(bedrockMetrics, 'outputTokenCount'),
    ...paths(replicatePrediction, 'output_token_count'),
  ],
};
const sides = { input, output };
const all = paths(bedrockTokenUsage, 'totalTokens');

/** Bedrock's Converse: `inputTokens` excludes both cache counts. Replicate's jobs have no cache. */
export function readBedrock(usage: UsageObject): TokenCounts | null {
  const fresh = usage.count(input.total);
  const made = usage.count(output.total);
  if (noneReported(fresh, made)) return null;

  const cacheRead = usage.count(input.cacheRead);
  const cacheWrite = usage.count(input.cacheWrite);
  const total = sumReported(fresh, cacheRead, cacheWrite);
  usage.check(all, (fresh ?? 0) + (made ?? 0), (total ?? 0) + (made ?? 0));
  return {
    input: {
      ...noInput,
      total,
      totalAsSent: fresh,
      cacheRead,
      cacheWrite,
      cacheWrite1h: readHourWrites(usage, cacheWrite),
    },
    output: { ...noOutput, total: made, totalAsSent: made },
    paths: sides,
  };
}

/** Bedrock's `cacheDetails` splits its cache writes by lifetime: `[{ ttl: '1h', inputTokens: 100 }]`. */
function readHourWrites(usage: UsageObject, cacheWrite: number | undefined): number | undefined {
  if (!usage.has(cacheDetails)) return undefined;
  const details = usage.items(cacheDetails);
  const hour = sumReported(
    ...details.filter((item) => item.value(ttl) === '1h').map((item) => item.count(inputTokens)),
  );
  const others = details.filter((item) => item.value(ttl) !== '1h');
  const rest = sumReported(...others.map((item) => item.number(inputTokens)));
  if (rest === (cacheWrite ?? 0) - (hour ?? 0)) for (const item of others) item.accept(inputTokens);
  return hour;
}

const llama = {
  input: { total: [...paths(bedrockInvoke, 'prompt_token_count'), ...paths(ollamaAnswer, 'prompt_eval_count')] },
  output: { total: [...paths(bedrockInvoke, 'generation_token_count'), ...paths(ollamaAnswer, 'eval_count')] },
};
const titanInput = paths(bedrockInvoke, 'inputTextTokenCount');
const titanResults = paths(bedrockInvoke, 'results');
const titanOutput = paths(bedrockInvoke, 'tokenCount');

/** The bodies of Ollama's answers, and of Llama and Titan on Bedrock's InvokeModel. Their counts are not in a usage object. */
export function readBedrockBody(body: UsageObject): TokenCounts | null {
  const prompt = body.count([...llama.input.total, ...titanInput]);
  const made =
    body.count(llama.output.total) ?? sumReported(...body.items(titanResults).map((item) => item.count(titanOutput)));
  if (noneReported(prompt, made)) return null;
  return {
    input: { ...noInput, total: prompt, totalAsSent: prompt },
    output: { ...noOutput, total: made, totalAsSent: made },
    paths: llama,
  };
}
