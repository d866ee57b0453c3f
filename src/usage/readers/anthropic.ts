import { believed, type InputCounts, noInput, noOutput, sumReported } from '../usage-counts.ts';
import { anthropicMessages, openAiImages } from './sources.ts';
import type { OtherCounts, SentTotals, TokenReading } from './token-reader.ts';
import type { UsageObject } from './usage-object.ts';
import { type Paths, paths } from './usage-paths.ts';

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
 * compactions and advice, which are counted in `iterations`; an advisor has a model of its own.
 */
export function readAnthropic(usage: UsageObject, sent: SentTotals): TokenReading {
  const answer = readSampling(usage);
  const { compactions, answers, advice } = readIterations(usage);
  const samplings = compactions.length === 0 ? [answer] : [answer, ...compactions.map(readSampling)];
  const sum = (key: keyof Sampling) => believed(sumReported(...samplings.map((sampling) => sampling[key])));
  checkIterations(answers, answer);
  const [cacheRead, cacheWrite, total] = [sum('cacheRead'), sum('cacheWrite'), sum('input')];
  const whole = sumReported(total, cacheRead, cacheWrite);
  usage.check(all, (sent.input ?? 0) + (sent.output ?? 0), (whole ?? 0) + (sum('output') ?? 0));
  return {
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
    others: advice.length > 0 ? advice.map(readAdvice) : undefined,
  };
}

function readAdvice(item: UsageObject): OtherCounts {
  const { input: fresh, cacheRead, cacheWrite, cacheWrite1h, output: made, reasoning } = readSampling(item);
  const named = item.value(model);
  return {
    model: typeof named === 'string' ? named : '',
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

/**
 * The counts of one sampling by Anthropic: the answer to the request, or a compaction, which summarises the
 * conversation before the answer.
 */
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

/** The samplings of a request: compactions, those of the answer, which add up to the usage, and an advisor's. */
function readIterations(usage: UsageObject): Record<'compactions' | 'answers' | 'advice', UsageObject[]> {
  const compactions: UsageObject[] = [];
  const answers: UsageObject[] = [];
  const advice: UsageObject[] = [];
  if (usage.has(iterations)) {
    for (const item of usage.items(iterations)) {
      const kind = item.value(type);
      if (kind === 'compaction') compactions.push(item);
      else if (kind === 'message' || kind === 'fallback_message') answers.push(item);
      else if (kind === 'advisor_message') advice.push(item);
    }
  }
  return { compactions, answers, advice };
}

/** Marks the samplings of the answer as read if they add up to the answer's counts. */
function checkIterations(answers: readonly UsageObject[], answer: Sampling): void {
  if (answers.length === 0) return;
  // Counting marks as read, so it comes before the disputes.
  for (const item of answers) {
    const named = item.count(input.cacheWrite);
    if (named !== undefined) item.check(writes5m, named - (item.count(input.cacheWrite1h) ?? 0));
  }
  const parts: readonly (readonly [Paths, number | undefined])[] = [
    [input.total, answer.input],
    [input.cacheRead, answer.cacheRead],
    [input.cacheWrite, answer.cacheWrite],
    [input.cacheWrite1h, answer.cacheWrite1h],
    [output.total, answer.output],
  ];
  for (const [list, whole] of parts) {
    const sum = sumReported(...answers.map((item) => item.count(list)));
    if (sum !== whole) for (const item of answers) item.dispute(list);
  }
}
