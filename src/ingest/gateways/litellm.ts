import { liteLlmNobody } from '../../calls/attribution.ts';
import { isJsonObject, type JsonObject, ownObject, ownValue } from '../../lib/json-object.ts';
import { uuidOf } from '../../lib/uuid-of.ts';
import { isKnownModel } from '../../pricing/known-models.ts';
import { providersIn } from '../../pricing/provider-names.ts';
import { isOtherLength, readAnswerUnits } from '../../usage/answer-units.ts';
import { type BesideKind, findUnlike } from '../../usage/counts-beside.ts';
import { withoutLiteLlmCost } from '../../usage/litellm-cost.ts';
import { addRequested, geoOfModel } from '../../usage/model-geo.ts';
import { as, type KeptParts, keep } from './kept-parts.ts';
import { type Outcome, type Tag, tagsOf, tagsOfTexts } from './outcome-event.ts';
import { listAt, numberAt, objectAt, type Place, places, textAt, timeAt, valueAt } from './places.ts';

const github = 'https://github.com/BerriAI/litellm/blob/001c64f24845167b8fcd01f3e48152923627d4c7';
/** `StandardLoggingPayload`, which the generic API callback sends, and `StandardLoggingMetadata` in it. */
const payload = `${github}/litellm/types/utils.py`;
/** `LiteLLM_SpendLogs`: a row of the table, in answers of `/spend/logs` and in exports of the database. */
const spendLogs = `${github}/schema.prisma`;
const proxyUsers = 'https://docs.litellm.ai/docs/proxy/customers';
const requestTags = 'https://docs.litellm.ai/docs/proxy/cost_tracking';

/** The places of each value in a record of LiteLLM. Those in a payload come before those in a row of spend logs. */
const at = {
  id: [...places(payload, 'id'), ...places(spendLogs, 'request_id')],
  callType: places(payload, 'call_type'),
  start: places(payload, 'startTime'),
  end: places(payload, 'endTime'),
  provider: places(payload, 'custom_llm_provider'),
  answeredModel: places(payload, 'response.model'),
  alias: places(payload, 'model_group'),
  model: [...places(payload, 'model', 'hidden_params.litellm_model_name'), ...places(spendLogs, 'model_group')],
  usage: places(
    payload,
    'response.usage',
    'response.usage_info',
    'metadata.usage_object',
    'hidden_params.usage_object',
  ),
  meta: places(payload, 'response.meta'),
  response: places(payload, 'response'),
  prompt: places(payload, 'prompt_tokens'),
  completion: places(payload, 'completion_tokens'),
  total: places(payload, 'total_tokens'),
  location: places(
    payload,
    'model_parameters.vertex_location',
    'hidden_params.vertex_location',
    'hidden_params.optional_params.vertex_location',
    'hidden_params.litellm_params.vertex_location',
    'litellm_params.vertex_location',
    'metadata.vertex_location',
    'vertex_location',
  ),
  /** Vertex's address names the region as a model's full name does. */
  address: places(payload, 'api_base', 'hidden_params.api_base'),
  cost: [...places(payload, 'response_cost'), ...places(spendLogs, 'spend')],
  cacheHit: places(payload, 'cache_hit'),
  answerIds: places(payload, 'id', 'request_id', 'response.id', 'litellm_call_id', 'call_id'),
  status: [...places(payload, 'status'), ...places(spendLogs, 'metadata.status')],
  errorClass: places(payload, 'error_information.error_class', 'metadata.error_information.error_class'),
  errorCode: places(payload, 'error_information.error_code', 'metadata.error_information.error_code'),
  errorText: places(
    payload,
    'error_information.error_message',
    'error_str',
    'metadata.error_information.error_message',
  ),
  // The library tells it only as what was asked.
  endUser: places(proxyUsers, 'end_user', 'metadata.user_api_key_end_user_id', 'model_parameters.user'),
  keyUser: [
    ...places(payload, 'metadata.user_api_key_user_id', 'metadata.user_api_key_user_email'),
    ...places(spendLogs, 'user'),
  ],
  team: [
    ...places(payload, 'metadata.user_api_key_team_alias', 'metadata.user_api_key_team_id'),
    ...places(spendLogs, 'team_id'),
  ],
  key: places(payload, 'metadata.user_api_key_alias'),
  run: places(payload, 'trace_id', 'session_id'),
  tags: places(requestTags, 'request_tags'),
  /** Metadata that callers and owners of keys set themselves. */
  bags: [
    places(payload, 'metadata.requester_metadata'),
    places(payload, 'metadata.spend_logs_metadata'),
    places(payload, 'metadata.user_api_key_auth_metadata'),
  ],
} as const;

/** Terms of the answer and of the request (D26.1). */
const answerTerms = ['service_tier', 'size', 'quality'] as const;

/** The providers whose prices apply, by LiteLLM's own names. */
const providers = providersIn('litellm');

/** Messages, answers, headers, addresses and data of guardrails and tools are dropped. */
const keptOfMetadata: KeptParts = new Map([
  ...as('word', 'user_api_key_hash', 'user_api_key_org_id', 'user_api_key_team_id', 'user_api_key_project_id'),
  ...as('word', 'user_api_key_request_route', 'status', 'attempted_fallbacks', 'internal_call_origin'),
  ...as('text', 'user_api_key_alias', 'user_api_key_org_alias', 'user_api_key_team_alias'),
  ...as('text', 'user_api_key_project_alias', 'user_api_key_user_id', 'user_api_key_user_email'),
  ...as('text', 'user_api_key_end_user_id', 'original_model_group'),
  ...as('bag', 'user_api_key_auth_metadata', 'spend_logs_metadata', 'requester_metadata'),
  ...as('counts', 'usage_object'),
  ...as('texts', 'applied_guardrails', 'batch_models'),
]);
const parts: KeptParts = new Map([
  ...as('word', 'id', 'request_id', 'trace_id', 'session_id', 'call_id', 'litellm_call_id', 'call_type', 'stream'),
  ...as('word', 'status', 'custom_llm_provider', 'model_id', 'cache_hit', 'cache_key', 'organization_id', 'agent_id'),
  ...as('text', 'model', 'model_group', 'end_user', 'user', 'team_id', 'mcp_namespaced_tool_name'),
  ...as('time', 'startTime', 'endTime', 'completionStartTime'),
  ...as('number', 'response_time', 'response_cost', 'spend', 'saved_cache_cost', 'total_tokens', 'prompt_tokens'),
  ...as('number', 'completion_tokens'),
  ...as('address', 'api_base'),
  ...as('counts', 'cost_breakdown', 'zero_cost_diagnostic'),
  ...as('texts', 'request_tags'),
  ...as(new Map(as('word', 'error_code', 'error_class', 'llm_provider')), 'error_information'),
  ...as(keptOfMetadata, 'metadata'),
]);

/**
 * Calls of tools, files and lists through LiteLLM, which are requests to no model (`CallTypes`). A batch is paid when it is
 * retrieved, and a video when it is made or edited.
 */
const otherCallTypes: readonly RegExp[] = [
  /mcp_tool/,
  /^(?:a_?)?(?:create|retrieve|list|delete|cancel|get|add|upload)_(?:files?|file_content|containers?|container_files?|sandbox|skills?|fine_tuning_jobs?|responses?|assistants?|threads?|messages?|vector_stores?|vector_store_files?|input_items)$/,
  /^a?(?:create|cancel|list|delete)_batch(?:es)?$/,
  /^a?(?:file|video|vector_store|vector_store_file)_(?:create|retrieve|list|content|update|delete|(?:create|get)_character|retrieve_job)$/,
  /^a?create_realtime_/,
];

/** Batches are finished when they are retrieved: their row has the usage of all their requests. */
const batchCallType = /^a?retrieve_batch$/;

/** Requests that cost nothing. */
const freeCallType = /moderation|count_?tokens/;

/**
 * The outcome in a record of LiteLLM, which is a payload of its generic API callback or a row of its spend logs. Both
 * have the same id, so a call that arrives both ways counts once. Undefined without an id.
 */
export function readLiteLlm(record: JsonObject): Outcome | undefined {
  const id = textAt(record, at.id);
  if (id === undefined) return undefined;
  const failed = textAt(record, at.status) === 'failure';
  const isFromGatewayCache = /^true$/i.test(textAt(record, at.cacheHit) ?? '');
  const dropped: string[] = [];
  const metadata = objectAt(record, places(payload, 'metadata'));
  const kept = keep(metadata ? { ...record, metadata } : record, parts, '', dropped);
  return {
    origin: 'litellm',
    id: uuidOf('litellm', id),
    type: `litellm.${textAt(record, at.callType) ?? 'call'}`,
    failed,
    isCall: !otherCallTypes.some((type) => type.test(textAt(record, at.callType) ?? '')),
    startMs: timeAt(record, at.start),
    endMs: timeAt(record, at.end),
    model: withRequested(record).model,
    provider: providerOf(record),
    tags: toTags(record),
    usage: usageOf(record),
    reportedCost: costOf(record, isFromGatewayCache),
    isFromGatewayCache,
    answerIds: isFromGatewayCache ? [] : at.answerIds.map((place) => textAt(record, [place])),
    error: failed
      ? {
          type: textAt(record, at.errorClass) ?? textAt(record, at.errorCode),
          message: textAt(record, at.errorText),
        }
      : undefined,
    kept,
    parts,
    dropped,
  };
}

/** The cost that LiteLLM computed. It is also 0 for models without a price in its list, so 0 is ignored. */
export function costOf(record: JsonObject, isFromGatewayCache = false): number | undefined {
  const cost = numberAt(record, at.cost);
  return cost !== undefined && cost > 0 && !isFromGatewayCache ? cost : undefined;
}

function providerOf(record: JsonObject): string | undefined {
  const name = textAt(record, at.provider);
  return name === undefined ? undefined : (providers.get(name) ?? name);
}

/** The answered model or else the requested one, without LiteLLM's provider. A proxy's alias may stand for either (D27.9). */
function modelOf(record: JsonObject): string | undefined {
  const [answered, alias] = [textAt(record, at.answeredModel), textAt(record, at.alias)];
  const requested = requestedModels(record);
  const isAlias = (name: string | undefined) => name === alias && !isKnownModel(name ?? '');
  const first = answered === alias ? (requested[0] ?? answered) : (answered ?? requested[0]);
  const named = isAlias(first) ? (requested.find((name) => !isAlias(name)) ?? first) : first;
  const prefix = `${textAt(record, at.provider)}/`;
  return named?.startsWith(prefix) ? named.slice(prefix.length) : named;
}

const requestedModels = (record: JsonObject): readonly string[] =>
  at.model.flatMap((place) => textAt(record, [place]) ?? []);

/** The model, and the region that only the requested name has. */
const withRequested = (record: JsonObject): ReturnType<typeof addRequested> =>
  addRequested(modelOf(record), requestedModels(record));

/** Dimensions that callers name in tags or metadata come first, because callers set them on purpose. */
function toTags(record: JsonObject): Tag[] {
  const said = [...at.bags.flatMap((list) => tagsOf(objectAt(record, list))), ...tagsOfTexts(listAt(record, at.tags))];
  const user = textAt(record, at.keyUser);
  const alias = textAt(record, at.alias);
  const named = (...names: readonly string[]) => said.find(([name]) => names.includes(name))?.[1];
  return [
    ['customer', named('customer', 'customer_id') ?? textAt(record, at.endUser)],
    ['user', named('user', 'user_id') ?? (user === liteLlmNobody ? undefined : user)],
    ['feature', named('feature')],
    ['run_id', named('run_id', 'run') ?? textAt(record, at.run)],
    ...said,
    ['team', textAt(record, at.team)],
    ['key', textAt(record, at.key)],
    ['model_group', alias === modelOf(record) ? undefined : alias],
  ];
}

/** The provider's usage as LiteLLM passes it on, the terms, and the units that only the answer shows. */
function usageOf(record: JsonObject): JsonObject {
  // LiteLLM adds a usage of zeros to answers that have none.
  const usage = at.usage.map((place) => objectAt(record, [place])).find((sent) => sent && countsAnything(sent));
  const meta = objectAt(record, at.meta);
  const response = objectAt(record, at.response);
  const fields: Record<string, unknown> = {};
  if (usage !== undefined) {
    fields.usage = withoutLiteLlmCost(usage, textAt(record, at.provider));
    Object.assign(fields, unlike(record, usage));
  }
  if (meta !== undefined) fields.meta = meta;
  if (usage === undefined && meta === undefined) {
    const [prompt, completion] = [numberAt(record, at.prompt), numberAt(record, at.completion)];
    if ((prompt ?? 0) > 0 || (completion ?? 0) > 0) {
      Object.assign(fields, { prompt_tokens: prompt ?? 0, completion_tokens: completion ?? 0 });
    }
    const total = numberAt(record, at.total);
    if (total !== undefined && total !== 0) fields.total_tokens = total;
  }
  if (response !== undefined) {
    const breakdown = ownObject(response, 'usage_breakdown');
    if (breakdown !== undefined) fields.usage_breakdown = breakdown;
    let images = 0;
    readAnswerUnits(response, (unit, count) => {
      if (unit === 'images') images += count;
      // If an answer counts tokens, its images are charged by tokens.
      if (unit !== 'images' || usage === undefined) fields[unit] = count + Number(fields[unit] ?? 0);
    });
    const counted = numberAt(record, imageCount);
    if (counted !== undefined && images > 0 && counted !== images) {
      fields.unread_usage = { ...ownObject(fields, 'unread_usage'), [`${copyPath}.output_image_count`]: counted };
    }
    if (usage !== undefined && isOtherLength(ownValue(usage, 'seconds'), ownValue(response, 'duration'))) {
      fields.unread_usage = {
        ...ownObject(fields, 'unread_usage'),
        'response.duration': ownValue(response, 'duration'),
      };
    }
  }
  const isFree = freeCallType.test(textAt(record, at.callType) ?? '');
  if (Object.keys(fields).length === 0) fields.usage_not_reported = !isFree;
  for (const term of answerTerms) {
    const value = valueAt(record, ['response', term]) ?? valueAt(record, ['model_parameters', term]);
    if (typeof value === 'string') fields[term] = value;
  }
  const location =
    textAt(record, at.location) ?? withRequested(record).geo ?? geoOfModel(textAt(record, at.address) ?? '');
  if (location !== undefined) fields.geo = location;
  if (batchCallType.test(textAt(record, at.callType) ?? '')) fields.service_tier = 'batch';
  return fields;
}

/** LiteLLM's own counts that contradict those of the provider's usage, by their places in the stored event. */
function unlike(record: JsonObject, usage: JsonObject): JsonObject {
  const counts = ownCounts.map(([kind, list]): [BesideKind, string, number | undefined] => [
    kind,
    `litellm.${list[0]?.path.join('.') ?? ''}`,
    numberAt(record, list),
  ]);
  const others = { ...findUnlike(usage, counts), ...findUnlikeCopies(usage, objectAt(record, copied), copyPath) };
  return Object.keys(others).length === 0 ? {} : { unread_usage: others };
}

const copied = places(payload, 'metadata.usage_object');
const copyPath = 'litellm.metadata.usage_object';

/** The numbers of a copy of a usage object that are others there. A count of 0 says nothing. */
function findUnlikeCopies(usage: JsonObject, copy: JsonObject | undefined, path: string): Record<string, number> {
  const unlike: Record<string, number> = {};
  for (const [name, value] of Object.entries(copy ?? {})) {
    const own = ownValue(usage, name);
    if (isJsonObject(value) && isJsonObject(own))
      Object.assign(unlike, findUnlikeCopies(own, value, `${path}.${name}`));
    else if (typeof value === 'number' && typeof own === 'number' && value !== own && value !== 0) {
      unlike[`${path}.${name}`] = value;
    }
  }
  return unlike;
}

const imageCount = places(payload, 'metadata.usage_object.output_image_count');
const inUsageObject = (path: string) => places(payload, `metadata.usage_object.${path}`);

/** Where LiteLLM repeats counts in its own form. */
const ownCounts: readonly (readonly [BesideKind, readonly Place[]])[] = [
  ['input', at.prompt],
  ['output', at.completion],
  ['total', at.total],
  ['input', inUsageObject('prompt_tokens')],
  ['output', inUsageObject('completion_tokens')],
  ['total', inUsageObject('total_tokens')],
  ['cacheRead', inUsageObject('prompt_tokens_details.cached_tokens')],
  ['cacheRead', inUsageObject('cache_read_input_tokens')],
  ['cacheWrite', inUsageObject('prompt_tokens_details.cache_creation_tokens')],
  ['cacheWrite', inUsageObject('cache_creation_input_tokens')],
  ['reasoning', inUsageObject('completion_tokens_details.reasoning_tokens')],
];

/** Whether a count of a usage or of its details is above 0. No usage is nested deeper. */
const countsAnything = (usage: JsonObject, depth = 3): boolean =>
  depth > 0 &&
  Object.values(usage).some((value) =>
    isJsonObject(value) ? countsAnything(value, depth - 1) : typeof value === 'number' && value > 0,
  );
