import type { Period } from '../../lib/days.ts';
import type { ModelName } from '../../pricing/check/listed-rates.ts';
import { planPage } from '../asking/page.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { costsBody, parseCosts } from '../costs/parse.ts';
import type { AsOf } from '../facts/as-of.ts';
import { runUsage } from '../usage/run.ts';

/** A model as calls of the last days name it. */
export interface UsedModel extends ModelName {
  readonly calls: number;
}

export interface UsedModelsWanted {
  readonly asOf: AsOf;
  readonly days: Period;
  readonly nowMs: number;
}

/** The most providers to check, and the most models of each. */
const limit = 1_000;

/** The models with calls on some days, with their providers, as `POST /api/usage/` counts them. */
export async function readUsedModels(
  { asOf, days, nowMs }: UsedModelsWanted,
  sources: Pick<AnswerSources, 'answerCache'>,
): Promise<UsedModel[]> {
  const ask = async (asked: object) => {
    const body = costsBody.parse({
      ...{ date_from: days.dateFrom, date_to: days.dateTo, aggregate: 'all', limit },
      ...asked,
    });
    const question = parseCosts('usage', asOf.project.id, body);
    return (await runUsage(asOf, question, planPage(asOf.project, question, body, nowMs), sources)).rows;
  };
  const providers = await ask({ group_by: 'provider' });
  const used = await Promise.all(
    providers.map(async ({ provider = '' }) => {
      const models = await ask({ group_by: 'model', providers: [provider] });
      return models.map(({ model = '', calls }) => ({ provider, model, calls }));
    }),
  );
  return used.flat();
}
