import { demoContract } from './company.ts';
import type { DemoEvent } from './events.ts';

/** The invoice of a provider whose prices differ from its price list. */
export class DemoInvoice {
  /** Millionths of a dollar by day. */
  readonly #charged = new Map<string, number>();

  /** Adds the calls of a day. */
  charge(day: string, events: readonly DemoEvent[]): void {
    let sum = this.#charged.get(day) ?? 0;
    for (const { model, prompt_tokens: prompt, cached_tokens: cached, completion_tokens: output } of events) {
      if (model !== demoContract.model || prompt === undefined) continue;
      const { input: inputRate, cached: cachedRate, output: outputRate } = demoContract;
      const read = Number(cached ?? 0);
      sum += (Number(prompt) - read) * inputRate + read * cachedRate + Number(output) * outputRate;
    }
    this.#charged.set(day, sum);
  }

  /** The entries for `POST /api/invoices/`: one for each day, in whole cents. */
  toEntries() {
    return [...this.#charged]
      .map(([day, micros]) => ({ day, amount: Math.round(micros / 10_000) / 100 }))
      .filter(({ amount }) => amount > 0)
      .map(({ day, amount }) => ({
        external_id: `demo-${demoContract.provider}-${day}`,
        provider: demoContract.provider,
        model: demoContract.model,
        date_from: day,
        date_to: day,
        amount,
        kind: 'usage',
      }));
  }
}
