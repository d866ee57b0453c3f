import { isJsonObject, type JsonObject, ownObject, ownObjects, ownValue } from '../lib/json-object.ts';

/** Usage of a tool in an answer. Without a model it counts units. */
export interface ToolUsage {
  /** The tool's model; empty if the answer doesn't name it. */
  readonly model?: string;
  readonly usage: JsonObject;
  readonly place: string;
  /** Whether it is the usage of each model that did the work of a compound one. */
  readonly isOfParts?: true;
}

/**
 * Usage that an answer has beside its usage object. OpenAI: images by the model of a tool, billed searches, and drawings
 * as SVG (`Response.ToolUsage` and `ImagesResponse.SvgUsage` of openai 7.59.0). Bedrock: what guardrails checked. Replicate:
 * what a job took and made. Deepgram: the tokens of models that analyse what was said. Groq: the usage of a stream's last
 * chunk, and of each model of a compound one (`XGroq` of groq-sdk 1.4.0). Bedrock's InvokeModel: its headers, the only counts of some
 * models.
 */
export function* toolUsages(answer: JsonObject): Generator<ToolUsage> {
  const tools = ownObject(answer, 'tool_usage');
  if (tools !== undefined) {
    const { image_gen: images, ...others } = tools;
    if (isJsonObject(images)) yield { model: imageModel(answer), usage: images, place: 'tool_usage.image_gen' };
    yield { usage: others, place: 'tool_usage' };
  }
  const svg = ownObject(answer, 'svg_usage');
  if (svg !== undefined) yield { model: modelOf(svg), usage: svg, place: 'svg_usage' };
  const groq = ownObject(answer, 'x_groq');
  const streamed = ownObject(groq, 'usage');
  if (streamed !== undefined) yield { usage: streamed, place: 'x_groq.usage' };
  const ofChunk = ownObject(groq, 'usage_breakdown');
  const breakdown = ownObject(answer, 'usage_breakdown') ?? ofChunk;
  if (breakdown !== undefined) {
    yield { usage: breakdown, place: `${breakdown === ofChunk ? 'x_groq.' : ''}usage_breakdown`, isOfParts: true };
  }
  const guardrail = sumGuardrails(answer);
  if (guardrail !== undefined) yield { usage: guardrail, place: 'trace.guardrail' };
  const headers = ownObject(ownObject(answer, 'ResponseMetadata'), 'HTTPHeaders');
  if (headers !== undefined) yield { usage: countsOfHeaders(headers), place: 'ResponseMetadata.HTTPHeaders' };
  const metrics = ownObject(answer, 'metrics');
  if (metrics !== undefined && Object.hasOwn(metrics, 'predict_time')) yield { usage: metrics, place: 'metrics' };
  const analysed = ownObject(answer, 'metadata');
  if (analysed !== undefined && (Object.hasOwn(analysed, 'model_info') || Object.hasOwn(analysed, 'channels'))) {
    for (const kind of ['summary', 'sentiment', 'topics', 'intents']) {
      const usage = ownObject(analysed, `${kind}_info`);
      if (usage !== undefined) yield { model: `deepgram-${kind}`, usage, place: `metadata.${kind}_info` };
    }
  }
  for (const item of ownObjects(answer, 'output')) {
    const ofItem = ownObject(item, 'svg_usage');
    if (ofItem !== undefined) yield { model: modelOf(ofItem), usage: ofItem, place: 'output[].svg_usage' };
  }
}

/** The headers by which Bedrock counts tokens, as boto3 passes them on, and the names of its metrics for them. */
const countHeaders = {
  'x-amzn-bedrock-input-token-count': 'inputTokenCount',
  'x-amzn-bedrock-output-token-count': 'outputTokenCount',
  'x-amzn-bedrock-cache-read-input-token-count': 'cacheReadInputTokenCount',
  'x-amzn-bedrock-cache-write-input-token-count': 'cacheWriteInputTokenCount',
} as const;

function countsOfHeaders(headers: JsonObject): JsonObject {
  const counts: Record<string, number> = {};
  for (const [header, name] of Object.entries(countHeaders)) {
    const count = ownValue(headers, header);
    if (typeof count === 'string' && /^\d{1,10}$/.test(count)) counts[name] = Number(count);
  }
  return counts;
}

/** Whether an answer of boto3 has headers that count tokens. */
export const hasCountHeaders = (metadata: unknown): boolean =>
  isJsonObject(metadata) && Object.keys(ownObject(metadata, 'HTTPHeaders') ?? {}).some((name) => name in countHeaders);

/** The units of all guardrails in a trace of Bedrock's Converse, added up. */
function sumGuardrails(answer: JsonObject): JsonObject | undefined {
  const guardrail = ownObject(ownObject(answer, 'trace'), 'guardrail');
  if (guardrail === undefined) return undefined;
  const sums: Record<string, number> = {};
  for (const name of ['inputAssessment', 'outputAssessments']) {
    for (const assessed of Object.values(ownObject(guardrail, name) ?? {})) {
      for (const assessment of Array.isArray(assessed) ? assessed : [assessed]) {
        if (!isJsonObject(assessment)) continue;
        const usage = ownObject(ownObject(assessment, 'invocationMetrics'), 'usage') ?? {};
        for (const [unit, count] of Object.entries(usage)) {
          if (typeof count === 'number') sums[unit] = (sums[unit] ?? 0) + count;
        }
      }
    }
  }
  return sums;
}

/** Whether a tool made images for a list of OpenAI's output. */
export const hasImageCalls = (output: unknown): boolean =>
  Array.isArray(output) &&
  output.some((item) => isJsonObject(item) && ownValue(item, 'type') === 'image_generation_call');

/** The images that a tool made, of an answer that doesn't say what they used. */
export function countImageCalls(answer: JsonObject): number {
  if (ownObject(ownObject(answer, 'tool_usage'), 'image_gen') !== undefined) return 0;
  return ownObjects(answer, 'output').filter(
    (item) => ownValue(item, 'type') === 'image_generation_call' && (ownValue(item, 'result') ?? '') !== '',
  ).length;
}

/** The model of the tool that makes images, as the answer repeats it from the request, or as a made image names it. */
function imageModel(answer: JsonObject): string {
  const tool = ownObjects(answer, 'tools').find((one) => ownValue(one, 'type') === 'image_generation');
  const item = ownObjects(answer, 'output').find((one) => ownValue(one, 'type') === 'image_generation_call');
  return modelOf(tool) || modelOf(item);
}

function modelOf(named: JsonObject | undefined): string {
  const model = named === undefined ? undefined : ownValue(named, 'model');
  return typeof model === 'string' ? model : '';
}
