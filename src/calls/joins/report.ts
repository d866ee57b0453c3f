import { outputBuckets, usageBuckets } from '../../lib/usage-buckets.ts';
import { type Origin, originOf } from '../events/origin.ts';
import type { MergedCall } from '../merging/merge.ts';
import { modelFamily } from './model-family.ts';

/** What one emitter says of one request to a model, which others may report too (D27.6). */
export interface Report extends Origin {
  readonly call: MergedCall;
  /** '' where it is not named. */
  readonly model: string;
  /** Without its date and the path before it; '' where the model is not named. */
  readonly family: string;
  /** In milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  /** The number of buckets and units above 0. */
  readonly knownCounts: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

const outputsAt = usageBuckets.length - outputBuckets.length;

const sum = (counts: readonly number[]): number => counts.reduce((total, tokens) => total + tokens, 0);

/** The call as a report, if anything could join it to another. Keeping it would make collecting garbage long. */
export function toReport(call: MergedCall): Report | undefined {
  const origin = originOf(call.fields);
  if (origin === undefined) return undefined;
  const { fields, timeMs, usage, units } = call;
  const model = fields.model || fields['response.model'] || '';
  return {
    ...origin,
    call,
    model,
    family: modelFamily(model),
    startMs: timeMs - Number(fields.elapsed_ms ?? 0),
    endMs: timeMs,
    knownCounts: usage.filter((tokens) => tokens > 0).length + Object.keys(units).length,
    inputTokens: sum(usage.slice(0, outputsAt)),
    outputTokens: sum(usage.slice(outputsAt)),
  };
}

/** Whether a report may be an emitter's own count of what the other one tells. */
export const isEstimateOf = (report: Report, other: Report): boolean =>
  report.estimates &&
  !other.estimates &&
  report.outputTokens < other.outputTokens &&
  report.inputTokens <= other.inputTokens;

/** Whether a report has any count: a span of the raw HTTP request has none. */
export const hasUsage = ({ knownCounts }: Report): boolean => knownCounts > 0;

/** Whether the application left the answer before its end. */
export const isAborted = ({ call }: Report): boolean => call.fields.aborted === 'true';

/** Whether a report has counts of the provider: of an answer that was left it may count the pieces alone. */
export const isCounted = (report: Report): boolean =>
  hasUsage(report) && !(isAborted(report) && report.inputTokens === 0);
