import { isJsonObject, type JsonObject, ownObjects } from '../../lib/json-object.ts';
import { uuidOf } from '../../lib/uuid-of.ts';
import { findUnlike } from '../../usage/counts-beside.ts';
import { fullestName } from '../../usage/model-geo.ts';
import { as, type KeptParts, keep } from '../gateways/kept-parts.ts';
import { type Tag, tagsOf } from '../gateways/outcome-event.ts';
import { asNumber, numberAt, objectAt, places, textAt, timeAt } from '../gateways/places.ts';
import { faultOf, type ImportSource } from './source.ts';

const github = 'https://github.com/Helicone/helicone/blob';
/** `HeliconeRequest`, in answers of the API, and in JSON and JSONL of `npx @helicone/export`. */
const api = `${github}/301a87bce5fb524ab59aeacc6b44c44ba447ea88/packages/llm-mapper/types.ts`;
/** The CSV of `npx @helicone/export`. */
const csv = `${github}/c7feb3164110940b0eb1e6c24e2ee7f949e51fca/examples/export/typescript/index.ts`;
const headers = 'https://docs.helicone.ai/helicone-headers/header-directory';

const at = {
  // CSV has no other id.
  id: [...places(csv, 'response_id'), ...places(api, 'request_id')],
  start: places(api, 'request_created_at'),
  end: places(api, 'response_created_at'),
  elapsed: [...places(api, 'delay_ms'), ...places(csv, 'latency')],
  status: places(api, 'response_status'),
  model: [...places(api, 'response_model', 'model', 'request_model', 'model_override')],
  provider: places(api, 'provider'),
  usage: places(api, 'response_body.usage', 'response_body.usageMetadata'),
  prompt: places(api, 'prompt_tokens'),
  completion: places(api, 'completion_tokens'),
  total: places(api, 'total_tokens'),
  cacheRead: places(api, 'prompt_cache_read_tokens'),
  cacheWrite: places(api, 'prompt_cache_write_tokens'),
  inputAudio: places(api, 'prompt_audio_tokens'),
  outputAudio: places(api, 'completion_audio_tokens'),
  cost: [...places(csv, 'cost_usd'), ...places(api, 'costUSD', 'cost')],
  cacheOf: places(api, 'cache_reference_id'),
  user: [...places(api, 'request_user_id', 'helicone_user')],
  bags: [places(api, 'request_properties'), places(api, 'properties')],
} as const;

/** The properties that Helicone itself defines, in lower case. */
const property = {
  session: places(headers, 'helicone-session-id'),
  feature: places(headers, 'helicone-session-name', 'helicone-prompt-id'),
} as const;

const parts: KeptParts = new Map([
  ...as('text', 'response_id', 'request_id', 'response_status'),
  ...as('time', 'request_created_at', 'response_created_at'),
  ...as('text', 'response_model', 'request_model', 'model', 'model_override', 'provider', 'delay_ms', 'latency'),
  ...as('text', 'time_to_first_token', 'prompt_tokens', 'completion_tokens', 'total_tokens'),
  ...as('text', 'prompt_cache_read_tokens', 'prompt_cache_write_tokens', 'prompt_audio_tokens'),
  ...as('text', 'completion_audio_tokens', 'cost', 'cost_usd', 'costUSD', 'request_user_id', 'cache_reference_id'),
  ...as('text', 'cache_enabled', 'prompt_id', 'prompt_version'),
  ...as('address', 'request_path', 'target_url'),
  ...as('bag', 'request_properties', 'properties'),
]);

/** The value of `cacheOf` for a request that was not answered from the cache. */
const noCache = '00000000-0000-0000-0000-000000000000';

/** Providers whose prompt counts exclude cached tokens, also in Helicone. */
const withoutCached: ReadonlySet<string> = new Set(['anthropic', 'aws', 'bedrock']);

export const helicone: ImportSource = {
  title: 'Helicone',
  hint: 'export its requests with npx @helicone/export',
  unpack: (value) => (Array.isArray(value.data) ? ownObjects(value, 'data') : [withObjects(value)]),
  read: (record) => {
    const id = textAt(record, at.id);
    if (id === undefined) return faultOf('has no response_id and no request_id');
    const startMs = timeAt(record, at.start);
    if (startMs === undefined) return faultOf('has no request_created_at');
    const status = numberAt(record, at.status) ?? 200;
    const failed = status < 200 || status >= 300;
    const cost = numberAt(record, at.cost);
    const isFromGatewayCache = (textAt(record, at.cacheOf) ?? noCache) !== noCache;
    const dropped: string[] = [];
    const outcome = {
      origin: 'helicone',
      id: uuidOf('helicone', id),
      type: 'helicone.request',
      failed,
      startMs,
      endMs: timeAt(record, at.end),
      elapsedMs: elapsedOf(record),
      model: fullestName(at.model.flatMap((place) => textAt(record, [place]) ?? [])),
      provider: providerOf(record),
      tags: toTags(record),
      usage: usageOf(record),
      reportedCost: cost !== undefined && cost > 0 && !isFromGatewayCache ? cost : undefined,
      isFromGatewayCache,
      error: failed ? { type: `HTTP ${status}`, message: undefined } : undefined,
      kept: keep(record, parts, '', dropped),
      parts,
      dropped,
    };
    return { kind: 'calls', outcomes: [outcome], cost };
  },
};

/** Parses objects in CSV, where Helicone doubles quotes twice. */
const withObjects = (record: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      typeof value === 'string' && value.startsWith('{""') ? value.replaceAll('""', '"') : value,
    ]),
  );

function elapsedOf(record: JsonObject): number | undefined {
  const elapsed = numberAt(record, at.elapsed);
  return elapsed !== undefined && elapsed >= 0 ? elapsed : undefined;
}

function providerOf(record: JsonObject): string | undefined {
  const name = textAt(record, at.provider)?.toLowerCase();
  return name === 'custom' ? undefined : name;
}

function toTags(record: JsonObject): Tag[] {
  const said = at.bags.flatMap((list) => tagsOf(objectAt(record, list)));
  const byName: JsonObject = Object.fromEntries(said.map(([name, value]) => [name.toLowerCase(), value]));
  return [
    ['customer', textAt(byName, places(headers, 'customer', 'customer_id', 'customer-id'))],
    ['user', textAt(record, at.user)],
    ['feature', textAt(byName, [...places(headers, 'feature'), ...property.feature])],
    ['run_id', textAt(byName, [...places(headers, 'run_id', 'run'), ...property.session])],
    ...said,
  ];
}

/** The provider's own usage if the export has the bodies, else Helicone's counts. */
function usageOf(record: JsonObject): JsonObject {
  const { unread_usage: unlike, ...fields } = readCounts(record);
  const unread = { ...(isJsonObject(unlike) ? unlike : {}), ...otherCounts(record) };
  return Object.keys(unread).length === 0 ? fields : { ...fields, unread_usage: unread };
}

const counted = [at.prompt, at.completion, at.total, at.cacheRead, at.cacheWrite, at.inputAudio, at.outputAudio];
const countNames: ReadonlySet<string | undefined> = new Set(counted.flat().map(({ path }) => path[0]));

/** Counts of tokens by names that are not known here. 0 says nothing. */
const otherCounts = (record: JsonObject): Record<string, number> =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      const count = /_tokens$/.test(name) && !countNames.has(name) ? asNumber(value) : undefined;
      return count === undefined || count === 0 ? [] : [[`helicone.${name}`, count]];
    }),
  );

function readCounts(record: JsonObject): JsonObject {
  const usage = objectAt(record, at.usage);
  const [prompt, completion, total] = [at.prompt, at.completion, at.total].map((list) => numberAt(record, list));
  if (usage !== undefined) {
    const unlike = findUnlike(usage, [
      ['input', 'helicone.prompt_tokens', prompt],
      ['output', 'helicone.completion_tokens', completion],
      ['total', 'helicone.total_tokens', total],
      ['cacheRead', 'helicone.prompt_cache_read_tokens', numberAt(record, at.cacheRead)],
      ['cacheWrite', 'helicone.prompt_cache_write_tokens', numberAt(record, at.cacheWrite)],
      ['inputAudio', 'helicone.prompt_audio_tokens', numberAt(record, at.inputAudio)],
      ['outputAudio', 'helicone.completion_audio_tokens', numberAt(record, at.outputAudio)],
    ]);
    return { usage, ...(unlike && { unread_usage: unlike }) };
  }
  if (prompt === undefined && completion === undefined) return {};
  const [read, write] = [numberAt(record, at.cacheRead), numberAt(record, at.cacheWrite)];
  const beside = withoutCached.has(providerOf(record) ?? '') ? (read ?? 0) + (write ?? 0) : 0;
  return {
    prompt_tokens: (prompt ?? 0) + beside,
    completion_tokens: completion ?? 0,
    cached_tokens: read,
    cache_write_tokens: write,
    input_audio_tokens: numberAt(record, at.inputAudio),
    output_audio_tokens: numberAt(record, at.outputAudio),
    total_tokens: total === 0 ? undefined : total,
  };
}
