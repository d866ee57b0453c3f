import { as } from '../../../ingest/gateways/kept-parts.ts';
import { addDays, type Day, dayMs, type Period, toDay, toDayNumber } from '../../../lib/days.ts';
import { type JsonObject, ownObject, ownObjects } from '../../../lib/json-object.ts';
import { uuidOf } from '../../../lib/uuid-of.ts';
import { anthropicCosts } from '../../invoices/files/anthropic-costs.ts';
import { textOrNull } from '../../invoices/files/cost-pages.ts';
import { callsAtMs, PageFault, type ProviderApi, type ReportedUsage, type UsedBy } from './part.ts';
import { countOf, splitCounts } from './split-counts.ts';

/*
 * https://platform.claude.com/docs/en/api/admin/cost_report, …/usage_report/retrieve_messages and
 * …/usage_report/retrieve_claude_code, read on 2026-11-29. An admin key of the organization is needed.
 */

const span = ({ dateFrom, dateTo }: Period): [string, string][] => [
  ['starting_at', `${dateFrom}T00:00:00Z`],
  ['ending_at', `${addDays(dateTo, 1)}T00:00:00Z`],
  ['bucket_width', '1d'],
  ['limit', '31'],
];
const groupBy = (...groups: readonly string[]): [string, string][] => groups.map((group) => ['group_by[]', group]);

/** By which the usage report is grouped. `speed` needs the beta header. */
const groups = [
  ...(['account_id', 'service_account_id', 'api_key_id', 'workspace_id', 'model'] as const),
  ...(['service_tier', 'context_window', 'inference_geo', 'speed'] as const),
];

export const anthropic: ProviderApi = {
  url: 'https://api.anthropic.com/v1',
  headers: (key) => ({
    'x-api-key': key,
    'anthropic-version': '2023-06-01',
    'anthropic-beta': 'fast-mode-2026-02-01',
  }),
  parts: [
    {
      name: 'costs',
      days: 31,
      path: '/organizations/cost_report',
      query: (days) => [...span(days), ...groupBy('description', 'workspace_id')],
      costs: { api: anthropicCosts, toPage: (page) => page },
    },
    {
      name: 'usage/messages',
      days: 31,
      path: '/organizations/usage_report/messages',
      query: (days) => [...span(days), ...groupBy(...groups)],
      usage: (page) => ownObjects(page, 'data').flatMap(readBucket),
    },
    {
      name: 'usage/claude_code',
      isOptional: true,
      days: 1,
      path: '/organizations/usage_report/claude_code',
      query: ({ dateFrom }) => [
        ['starting_at', dateFrom],
        ['limit', '1000'],
      ],
      usage: (page) => ownObjects(page, 'data').flatMap(readSeat),
    },
  ],
};

function readBucket(bucket: JsonObject): ReportedUsage[] {
  const day = dayAt(bucket.starting_at);
  return ownObjects(bucket, 'results').flatMap((result) => {
    const of = Object.fromEntries(groups.map((group) => [group, textOrNull(result[group]) ?? '']));
    const writes = ownObject(result, 'cache_creation') ?? {};
    const counts = {
      input: countOf(result, 'uncached_input_tokens'),
      cacheRead: countOf(result, 'cache_read_input_tokens'),
      cacheWrite1h: countOf(writes, 'ephemeral_1h_input_tokens'),
      cacheWrite5m: countOf(writes, 'ephemeral_5m_input_tokens'),
      output: countOf(result, 'output_tokens'),
      searches: countOf(ownObject(result, 'server_tool_use') ?? {}, 'web_search_requests'),
    };
    const by: UsedBy = {
      key: of.api_key_id || undefined,
      workspace: of.workspace_id || undefined,
      user: of.account_id || of.service_account_id || undefined,
    };
    const terms = {
      ...(of.service_tier && { service_tier: of.service_tier }),
      ...(of.speed && { speed: of.speed }),
      ...(of.inference_geo && of.inference_geo !== 'not_available' && { inference_geo: of.inference_geo }),
    };
    const identity = groups.map((group) => of[group] ?? '');
    return toUsages({ day, by, identity, type: 'anthropic_usage.messages', model: of.model, counts }, (part) => ({
      usage: { ...toUsage(part), ...terms },
      ...(of.context_window === '0-200k' && { num_requests: leastRequests(part) }),
      // Some models cost more above a size that both kinds of prompts can have.
      ...(of.context_window !== '200k-1M' && { may_be_sum: true }),
    }));
  });
}

interface Counts extends Readonly<Record<string, number>> {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite1h: number;
  readonly cacheWrite5m: number;
  readonly output: number;
  readonly searches: number;
}

/** In the form of an answer to a message. */
const toUsage = ({ input, cacheRead, cacheWrite1h, cacheWrite5m, output, searches }: Counts): JsonObject => ({
  input_tokens: input,
  cache_read_input_tokens: cacheRead,
  cache_creation_input_tokens: cacheWrite1h + cacheWrite5m,
  cache_creation: { ephemeral_1h_input_tokens: cacheWrite1h, ephemeral_5m_input_tokens: cacheWrite5m },
  output_tokens: output,
  ...(searches > 0 && { server_tool_use: { web_search_requests: searches } }),
});

const longPrompt = 200_000;

/** The report does not count requests; at least so many there were, so none of them has the price of long prompts. */
const leastRequests = ({ input, cacheRead, cacheWrite1h, cacheWrite5m }: Counts): number =>
  Math.max(1, Math.ceil((input + cacheRead + cacheWrite1h + cacheWrite5m) / longPrompt));

/**
 * A row of Claude Code's analytics. Those of API customers are in the usage report too. A subscription has none there: its
 * seat pays for it, so its calls cost nothing.
 */
function readSeat(row: JsonObject): ReportedUsage[] {
  if (row.customer_type !== 'subscription') return [];
  const day = dayAt(row.date);
  const actor = ownObject(row, 'actor') ?? {};
  const [user, key] = [textOrNull(actor.email_address), textOrNull(actor.api_key_name)];
  const terminal = textOrNull(row.terminal_type) ?? '';
  return ownObjects(row, 'model_breakdown').flatMap((one) => {
    const tokens = ownObject(one, 'tokens') ?? {};
    const counts = {
      input: countOf(tokens, 'input'),
      cacheRead: countOf(tokens, 'cache_read'),
      cacheWrite1h: 0,
      cacheWrite5m: countOf(tokens, 'cache_creation'),
      output: countOf(tokens, 'output'),
      searches: 0,
    };
    const model = textOrNull(one.model) ?? undefined;
    const by: UsedBy = { key: key ?? undefined, workspace: undefined, user: user ?? undefined };
    const identity = [user ?? '', key ?? '', terminal, model ?? ''];
    return toUsages({ day, by, identity, type: 'claude_code.usage', model, counts }, (part) => ({
      usage: toUsage(part),
      cost: 0,
    })).map((usage) => ({ ...usage, feature: 'claude-code' }));
  });
}

interface Group {
  readonly day: Day;
  readonly by: UsedBy;
  readonly identity: readonly string[];
  readonly type: string;
  readonly model: string | undefined;
  readonly counts: Counts;
}

function toUsages(
  { day, by, identity, type, model, counts }: Group,
  toFields: (part: Counts) => JsonObject,
): ReportedUsage[] {
  if (Object.values(counts).every((count) => count === 0)) return [];
  const startMs = toDayNumber(day) * dayMs + callsAtMs;
  return splitCounts(counts).map((part, index) => ({
    day,
    by,
    outcome: {
      origin: 'anthropic_usage',
      id: uuidOf('anthropic usage', type, day, ...identity, String(index)),
      type,
      failed: false,
      startMs,
      model: model || 'unknown',
      provider: 'anthropic',
      tags: [],
      usage: toFields(part),
      kept: Object.fromEntries(identity.flatMap((text, at) => (text === '' ? [] : [[`group_${at}`, text]]))),
      parts: new Map(as('text', ...identity.map((_, at) => `group_${at}`))),
      dropped: [],
    },
  }));
}

/** The UTC day of a time or day. @throws PageFault */
function dayAt(value: unknown): Day {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) throw new PageFault('has usage without a day');
  return toDay(Math.floor(ms / dayMs));
}
