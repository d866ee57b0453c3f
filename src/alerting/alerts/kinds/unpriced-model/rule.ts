import { addDays, type Day } from '../../../../lib/days.ts';
import { pagePath } from '../../../../lib/page-path.ts';
import { askUsage } from '../../ask.ts';
import type { Cause } from '../../cause.ts';
import type { LookFor } from '../../look.ts';
import { lastDays, spellCount } from '../../wording.ts';
import type { Settings } from '../kinds.ts';

/** The calls of a model on the last days, as `POST /api/usage/` counts them. */
export interface ModelUsage {
  readonly model: string;
  readonly calls: number;
  readonly unpricedCalls: number;
}

/** Reads the calls of each model on the last days. */
export async function lookAtModels(look: LookFor<'unpriced_model'>): Promise<Cause[]> {
  const { today, settings } = look;
  const rows = await askUsage(look, {
    date_from: addDays(today, 1 - settings.days),
    date_to: today,
    aggregate: 'all',
    group_by: 'model',
  });
  const models = rows.map(({ model = '', calls, unpriced_calls: unpricedCalls }) => ({ model, calls, unpricedCalls }));
  return findUnpricedModels({ models, today }, settings);
}

/** Models that have calls without a price on the last days. A cause ends when these days have none left. */
export const findUnpricedModels = (
  { models, today }: { readonly models: readonly ModelUsage[]; readonly today: Day },
  settings: Settings<'unpriced_model'>,
): Cause[] =>
  models.flatMap(({ model, calls, unpricedCalls }): Cause[] => {
    if (unpricedCalls === 0) return [];
    const named = model === '' ? 'calls without a model' : `calls of ${model}`;
    return [
      {
        subject: { model },
        state: unpricedCalls >= settings.least_calls ? 'holds' : 'lingers',
        numbers: { unpriced_calls: unpricedCalls, calls, days: settings.days },
        title: model === '' ? 'Calls without a model have no price' : `${model} has no price`,
        text: `In the last ${spellCount(settings.days, 'day')}, ${unpricedCalls} of ${spellCount(calls, 'call').replace(/calls?$/, named)} have no price, and count as $0.`,
        path: pagePath(['calls'], { ...lastDays(today, settings.days), models: [model] }),
      },
    ];
  });
