import { toDayNumber } from '../../lib/days.ts';
import type { PagePlan, PlacedRecord } from '../asking/page.ts';

/** How many records are read at once. */
const recordsAtOnce = 20_000;

/** Reads all records of the periods of a plan, in order, page by page. `read` reads one page and at least one more record. */
export async function* readAll<Record extends PlacedRecord>(
  plan: PagePlan,
  read: (part: PagePlan) => Promise<readonly Record[]>,
): AsyncGenerator<readonly Record[]> {
  let part: PagePlan = { ...plan, afterValue: undefined, limit: recordsAtOnce };
  for (;;) {
    const records = await read(part);
    const page = records.slice(0, recordsAtOnce);
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (!last || records.length <= recordsAtOnce) return;
    const periods = plan.periods.filter(({ dateFrom }) => toDayNumber(dateFrom) >= last.period);
    part = { ...part, periods, afterValue: last.value ?? '' };
  }
}

/** Joins pages to the records of each period. */
export async function* byPeriod<Record extends PlacedRecord>(
  pages: AsyncIterable<readonly Record[]>,
): AsyncGenerator<readonly Record[]> {
  let ofPeriod: Record[] = [];
  for await (const page of pages) {
    for (const record of page) {
      if (ofPeriod[0] && ofPeriod[0].period !== record.period) {
        yield ofPeriod;
        ofPeriod = [];
      }
      ofPeriod.push(record);
    }
  }
  if (ofPeriod.length > 0) yield ofPeriod;
}
