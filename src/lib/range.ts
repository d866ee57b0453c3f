import { Temporal } from 'temporal-polyfill';
import { type Day, dayOf, type Period, toDayNumber } from './days.ts';
import { type Fault, Problem } from './problem.ts';

const maxRangeDays = 3_660;

/** A range within D6.5; `date_to` defaults to today. @throws Problem `code`: `invalid_query` for query strings */
export function resolveRange(
  dateFrom: Day,
  dateTo: Day | undefined,
  timezone: string,
  nowMs: number,
  code: 'invalid_body' | 'invalid_query' = 'invalid_body',
): Period {
  const last = dateTo ?? dayOf(timezone, nowMs);
  const fault = findRangeFault({ dateFrom, dateTo: last });
  if (fault)
    throw new Problem(code, `date_from ${fault.message}. Correct the range and ask again.`, {
      errors: [fault],
    });
  return { dateFrom, dateTo: last };
}

/** What is wrong with a range by D6.5, at the field of its first day. `names` are those of its two fields. */
export function findRangeFault(
  { dateFrom, dateTo }: Period,
  names: { readonly from: string; readonly to: string } = { from: 'date_from', to: 'date_to' },
): Fault | undefined {
  const fault = { pointer: `/${names.from}`, code: 'out_of_range' } as const;
  if (dateFrom > dateTo) return { ...fault, message: `must not be after ${names.to}, ${dateTo}` };
  if (toDayNumber(dateTo) - toDayNumber(dateFrom) + 1 <= maxRangeDays) return undefined;
  const earliest = Temporal.PlainDate.from(dateTo).subtract({ days: maxRangeDays - 1 });
  return { ...fault, message: `must be ${earliest} or later: a range has at most ${maxRangeDays} days` };
}
