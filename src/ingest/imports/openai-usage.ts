import { type JsonObject, ownObjects } from '../../lib/json-object.ts';
import { uuidOf } from '../../lib/uuid-of.ts';
import { maxTokens } from '../../usage/readers/usage-counts.ts';
import { as, type KeptParts, keep } from '../gateways/kept-parts.ts';
import type { Outcome, Tag } from '../gateways/outcome-event.ts';
import { numberAt, type Place, places, textAt, timeAt } from '../gateways/places.ts';
import { faultOf, type ImportSource, other } from './source.ts';

/** `UsageCompletionsResult` and similar. A CSV row of the usage page has the same names, and those of its bucket. */
const api = 'https://github.com/openai/openai-openapi/blob/f85dbe223d40e1a31cba812ab2d755c7e98a92a3/openapi.yaml';

const at = {
  start: places(api, 'start_time', 'start_time_iso'),
  end: places(api, 'end_time', 'end_time_iso'),
  object: places(api, 'object'),
  requests: places(api, 'num_model_requests', 'num_requests', 'num_sessions'),
  project: places(api, 'project_id'),
  user: places(api, 'user_id'),
  key: places(api, 'api_key_id'),
  model: places(api, 'model'),
  batch: places(api, 'batch'),
  tier: places(api, 'service_tier'),
  size: places(api, 'size'),
  source: places(api, 'source'),
  context: places(api, 'context_level'),
  /** Of openai 7.59.0. */
  api: places('https://www.npmjs.com/package/openai/v/7.59.0', 'api_source'),
} as const;

const parts: KeptParts = new Map([
  ...as('text', ...Object.values(at).flatMap((list: readonly Place[]) => list.map(({ path }) => path[0] ?? ''))),
  ...as('number', 'input_tokens', 'input_text_tokens', 'input_cached_tokens', 'input_cached_text_tokens'),
  ...as('number', 'input_cached_audio_tokens', 'input_cached_image_tokens', 'input_cache_write_tokens'),
  ...as('number', 'input_cache_write_12h_tokens', 'input_cache_write_30m_tokens'),
  ...as('number', 'input_uncached_tokens', 'input_audio_tokens', 'input_image_tokens', 'output_tokens'),
  ...as('number', 'output_text_tokens', 'output_audio_tokens', 'output_image_tokens', 'images', 'characters'),
  ...as('number', 'seconds', 'usage_bytes'),
]);

/** For each kind of usage, the field that counts its units, and the unit. */
const kinds: Readonly<Record<string, { readonly field?: string; readonly unit?: string }>> = {
  completions: {},
  embeddings: {},
  moderations: {},
  images: { field: 'images', unit: 'images' },
  audio_speeches: { field: 'characters', unit: 'characters' },
  audio_transcriptions: { field: 'seconds', unit: 'audio_seconds' },
  code_interpreter_sessions: { field: 'num_sessions', unit: 'code_sessions' },
  file_searches: { field: 'num_requests', unit: 'file_searches' },
  web_searches: { field: 'num_requests', unit: 'web_searches' },
};

/** Each result, summed up by time and grouping, becomes one event and call, with the number of its requests. */
export const openAiUsage: ImportSource = {
  title: "OpenAI's usage",
  hint: 'save the pages of /v1/organization/usage/completions, grouped by model, or export activity from the usage page',
  unpack: (value) =>
    (Array.isArray(value.data) ? ownObjects(value, 'data') : [value]).flatMap((bucket) =>
      Array.isArray(bucket.results)
        ? ownObjects(bucket, 'results').map((result) => ({
            ...result,
            start_time: bucket.start_time,
            end_time: bucket.end_time,
          }))
        : [bucket],
    ),
  read: (record) => {
    const startMs = timeAt(record, at.start);
    if (startMs === undefined) return faultOf('has no start_time: give whole buckets');
    const kind = kindOf(record);
    const known = kinds[kind];
    // Storage of vectors has no requests.
    if (kind === 'vector_stores') return other;
    if (known === undefined) return faultOf(`is usage of an unknown kind, ${kind}`);
    const usage = usageOf(record, kind);
    const requests = numberAt(record, at.requests) ?? 0;
    if (Object.values(usage).every((count) => count === 0) && requests === 0) return other;
    if (textAt(record, at.model) === undefined && known.unit !== 'code_sessions' && known.unit !== 'file_searches') {
      return faultOf('names no model: ask for group_by=model');
    }
    return { kind: 'calls', outcomes: toOutcomes(record, { kind, startMs, usage, requests }), cost: undefined };
  },
};

function kindOf(record: JsonObject): string {
  const named = /^organization\.usage\.(\w+)\.result$/.exec(textAt(record, at.object) ?? '')?.[1];
  if (named !== undefined) return named;
  const field = Object.entries(kinds).find(
    ([, { field: one = '' }]) => numberAt(record, places(api, one)) !== undefined,
  );
  return field?.[0] ?? 'completions';
}

/** Counts by field of an event. */
type Counts = Readonly<Record<string, number>>;

function usageOf(record: JsonObject, kind: string): Counts {
  const count = (...names: readonly string[]) =>
    names.reduce((sum, name) => sum + (numberAt(record, places(api, name)) ?? 0), 0);
  const { field, unit } = kinds[kind] ?? {};
  if (field !== undefined && unit !== undefined) return { [unit]: count(field) };
  // Of text, audio and images, the cached part is counted apart.
  const ofKind = (name: string) => count(`input_${name}_tokens`, `input_cached_${name}_tokens`);
  // Without `input_text_tokens`, as in older exports, the input excludes audio.
  const isText = numberAt(record, places(api, 'input_text_tokens')) === undefined;
  return {
    input_tokens: count('input_tokens') + (isText ? ofKind('audio') : 0),
    output_tokens: count('output_tokens') + (isText ? count('output_audio_tokens') : 0),
    'input_tokens_details.cached_tokens': count('input_cached_tokens'),
    'input_tokens_details.cache_write_tokens': count('input_cache_write_tokens'),
    'input_tokens_details.cache_write_tokens_details.ttl_12h_tokens': count('input_cache_write_12h_tokens'),
    'input_tokens_details.cache_write_tokens_details.ttl_30m_tokens': count('input_cache_write_30m_tokens'),
    'input_tokens_details.audio_tokens': ofKind('audio'),
    'input_tokens_details.image_tokens': ofKind('image'),
    'input_tokens_details.cached_tokens_details.audio_tokens': count('input_cached_audio_tokens'),
    'input_tokens_details.cached_tokens_details.image_tokens': count('input_cached_image_tokens'),
    'output_tokens_details.audio_tokens': count('output_audio_tokens'),
    'output_tokens_details.image_tokens': count('output_image_tokens'),
  };
}

/** Numbers that say the same as others, where they contradict them, and counts of unknown names. */
function unlike(record: JsonObject, kind: string): JsonObject {
  if (kinds[kind]?.field !== undefined) return {};
  const count = (name: string) => numberAt(record, places(api, name)) ?? 0;
  const beside = (side: string) => count(`${side}_audio_tokens`) + count(`${side}_image_tokens`);
  const uncached = count('input_tokens') - count('input_cached_tokens') - count('input_cache_write_tokens');
  const expected: readonly (readonly [name: string, counts: readonly number[]])[] = [
    ['input_uncached_tokens', [uncached]],
    // The page of usage and the API differ in whether writes to the cache are among the text.
    ['input_text_tokens', [uncached, uncached + count('input_cache_write_tokens')].map((all) => all - beside('input'))],
    ['input_cached_text_tokens', [count('input_cached_tokens') - beside('input_cached')]],
    ['output_text_tokens', [count('output_tokens') - beside('output')]],
  ];
  const others = expected.flatMap(([name, counts]) => {
    const own = numberAt(record, places(api, name));
    return own === undefined || own === 0 || counts.includes(own) ? [] : [[`openai_usage.${name}`, own] as const];
  });
  const unknown = Object.entries(record).flatMap(([name, value]) =>
    name.endsWith('_tokens') && typeof value === 'number' && !parts.has(name)
      ? [[`openai_usage.${name}`, value] as const]
      : [],
  );
  const unread = [...others, ...unknown];
  return unread.length === 0 ? {} : { unread_usage: Object.fromEntries(unread) };
}

/** The counts of an event, those with dots in their names as objects of a usage. */
function toFields(counts: Counts): JsonObject {
  const usage: Record<string, unknown> = {};
  const units: Record<string, unknown> = {};
  for (const [name, count] of Object.entries(counts)) {
    if (count === 0) continue;
    if (!name.includes('_tokens')) {
      units[name] = count;
      continue;
    }
    const path = name.split('.');
    const last = path.pop() ?? '';
    let level = usage;
    for (const step of path) {
      const inner = (level[step] ?? {}) as Record<string, unknown>;
      level[step] = inner;
      level = inner;
    }
    level[last] = count;
  }
  return { ...units, ...(Object.keys(usage).length > 0 && { usage }) };
}

interface Result {
  readonly kind: string;
  readonly startMs: number;
  readonly usage: Counts;
  readonly requests: number;
}

/** The events of a result: one, unless a count exceeds what an event may have. */
function toOutcomes(record: JsonObject, { kind, startMs, usage, requests }: Result): Outcome[] {
  const events = Math.max(1, Math.ceil(Math.max(0, ...Object.values(usage), requests) / maxTokens));
  const share = (count: number, part: number) =>
    Math.floor((count * (part + 1)) / events) - Math.floor((count * part) / events);
  // The id has everything by which a result can be grouped. It has no counts, so a later import replaces the result of
  // a bucket that was not over.
  const names = [at.project, at.user, at.key, at.model, at.batch, at.tier, at.size, at.source, at.context].map((list) =>
    (textAt(record, list) ?? '').toLowerCase(),
  );
  const ofApi = textAt(record, at.api);
  const bucket = [kind, String(startMs), String(timeAt(record, at.end) ?? ''), ...names, ...(ofApi ? [ofApi] : [])];
  const dropped: string[] = [];
  const kept = keep(record, parts, '', dropped);
  return Array.from({ length: events }, (_, part) => ({
    origin: 'openai_usage',
    id: uuidOf('openai-usage', ...(bucket as [string, ...string[]]), String(part)),
    type: `openai_usage.${kind}`,
    failed: false,
    // The call's time is the bucket's start: its end is the start of the next bucket, perhaps on another day.
    startMs,
    model: textAt(record, at.model),
    provider: 'openai',
    tags: toTags(record),
    usage: {
      ...toFields(Object.fromEntries(Object.entries(usage).map(([name, count]) => [name, share(count, part)]))),
      ...unlike(record, kind),
      num_requests: Math.max(1, share(requests, part)),
      ...terms(record),
    },
    kept,
    parts,
    dropped,
  }));
}

function terms(record: JsonObject): JsonObject {
  // CSV has Python's `True`.
  const tier = /^true$/i.test(textAt(record, at.batch) ?? '') ? 'batch' : textAt(record, at.tier);
  const [size, context] = [textAt(record, at.size), textAt(record, at.context)];
  return {
    ...(tier !== undefined && { service_tier: tier }),
    ...(size !== undefined && { size }),
    ...(context !== undefined && { search_context_size: context }),
  };
}

const toTags = (record: JsonObject): Tag[] => [
  ['user', textAt(record, at.user)],
  ['project', textAt(record, at.project)],
  ['key', textAt(record, at.key)],
];
