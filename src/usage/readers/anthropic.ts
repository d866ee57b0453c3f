import { anthropicMessages } from './sources.ts';
import type { OtherCounts, SentTotals, TokenCounts } from './token-reader.ts';
import { believed, type InputCounts, noInput, noOutput, sumReported } from './usage-counts.ts';
import type { UsageObject } from './usage-object.ts';
import { type Paths, paths } from './usage-paths.ts';

const openAiImages = 'https://github.com/openai/openai-node/blob/v7.59.0/src/resources/images.ts';

const declared = (...texts: readonly string[]): Paths => paths(anthropicMessages, ...texts);

const input = {
  total: declared('input_tokens'),
  cacheRead: declared('cache_read_input_tokens'),
  cacheWrite: declared('cache_creation_input_tokens'),
  cacheWrite1h: declared('cache_creation.ephemeral_1h_input_tokens'),
};
const output = {
  total: declared('output_tokens'),
  reasoning: [
    ...declared('output_tokens_details.thinking_tokens', 'output_tokens_details.reasoning_tokens'),
    ...paths(openAiImages, 'reasoning_tokens'),
  ],
};
const sides = { input, output };

const writes5m = declared('cache_creation.ephemeral_5m_input_tokens');
const all = declared('total_tokens');
const iterations = declared('iterations');
const type = declared('type');
const model = declared('model');

/**
 * Anthropic's messages. `input_tokens` excludes both cache counts; `output_tokens` includes thinking. Neither includes
 * compactions and advice, which are counted in `iterations`; an advisor has a model of its own, and so has the fallback
 * that answers where the model refuses.
 */
export function readAnthropic(usage: UsageObject, sent: SentTotals): TokenCounts {
  const { compactions, answers, advice, fallback } = readIterations(usage);
  const answer = readAnswer(usage, answers, fallback !== undefined);
  const samplings = compactions.length === 0 ? [answer] : [answer, ...compactions.map(readSampling)];
  const sum = (key: keyof Sampling) => believed(sumReported(...samplings.map((sampling) => sampling[key])));
  const [cacheRead, cacheWrite, total] = [sum('cacheRead'), sum('cacheWrite'), sum('input')];
  const whole = sumReported(total, cacheRead, cacheWrite);
  usage.check(all, (sent.input ?? 0) + (sent.output ?? 0), (whole ?? 0) + (sum('output') ?? 0));
  const counts = {
    input: {
      ...noInput,
      total: whole,
      totalAsSent: sent.input,
      cacheRead,
      cacheWrite,
      cacheWrite1h: sum('cacheWrite1h'),
    },
    output: { ...noOutput, total: sum('output'), totalAsSent: sent.output, reasoning: sum('reasoning') },
    paths: sides,
  };
  const others: OtherCounts[] = advice.map(readAdvice);
  const served = fallback === undefined ? '' : modelOf(fallback);
  if (served !== '') others.push({ ...counts, model: served, object: usage, isPart: true });
  return others.length === 0 ? counts : { ...counts, others };
}

function modelOf(item: UsageObject): string {
  const named = item.value(model);
  return typeof named === 'string' ? named : '';
}

function readAdvice(item: UsageObject): OtherCounts {
  const { input: fresh, cacheRead, cacheWrite, cacheWrite1h, output: made, reasoning } = readSampling(item);
  return {
    model: modelOf(item),
    input: {
      ...noInput,
      total: sumReported(fresh, cacheRead, cacheWrite),
      totalAsSent: fresh,
      cacheRead,
      cacheWrite,
      cacheWrite1h,
    },
    output: { ...noOutput, total: made, totalAsSent: made, reasoning },
    paths: sides,
    object: item,
  };
}

type Sampling = ReturnType<typeof readSampling>;

/** One sampling: the answer, or a compaction, which summarises the conversation before it. */
function readSampling(
  usage: UsageObject,
): Record<'input' | 'output' | 'reasoning', number | undefined> &
  Pick<InputCounts, 'cacheRead' | 'cacheWrite' | 'cacheWrite1h'> {
  const cacheWrite1h = usage.count(input.cacheWrite1h);
  const cacheWrite5m = usage.count(writes5m);
  const byLifetime = sumReported(cacheWrite5m, cacheWrite1h);
  const cacheWrite = usage.count(input.cacheWrite) ?? byLifetime;
  // If the total differs from the sum, the total counts. Writes for an hour are taken from it; the rest last 5 minutes.
  if (cacheWrite !== byLifetime) usage.dispute(writes5m);
  return {
    input: usage.count(input.total),
    cacheRead: usage.count(input.cacheRead),
    cacheWrite,
    cacheWrite1h,
    output: usage.count(output.total),
    reasoning: usage.count(output.reasoning),
  };
}

/** All samplings: compactions, the answer's, an advisor's, and that of the model that took over a refusal. */
function readIterations(
  usage: UsageObject,
): Record<'compactions' | 'answers' | 'advice', UsageObject[]> & { fallback: UsageObject | undefined } {
  const compactions: UsageObject[] = [];
  const answers: UsageObject[] = [];
  const advice: UsageObject[] = [];
  let fallback: UsageObject | undefined;
  if (usage.has(iterations)) {
    for (const item of usage.items(iterations)) {
      const kind = item.value(type);
      if (kind === 'compaction') compactions.push(item);
      else if (kind === 'message' || kind === 'fallback_message') answers.push(item);
      else if (kind === 'advisor_message') advice.push(item);
      if (kind === 'fallback_message') fallback = item;
    }
  }
  return { compactions, answers, advice, fallback };
}

/** The counts of a sampling that must agree with those of the usage. */
const counted = [
  ['input', input.total],
  ['cacheRead', input.cacheRead],
  ['cacheWrite', input.cacheWrite],
  ['cacheWrite1h', input.cacheWrite1h],
  ['output', output.total],
  ['reasoning', output.reasoning],
] as const;

/**
 * The counts of the answer to a request. Its samplings add up to the usage; or the usage has the output of all of them
 * and the input of the first alone, and each is charged. Counts that agree with neither are unread, and so are those of
 * attempts that were refused, which are free.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/advisor-tool#usage-and-billing
 */
function readAnswer(usage: UsageObject, answers: readonly UsageObject[], hasFallback: boolean): Sampling {
  const whole = readSampling(usage);
  const samplings = answers.map(readSampling);
  const [first] = samplings;
  if (first === undefined) return whole;
  const sums = { ...whole };
  for (const [key] of counted) {
    sums[key] = believed(sumReported(...samplings.map((sampling) => sampling[key]))) ?? whole[key];
  }
  const isSum = (key: keyof Sampling) => (sums[key] ?? 0) === (whole[key] ?? 0);
  const isOfFirst = (key: keyof Sampling) => (first[key] ?? 0) === (whole[key] ?? 0);
  if (!hasFallback && isSum('output') && counted.every(([key]) => isSum(key) || isOfFirst(key))) return sums;
  for (const [key, list] of counted) if (!isSum(key)) for (const item of answers) item.dispute(list);
  return whole;
}
