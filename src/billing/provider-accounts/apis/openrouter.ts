import { as } from '../../../ingest/gateways/kept-parts.ts';
import { dayMs, isDay, toDay, toDayNumber } from '../../../lib/days.ts';
import { type JsonObject, ownObjects } from '../../../lib/json-object.ts';
import { formatMoney, parseMoney } from '../../../lib/money.ts';
import { uuidOf } from '../../../lib/uuid-of.ts';
import { type CostApi, readAmount, textOrNull } from '../../invoices/files/cost-pages.ts';
import { callsAtMs, PageFault, type ProviderApi, type ReportedUsage } from './part.ts';
import { countOf, splitCounts } from './split-counts.ts';

/*
 * https://openrouter.ai/docs/api/api-reference/analytics/get-user-activity, read on 2026-11-29: the last 30 days that are
 * over in UTC, by endpoint. A management key is needed.
 */

const names = ['model', 'model_permaslug', 'endpoint_id', 'provider_name', 'workspace_id'] as const;
const identityOf = (item: JsonObject): string[] => names.map((name) => textOrNull(item[name]) ?? '');

/** `usage` is what OpenRouter charges, in USD; what callers' own keys pay elsewhere is beside it. */
const costs: CostApi = {
  name: 'openrouter-activity',
  provider: 'openrouter',
  hint: 'GET /api/v1/activity',
  spanOf: ({ date }) => {
    const day = dayOfItem(date);
    return day === undefined ? undefined : { from: toDayNumber(day) * dayMs, to: (toDayNumber(day) + 1) * dayMs };
  },
  read: (item) => ({
    amount: readAmount(item.usage, 'usd', { inCents: false }),
    model: textOrNull(item.model) ?? undefined,
    description: textOrNull(item.provider_name) ?? undefined,
    identity: identityOf(item),
  }),
};

export const openRouter: ProviderApi = {
  url: 'https://openrouter.ai/api/v1',
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  parts: [
    {
      name: 'activity',
      days: 1,
      reach: { first: 30, last: 1 },
      path: '/activity',
      query: ({ dateFrom }) => [
        ['date', dateFrom],
        ['group_by', 'workspace'],
      ],
      costs: {
        api: costs,
        toPage: (page) => ({
          data: [...Map.groupBy(ownObjects(page, 'data'), ({ date }) => date)].map(([date, results]) => ({
            date,
            results,
          })),
        }),
      },
      usage: (page) => ownObjects(page, 'data').flatMap(readItem),
    },
  ],
};

function readItem(item: JsonObject): ReportedUsage[] {
  const day = dayOfItem(item.date);
  if (day === undefined) throw new PageFault('has usage without a day');
  const counts = {
    prompt: countOf(item, 'prompt_tokens'),
    completion: countOf(item, 'completion_tokens'),
    reasoning: countOf(item, 'reasoning_tokens'),
    requests: countOf(item, 'requests'),
  };
  const cost = amountOf(item.usage) + amountOf(item.byok_usage_inference);
  if (cost === 0n && Object.values(counts).every((count) => count === 0)) return [];
  const by = { key: undefined, workspace: textOrNull(item.workspace_id) ?? undefined, user: undefined };
  const identity = identityOf(item);
  const split = splitCounts(counts);
  return split.map((part, index) => ({
    day,
    by,
    outcome: {
      origin: 'openrouter_activity',
      id: uuidOf('openrouter activity', day, ...identity, String(index)),
      type: 'openrouter_activity.usage',
      failed: false,
      startMs: toDayNumber(day) * dayMs + callsAtMs,
      model: textOrNull(item.model) ?? 'unknown',
      provider: 'openrouter',
      tags: [['upstream', textOrNull(item.provider_name) ?? undefined]],
      usage: {
        usage: {
          prompt_tokens: part.prompt,
          completion_tokens: part.completion,
          completion_tokens_details: { reasoning_tokens: part.reasoning },
        },
        // The first part has the whole cost.
        cost: Number(formatMoney(index === 0 ? cost : 0n)),
        num_requests: Math.max(1, part.requests),
      },
      kept: Object.fromEntries(names.flatMap((name) => (textOrNull(item[name]) === null ? [] : [[name, item[name]]]))),
      parts: new Map(as('text', ...names)),
      dropped: [],
    },
  }));
}

/** 12 digits, as entries have them. @throws PageFault */
function amountOf(value: unknown): bigint {
  if (value === undefined || value === null) return 0n;
  const amount = typeof value === 'number' ? parseMoney(value) : null;
  if (amount === null) throw new PageFault('has a cost that is no number');
  return amount;
}

/** The day of `2026-01-31` and of `2026-01-31 00:00:00`; both are in use. */
function dayOfItem(value: unknown): string | undefined {
  const day = typeof value === 'string' ? value.slice(0, 10) : '';
  return isDay(day) ? toDay(toDayNumber(day)) : undefined;
}
