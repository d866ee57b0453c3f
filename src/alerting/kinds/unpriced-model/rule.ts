import { addDays, type Day } from '../../../lib/days.ts';
import { linkPath } from '../../../lib/link-path.ts';
import { askUsage, readUnreported } from '../../rule/ask.ts';
import type { Cause } from '../../rule/cause.ts';
import type { SettingsOf } from '../../rule/kind.ts';
import type { LookFor } from '../../rule/look.ts';
import { lastDays, spellCount } from '../../rule/wording.ts';
import type { unpricedModel } from './kind.ts';

/** The calls of a model on the last days, as `POST /api/usage/` counts them. */
export interface ModelUsage {
  readonly model: string;
  readonly calls: number;
  readonly unpricedCalls: number;
  /** Those of them whose usage nobody reports. */
  readonly unreportedCalls: number;
}

/** Reads the calls of each model on the last days. */
export async function lookAtModels(look: LookFor<typeof unpricedModel>): Promise<Cause[]> {
  const { today, settings } = look;
  const dateFrom = addDays(today, 1 - settings.days);
  const [rows, unreported] = await Promise.all([
    askUsage(look, { date_from: dateFrom, date_to: today, aggregate: 'all', group_by: 'model' }),
    readUnreported(look, { dateFrom, dateTo: today }),
  ]);
  const models = rows.map(({ model = '', calls, unpriced_calls: unpricedCalls }) => ({
    model,
    calls,
    unpricedCalls,
    unreportedCalls: unreported.get(model) ?? 0,
  }));
  return findUnpricedModels({ models, today }, settings);
}

/** Models that have calls without a price on the last days. A cause ends when these days have none left. */
export const findUnpricedModels = (
  { models, today }: { readonly models: readonly ModelUsage[]; readonly today: Day },
  settings: SettingsOf<typeof unpricedModel>,
): Cause[] =>
  models.flatMap(({ model, calls, unpricedCalls, unreportedCalls }): Cause[] => {
    if (unpricedCalls === 0) return [];
    const named = model === '' ? 'calls without a model' : `calls of ${model}`;
    const isUnreported = unpricedCalls === unreportedCalls;
    const lack = isUnreported ? 'report no usage' : 'have no price';
    const others =
      unreportedCalls === 0 || isUnreported
        ? ''
        : ` ${unreportedCalls} of these report no usage, which no price mends.`;
    return [
      {
        subject: { model },
        state: unpricedCalls >= settings.least_calls ? 'holds' : 'lingers',
        numbers: { unpriced_calls: unpricedCalls, calls, days: settings.days },
        title: isUnreported
          ? `Calls ${model === '' ? 'without a model' : `of ${model}`} report no usage`
          : model === ''
            ? 'Calls without a model have no price'
            : `${model} has no price`,
        text: `In the last ${spellCount(settings.days, 'day')}, ${unpricedCalls} of ${spellCount(calls, 'call').replace(/calls?$/, named)} ${lack}, and count as $0.${others}`,
        path: linkPath(['calls'], { ...lastDays(today, settings.days), models: [model] }),
      },
    ];
  });
