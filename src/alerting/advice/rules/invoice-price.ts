import type { PartWire } from '../../../billing/invoices/reconciliation/wire.ts';
import { pagePath } from '../../../lib/page-path.ts';
import { spellUsd } from '../../alerts/wording.ts';
import { type Step, type StepDays, toMonth } from '../step.ts';

/** A model's part of the difference between the newest invoice and the computed cost. */
export interface ReconciledModel {
  readonly model: string;
  readonly parts: readonly PartWire[];
}

/** Prices that the newest invoice contradicts, where one price override would settle it. */
export const findInvoicePrices = (models: readonly ReconciledModel[], days: StepDays): Step[] =>
  models.flatMap(({ model, parts }) =>
    parts
      .filter(({ kind, override }) => kind === 'price' && override !== undefined)
      .map(({ amount: difference }): Step => {
        const amount = toMonth(Math.abs(difference), days);
        return {
          kind: 'invoice_price',
          subject: model,
          amount_per_month: amount,
          reason: `The newest invoice charges ${spellUsd(amount)} a month ${difference < 0 ? 'less' : 'more'} for ${model} than its calls are priced at.`,
          link: pagePath(['reconciliation'], { from: days.from, to: days.to }),
        };
      }),
  );
