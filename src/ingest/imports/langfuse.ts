import { type JsonObject, ownObjects } from '../../lib/json-object.ts';
import { isWord } from '../../lib/plain-texts.ts';
import type { UnitName } from '../../lib/units.ts';
import { uuidOf } from '../../lib/uuid-of.ts';
import { fullestName } from '../../usage/model-geo.ts';
import { readNamedCounts } from '../../usage/named-counts.ts';
import { as, type KeptParts, keep } from '../gateways/kept-parts.ts';
import { type Tag, tagsOf, tagsOfTexts } from '../gateways/outcome-event.ts';
import { asNumber, listAt, numberAt, objectAt, type Place, places, textAt, timeAt } from '../gateways/places.ts';
import { faultOf, type ImportSource, other } from './source.ts';

const github = 'https://github.com/langfuse/langfuse/blob/v4.16.0';
/** Exports of observations and events from Langfuse's page, with the API's names. */
const page = `${github}/worker/src/features/database-read-stream/event-stream.ts`;
const api = `${github}/packages/shared/src/domain/observations.ts`;
/** Exports to a blob storage, with the database's names. */
const blob = `${github}/packages/shared/src/domain/observation-field-groups.ts`;

/** Observations of Langfuse 2 and 3.0, which the API still answers beside the newer names. */
const older = 'https://github.com/langfuse/langfuse/blob/v2.95.11/packages/shared/src/domain/observations.ts';

const at = {
  id: places(api, 'id'),
  type: places(api, 'type'),
  trace: [...places(api, 'traceId'), ...places(blob, 'trace_id')],
  parent: [...places(api, 'parentObservationId'), ...places(blob, 'parent_observation_id')],
  start: [...places(api, 'startTime'), ...places(blob, 'start_time')],
  end: [...places(api, 'endTime'), ...places(blob, 'end_time')],
  name: places(api, 'name'),
  model: [...places(page, 'providedModelName'), ...places(api, 'model'), ...places(blob, 'provided_model_name')],
  // `usage` is the name of older versions.
  usage: [...places(api, 'usageDetails'), ...places(blob, 'usage_details'), ...places(older, 'usage')],
  cost: [
    ...places(page, 'totalCost', 'costDetails.total'),
    ...places(blob, 'total_cost', 'cost_details.total'),
    ...places(older, 'calculatedTotalCost', 'calculated_total_cost', 'usage.totalCost'),
  ],
  level: places(api, 'level'),
  message: [...places(api, 'statusMessage'), ...places(blob, 'status_message')],
  user: [...places(page, 'userId'), ...places(blob, 'user_id')],
  session: [...places(page, 'sessionId'), ...places(blob, 'session_id')],
  traceName: [...places(page, 'traceName'), ...places(blob, 'trace_name')],
  tags: [...places(page, 'tags', 'traceTags'), ...places(blob, 'tags')],
  environment: places(api, 'environment'),
  metadata: places(api, 'metadata'),
} as const;

/** Counts beside a usage object, in older answers of the API and in exports of tables. */
const flatCounts = [
  'promptTokens',
  'completionTokens',
  'totalTokens',
  'inputUsage',
  'outputUsage',
  'totalUsage',
] as const;

const namesOf = (...lists: readonly (readonly Place[])[]): string[] => lists.flat().map(({ path }) => path[0] ?? '');
const parts: KeptParts = new Map([
  ...as('text', ...namesOf(at.id, at.type, at.trace, at.parent, at.model, at.level, at.user)),
  ...as('time', ...namesOf(at.start, at.end)),
  ...as('text', ...namesOf(at.session, at.traceName, at.environment)),
  ...as('number', ...flatCounts, 'calculatedTotalCost', 'calculated_total_cost', 'totalCost', 'total_cost'),
  ...as('text', 'latency', 'latencyMs', 'modelId', 'model_id', 'version', 'release'),
  ...as('text', 'promptName', 'prompt_name'),
  ...as('word', ...namesOf(at.name)),
  ...as('counts', ...namesOf(at.usage)),
  ...as('counts', 'costDetails', 'cost_details', 'providedUsageDetails', 'provided_usage_details'),
  ...as('texts', ...namesOf(at.tags)),
  ...as('bag', ...namesOf(at.metadata)),
]);

/** The types of observations that are calls of models. */
const callTypes: ReadonlySet<string> = new Set(['GENERATION', 'EMBEDDING']);

/** The ids of OpenTelemetry spans, which Langfuse keeps. */
const [traceId, spanId] = [/^[\da-f]{32}$/, /^[\da-f]{16}$/];

/** Observations of Langfuse 3 and 4. */
export const langfuse: ImportSource = {
  title: 'Langfuse',
  hint: 'export its observations (not its traces) from the page, or to a blob storage',
  // An exported trace contains its observations, a page of the API its records.
  unpack: (value) =>
    Array.isArray(value.observations)
      ? ownObjects(value, 'observations').map((one) => withTrace(one, value))
      : Array.isArray(value.data) && value.type === undefined
        ? ownObjects(value, 'data').flatMap(langfuse.unpack)
        : [value],
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
      model: fullestName(at.model.flatMap((place) => textAt(record, [place]) ?? [])),
      tags: toTags(record, trace),
      usage: usageOf(record),
      reportedCost: cost !== undefined && cost > 0 ? cost : undefined,
      error: failed ? { type: 'ERROR', message: textAt(record, at.message) } : undefined,
      kept: keep(record, parts, '', dropped),
      parts,
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
    // A name of several words may be a prompt.
    ['name', wordOf(textAt(record, at.name))],
  ];
}

const wordOf = (text: string | undefined) => (text !== undefined && isWord(text) ? text : undefined);

/** The counts of an observation, and the units of one that counts no tokens. */
function usageOf(record: JsonObject): JsonObject {
  const details = objectAt(record, at.usage);
  const flat = flatCounts.filter((name) => (asNumber(record[name]) ?? 0) !== 0);
  if (details === undefined || Object.keys(details).length === 0) {
    if (flat.length === 0) return {};
    // Langfuse 2 has OpenAI's names, and Langfuse 3 beside them its own.
    return readNamedCounts(
      Object.fromEntries(flat.map((name) => [nameOfFlat(name), asNumber(record[name])])),
      'langfuse',
    );
  }
  const { unit, ...counts } = Object.fromEntries(Object.entries(details).filter(([name]) => !/cost$/i.test(name)));
  const name = typeof unit === 'string' ? unit.toUpperCase() : 'TOKENS';
  if (name === 'TOKENS') return readNamedCounts(counts, 'langfuse.usage');
  const used = asNumber(counts.total) || asNumber(counts.output) || asNumber(counts.input);
  const unitName = unitNames[name];
  if (used === undefined || used === 0) return {};
  if (unitName === undefined) return { unread_usage: { [`langfuse.usage.${name.toLowerCase()}`]: used } };
  return { [unitName]: name === 'MILLISECONDS' ? used / 1_000 : used };
}

const nameOfFlat = (name: string): string =>
  ({ inputUsage: 'input', outputUsage: 'output', totalUsage: 'total' })[name] ?? name;

/** The units of older observations that count no tokens. */
const unitNames: Readonly<Record<string, UnitName>> = {
  CHARACTERS: 'characters',
  SECONDS: 'audio_seconds',
  MILLISECONDS: 'audio_seconds',
  IMAGES: 'images',
  REQUESTS: 'requests',
};
