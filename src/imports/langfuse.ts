import { type JsonObject, ownObjects } from '../calls/usage-counts.ts';
import { keep, type Tag, tagsOf, tagsOfTexts } from '../gateways/outcome-event.ts';
import { asNumber, listAt, numberAt, objectAt, type Place, places, textAt, timeAt } from '../gateways/places.ts';
import { uuidOf } from '../lib/uuid-of.ts';
import { faultOf, type ImportSource, other } from './source.ts';

const github = 'https://github.com/langfuse/langfuse/blob/v4.16.0';
/** Exports of observations and events from Langfuse's page, with the API's names. */
const page = `${github}/worker/src/features/database-read-stream/event-stream.ts`;
const api = `${github}/packages/shared/src/domain/observations.ts`;
/** Exports to a blob storage, with the database's names. */
const blob = `${github}/packages/shared/src/domain/observation-field-groups.ts`;

/** The places of each value in an observation. */
const at = {
  id: places(api, 'id'),
  type: places(api, 'type'),
  trace: [...places(api, 'traceId'), ...places(blob, 'trace_id')],
  parent: [...places(api, 'parentObservationId'), ...places(blob, 'parent_observation_id')],
  start: [...places(api, 'startTime'), ...places(blob, 'start_time')],
  end: [...places(api, 'endTime'), ...places(blob, 'end_time')],
  name: places(api, 'name'),
  model: [...places(page, 'providedModelName'), ...places(api, 'model'), ...places(blob, 'provided_model_name')],
  usage: [...places(api, 'usageDetails'), ...places(blob, 'usage_details')],
  cost: [...places(page, 'totalCost', 'costDetails.total'), ...places(blob, 'total_cost', 'cost_details.total')],
  level: places(api, 'level'),
  message: [...places(api, 'statusMessage'), ...places(blob, 'status_message')],
  user: [...places(page, 'userId'), ...places(blob, 'user_id')],
  session: [...places(page, 'sessionId'), ...places(blob, 'session_id')],
  traceName: [...places(page, 'traceName'), ...places(blob, 'trace_name')],
  tags: [...places(page, 'tags', 'traceTags'), ...places(blob, 'tags')],
  environment: places(api, 'environment'),
  metadata: places(api, 'metadata'),
} as const;

const kept: ReadonlySet<string> = new Set(
  [
    ...[at.id, at.type, at.trace, at.parent, at.start, at.end, at.name, at.model, at.usage, at.level, at.user],
    ...[at.session, at.traceName, at.tags, at.environment, at.metadata],
  ]
    .flatMap((list: readonly Place[]) => list.map(({ path }) => path[0] ?? ''))
    .concat([
      ...['totalCost', 'costDetails', 'total_cost', 'cost_details', 'providedUsageDetails', 'provided_usage_details'],
      ...['latency', 'latencyMs', 'modelId', 'model_id', 'version', 'release', 'promptName', 'prompt_name'],
    ]),
);

/** The types of observations that are calls of models. */
const callTypes: ReadonlySet<string> = new Set(['GENERATION', 'EMBEDDING']);

/** The ids of OpenTelemetry spans, which Langfuse keeps. */
const [traceId, spanId] = [/^[\da-f]{32}$/, /^[\da-f]{16}$/];

/** Observations of Langfuse 3 and 4. */
export const langfuse: ImportSource = {
  title: 'Langfuse',
  hint: 'export its observations (not its traces) from the page, or to a blob storage',
  // An exported trace contains its observations.
  unpack: (value) =>
    Array.isArray(value.observations) ? ownObjects(value, 'observations').map((one) => withTrace(one, value)) : [value],
  read: (record) => {
    const id = textAt(record, at.id);
    const type = textAt(record, at.type);
    if (type === undefined) return faultOf('has no type: it is not an observation');
    if (!callTypes.has(type)) return other;
    if (id === undefined) return faultOf('has no id');
    const startMs = timeAt(record, at.start);
    if (startMs === undefined) return faultOf('has no startTime');
    const trace = textAt(record, at.trace);
    const failed = textAt(record, at.level) === 'ERROR';
    const dropped: string[] = [];
    const cost = numberAt(record, at.cost);
    const outcome = {
      origin: 'langfuse',
      id: trace && traceId.test(trace) && spanId.test(id) ? uuidOf('otel span', trace, id) : uuidOf('langfuse', id),
      type: `langfuse.${type.toLowerCase()}`,
      failed,
      startMs,
      endMs: timeAt(record, at.end),
      model: textAt(record, at.model),
      tags: toTags(record, trace),
      usage: usageOf(record),
      reportedCost: cost !== undefined && cost > 0 ? cost : undefined,
      error: failed ? { type: 'ERROR', message: textAt(record, at.message) } : undefined,
      kept: keep(record, kept, '', dropped),
      dropped,
    };
    return { kind: 'calls', outcomes: [outcome], cost };
  },
  nesting: (record) => {
    const [id, parent, trace = ''] = [textAt(record, at.id), textAt(record, at.parent), textAt(record, at.trace)];
    if (id === undefined || !callTypes.has(textAt(record, at.type) ?? '')) return undefined;
    const reportsUsage = Object.keys(usageOf(record)).length > 0;
    const key = (one: string) => uuidOf('langfuse', trace, one);
    return { self: key(id), parent: parent !== undefined && reportsUsage ? key(parent) : undefined };
  },
};

/** Adds values of the trace that the observation lacks. */
const withTrace = (observation: JsonObject, { userId, sessionId, name, tags }: JsonObject): JsonObject => ({
  userId,
  sessionId,
  traceName: name,
  traceTags: tags,
  ...observation,
});

function toTags(record: JsonObject, trace: string | undefined): Tag[] {
  const said = [...tagsOf(objectAt(record, at.metadata)), ...tagsOfTexts(listAt(record, at.tags))];
  const named = (...names: readonly string[]) => said.find(([name]) => names.includes(name))?.[1];
  return [
    ['customer', named('customer', 'customer_id')],
    ['user', named('user', 'user_id') ?? textAt(record, at.user)],
    ['feature', named('feature') ?? textAt(record, at.traceName)],
    ['run_id', named('run_id', 'run') ?? trace],
    ...said,
    ['session', textAt(record, at.session)],
    ['environment', textAt(record, at.environment)],
    ['name', textAt(record, at.name)],
  ];
}

/**
 * Langfuse's counts are buckets that add up to `total`, such as `input`, `input_cached_tokens` and
 * `output_reasoning_tokens`. But if a caller sent totals that include their parts, `input` and `output` add up to it.
 */
function usageOf(record: JsonObject): JsonObject {
  const counts = Object.entries(objectAt(record, at.usage) ?? {}).flatMap(([name, value]): [string, number][] => {
    const count = asNumber(value);
    return count !== undefined && count > 0 ? [[name.toLowerCase(), count]] : [];
  });
  const sum = (matches: (name: string) => boolean) =>
    counts.reduce((total, [name, count]) => (matches(name) ? total + count : total), 0);
  const total = sum((name) => name === 'total');
  const plain = sum((name) => name === 'input' || name === 'output');
  const sides = { input: sum(isInput), output: sum(isOutput) };
  if (sides.input + sides.output === 0) return total > 0 ? { usage: { total_tokens: total } } : {};
  const includesParts = total > 0 && plain === total && sides.input + sides.output !== total;
  const side = (name: 'input' | 'output') => (includesParts ? sum((one) => one === name) : sides[name]);
  const part = (matches: (name: string) => boolean, words: RegExp) => {
    const count = sum((name) => matches(name) && words.test(name));
    return count === 0 ? undefined : count;
  };
  return {
    prompt_tokens: side('input'),
    completion_tokens: side('output'),
    cached_tokens: part(isInput, /cached|cache_read/),
    cache_write_tokens: part(isInput, /cache_creation|cache_write/),
    input_audio_tokens: part((name) => isInput(name) && !name.includes('cache'), /audio/),
    reasoning_tokens: part(isOutput, /reasoning|thought/),
    output_audio_tokens: part(isOutput, /audio/),
  };
}

const isInput = (name: string): boolean => name.includes('input') || name.startsWith('cache_');
const isOutput = (name: string): boolean => name.includes('output');
