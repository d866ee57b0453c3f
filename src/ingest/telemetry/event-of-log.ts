import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { isWord } from '../../lib/plain-texts.ts';
import { uuidOf } from '../../lib/uuid-of.ts';
import { answerIdsOf } from './answer-ids.ts';
import { toStored } from './content.ts';
import { type Agent, countFields, type FlatCount } from './ecosystem.ts';
import {
  cut,
  dimension,
  type EventOptions,
  emitterOf,
  namesOf,
  nanoseconds,
  type Rejected,
  readSpan,
  toTimestamp,
} from './event-of-span.ts';
import { lookalikeName, toLookalikeEvent } from './lookalikes.ts';
import { type Attributes, asNumber, attributesOfResource, firstText, readAttributes } from './otlp/attributes.ts';
import type { RecordOrigin } from './otlp/records.ts';
import { processOf } from './process-of.ts';
import { notCounted } from './read-usage.ts';
import { recogniseLog } from './recognise.ts';
import { toIds } from './span-ids.ts';
import { readSaid } from './tags.ts';

/** The name of log records that tell of a request to a model as its span does, also where no spans are sent. */
const details = 'gen_ai.client.inference.operation.details';

/** Such a record as a span inside the one that it names, so that both are known for one call (D27.6). */
function asSpan(record: JsonObject, attributes: Attributes): JsonObject {
  const around = toIds(record.traceId, record.spanId);
  const time = nanoseconds(record.timeUnixNano) ?? nanoseconds(record.observedTimeUnixNano);
  const [trace, span] = ['trace', 'span'].map((of) =>
    uuidOf(`otel log ${of}`, details, String(time), around?.spanId ?? '', JSON.stringify([...attributes])),
  );
  return {
    traceId: around?.traceId ?? trace?.replaceAll('-', ''),
    spanId: span?.replaceAll('-', '').slice(-16),
    parentSpanId: around?.spanId,
    name: `${String(attributes.get('gen_ai.operation.name'))} ${String(attributes.get('gen_ai.request.model'))}`,
    attributes: record.attributes,
    ...(time !== undefined && { endTimeUnixNano: String(time) }),
    ...(attributes.has('error.type') && { status: { code: 2 } }),
  };
}

/** Marks that it stands for the span around it where that is never sent. */
const tellsOfSpan = (event: JsonObject): JsonObject =>
  isJsonObject(event.origin) && event.origin.parent !== undefined
    ? { ...event, origin: { ...event.origin, tells: true } }
    : event;

/** The event of a log record of a request to a model (D14.6); undefined for any other record. */
export function readLogRecord(
  record: unknown,
  origin: RecordOrigin,
  options: EventOptions,
): { readonly event: JsonObject } | Rejected | undefined {
  if (!isJsonObject(record)) return { reason: 'it is no object, or nested too deeply' };
  const attributes = readAttributes(record.attributes);
  if (attributes === undefined) return { reason: 'its attributes are no list' };
  if (record.eventName === details || attributes.get('event.name') === details) {
    const span = readSpan(asSpan(record, attributes), origin, options);
    if ('said' in span) return lookalikeOf(record, attributes, origin);
    return 'event' in span ? { event: tellsOfSpan(span.event) } : span;
  }
  const request = recogniseLog(record, attributes);
  if (request === undefined) return lookalikeOf(record, attributes, origin);
  const { agent, hasFailed } = request;
  const resource = attributesOfResource(origin.resource);
  const time = nanoseconds(record.timeUnixNano) ?? nanoseconds(record.observedTimeUnixNano);
  const session = firstText(attributes, agent.session) ?? firstText(resource, agent.session);
  const elapsedMs = firstNumber(attributes, agent.elapsedMs);
  const model = firstText(attributes, agent.model);
  const isOfOther = model !== undefined && agent.ownModel?.test(model) === false;
  const cost = agent.cost === undefined ? undefined : asNumber(attributes.get(agent.cost));
  const eventId = eventIdOf(agent, record, attributes, session);
  const fields = {
    event_id: eventId,
    ...outcomeOf(agent, hasFailed, attributes),
    ...(time !== undefined && { timestamp: toTimestamp(time) }),
    ...(elapsedMs !== undefined && elapsedMs >= 0 && { elapsed_ms: elapsedMs }),
    ...dimension('model', model),
    ...(!isOfOther && { provider: agent.provider }),
    ...(session !== undefined && { session_id: cut(session, 1_024) }),
    tags: tagsOf(agent, attributes, resource, options.maxTags),
    origin: originOf(eventId, record, attributes, origin),
  };
  const usage = {
    ...countsOf(agent, attributes),
    ...usageOf(agent, attributes),
    ...unreadOf(agent, attributes),
    ...(agent.speed !== undefined &&
      attributes.get(agent.speed.name) === agent.speed.value && { speed: agent.speed.value }),
    ...(cost !== undefined && notCounted(cost)),
  };
  const event = toStored({ kind: 'log', record, origin, name: undefined, fields, usage }, options.keepsContent);
  return { event };
}

/** The event of a record that looks like one of a request to a model. */
function lookalikeOf(
  record: JsonObject,
  attributes: Attributes,
  origin: RecordOrigin,
): { readonly event: JsonObject } | undefined {
  const said = record.eventName ?? attributes.get('event.name');
  // The names of events are words. Anything else may be a prompt.
  const name = typeof said === 'string' && isWord(said) ? said : '';
  const alike = lookalikeName(attributes, emitterOf({ name }, origin));
  if (alike === undefined) return undefined;
  return { event: toLookalikeEvent(uuidOf('otel log', alike, JSON.stringify(record)), alike) };
}

/** Where the report is from (D27.6). In a trace it stands inside the span that it names, as a span of its own would. */
function originOf(
  eventId: string,
  record: JsonObject,
  attributes: Attributes,
  { resource, scope }: RecordOrigin,
): JsonObject {
  const around = toIds(record.traceId, record.spanId);
  return {
    ...namesOf(scope),
    process: processOf(resource),
    ...(around && { trace: around.traceId, span: eventId.replaceAll('-', '').slice(-16), parent: around.spanId }),
    ...answerIdsOf(attributes),
  };
}

/** A record exported again is the same call. Without a request id, its whole content identifies it. */
function eventIdOf(agent: Agent, record: JsonObject, attributes: Attributes, session = ''): string {
  const requestId = firstText(attributes, agent.requestId ?? []);
  const time = String(record.timeUnixNano ?? '');
  return uuidOf('otel log', agent.name, session, time, requestId ?? JSON.stringify([...attributes]));
}

function outcomeOf(agent: Agent, hasFailed: boolean, attributes: Attributes): JsonObject {
  if (!hasFailed) return { event_type: `${agent.answered[0]}.after` };
  const message = firstText(attributes, agent.errorMessage);
  const type = agent.errorType.map((name) => attributes.get(name)).find((value) => value !== undefined);
  return {
    event_type: `${agent.failed[0]}.error`,
    error_type: cut(String(type ?? 'error'), 500),
    ...(message !== undefined && { error_message: cut(message, 500) }),
  };
}

function firstNumber(attributes: Attributes, names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = asNumber(attributes.get(name));
    if (value !== undefined) return value;
  }
  return undefined;
}

function countsOf({ counts = {} }: Agent, attributes: Attributes): JsonObject {
  const found: Record<string, unknown> = {};
  for (const [count, name] of Object.entries(counts) as [FlatCount, string][]) {
    const value = attributes.get(name);
    if (value !== undefined) found[countFields[count]] = asNumber(value) ?? value;
  }
  return found;
}

/** Numbers of tokens that no name of the agent's table has. */
function unreadOf({ counts = {}, usage = {} }: Agent, attributes: Attributes): JsonObject {
  const known = new Set([...Object.values(counts), ...Object.keys(usage)]);
  const unread: Record<string, number> = {};
  for (const [name, value] of attributes) {
    const count = known.has(name) || !/_tokens?(?:_count)?$/.test(name) ? undefined : asNumber(value);
    if (count !== undefined && count !== 0) unread[name] = count;
  }
  return Object.keys(unread).length === 0 ? {} : { unread_usage: unread };
}

/** The counts in the form of the provider's own usage object. */
function usageOf({ usage, usageField }: Agent, attributes: Attributes): JsonObject {
  if (usage === undefined || usageField === undefined) return {};
  const object: Record<string, unknown> = {};
  for (const [name, [first = '', second]] of Object.entries(usage)) {
    const value = attributes.get(name);
    if (value === undefined) continue;
    const count = asNumber(value) ?? value;
    if (second === undefined) object[first] = count;
    else object[first] = { ...(isJsonObject(object[first]) ? object[first] : {}), [second]: count };
  }
  return Object.keys(object).length === 0 ? {} : { [usageField]: object };
}

/** The user is the agent's user, and the feature is the agent's name, unless `farthing.…` attributes name others. */
function tagsOf(agent: Agent, attributes: Attributes, resource: Attributes, maxTags: number): Record<string, string> {
  // Two tags are set below.
  const tags: Record<string, string> = { ...readSaid(attributes, maxTags - 2, resource)?.tags };
  const isNamed = (tag: string) => [attributes, resource].some((source) => source.has(`farthing.${tag}`));
  const user = firstText(attributes, agent.user) ?? firstText(resource, agent.user);
  if (user !== undefined && !isNamed('user')) tags.user = cut(user, 1_024);
  if (!isNamed('feature')) tags.feature = agent.name;
  return tags;
}
