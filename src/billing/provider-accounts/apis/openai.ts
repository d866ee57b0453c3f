import { openAiUsage } from '../../../ingest/imports/openai-usage.ts';
import { dayMs, type Period, toDay, toDayNumber } from '../../../lib/days.ts';
import type { JsonObject } from '../../../lib/json-object.ts';
import { textOrNull } from '../../invoices/files/cost-pages.ts';
import { openAiCosts } from '../../invoices/files/openai-costs.ts';
import { callsAtMs, PageFault, type Part, type ProviderApi, type ReportedUsage } from './part.ts';

/*
 * `src/openai/resources/admin/organization/usage.py` and its types in github.com/openai/openai-python at e43b4224, of
 * 2026-08-21, read on 2026-11-29. An admin key of the organization is needed. Storage of vectors has no calls.
 */

const byUser = ['project_id', 'user_id', 'api_key_id'] as const;

const usageOf = (name: string, ...groups: readonly string[]): Part => ({
  name: `usage/${name}`,
  days: 31,
  path: `/organization/usage/${name}`,
  query: (span) => [...buckets(span), ...groups.map((group) => ['group_by[]', group] as const)],
  usage: readUsage,
});

const buckets = ({ dateFrom, dateTo }: Period): [string, string][] => [
  ['start_time', String((toDayNumber(dateFrom) * dayMs) / 1_000)],
  ['end_time', String(((toDayNumber(dateTo) + 1) * dayMs) / 1_000)],
  ['bucket_width', '1d'],
  ['limit', '31'],
];

export const openAi: ProviderApi = {
  url: 'https://api.openai.com/v1',
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  parts: [
    {
      name: 'costs',
      days: 31,
      path: '/organization/costs',
      query: (span) => [...buckets(span), ['group_by[]', 'line_item'], ['group_by[]', 'project_id']],
      costs: { api: openAiCosts, toPage: (page) => page },
    },
    usageOf('completions', ...byUser, 'model', 'batch', 'service_tier'),
    usageOf('embeddings', ...byUser, 'model'),
    usageOf('moderations', ...byUser, 'model'),
    usageOf('images', ...byUser, 'model', 'size', 'source'),
    usageOf('audio_speeches', ...byUser, 'model'),
    usageOf('audio_transcriptions', ...byUser, 'model'),
    usageOf('web_search_calls', ...byUser, 'model', 'context_level'),
    usageOf('file_search_calls', ...byUser),
    usageOf('code_interpreter_sessions', 'project_id'),
  ],
};

/** As `farthing import --from openai-usage` reads the same pages. */
function readUsage(page: JsonObject): ReportedUsage[] {
  return openAiUsage.unpack(page).flatMap((record) => {
    const named = { ...record, model: textOrNull(record.model) ?? (isModelless(record) ? null : unnamed) };
    const found = openAiUsage.read(named);
    if (found.kind === 'fault') throw new PageFault(`has a result that ${found.fault}`);
    if (found.kind === 'other') return [];
    const by = {
      key: textOrNull(record.api_key_id) ?? undefined,
      workspace: textOrNull(record.project_id) ?? undefined,
      user: textOrNull(record.user_id) ?? undefined,
    };
    return found.outcomes.map((outcome) => {
      const { startMs = 0 } = outcome;
      return { day: toDay(Math.floor(startMs / dayMs)), by, outcome: { ...outcome, startMs: startMs + callsAtMs } };
    });
  });
}

/** The model of usage whose model OpenAI does not tell: its calls have no price, which coverage shows. */
const unnamed = 'unknown';

const isModelless = ({ object }: JsonObject): boolean =>
  typeof object === 'string' && /code_interpreter|file_search/.test(object);
