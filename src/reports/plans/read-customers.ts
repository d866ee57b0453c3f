import { toDayNumber } from '../../lib/days.ts';
import type { PagePlan } from '../asking/page.ts';
import type { AnalyticsSources } from '../asking/sources.ts';
import type { AsOf } from '../facts/as-of.ts';
import type { MarginQuestion } from '../margin/parse.ts';
import { type MarginRecord, readMarginRecords } from '../margin/records.ts';

/** How many rows of margin are read at once. */
const rowsAtOnce = 20_000;

/** Reads the rows of margin by customer, period by period: all of a period, in order, however many the page has. */
export async function* readCustomers(
  asOf: AsOf,
  question: MarginQuestion,
  plan: PagePlan,
  sources: AnalyticsSources,
): AsyncGenerator<readonly MarginRecord[]> {
  let part: PagePlan = { ...plan, afterValue: undefined, limit: rowsAtOnce };
  let ofPeriod: MarginRecord[] = [];
  for (;;) {
    const records = await readMarginRecords(asOf, { ...question, isGrouped: true }, part, sources);
    for (const record of records.slice(0, rowsAtOnce)) {
      if (ofPeriod[0] && ofPeriod[0].period !== record.period) {
        yield ofPeriod;
        ofPeriod = [];
      }
      ofPeriod.push(record);
    }
    const last = ofPeriod.at(-1);
    if (!last) return;
    if (records.length <= rowsAtOnce) return yield ofPeriod;
    const periods = plan.periods.filter(({ dateFrom }) => toDayNumber(dateFrom) >= last.period);
    part = { ...part, periods, afterValue: last.value };
  }
}
