import { Temporal } from 'temporal-polyfill';
import { type Day, dayOf, type Period, toDayNumber } from './days.ts';
import { type Fault, Problem } from './problem.ts';

const maxRangeDays = 3_660;

/**
 * The range of a request, within the limits of D6.5. `date_to` defaults to today.
 * @throws Problem `code`: `invalid_query` for ranges of query strings, else `invalid_body`
 */
export function resolveRange(
  dateFrom: Day,
  dateTo: Day | undefined,
  timezone: string,
  nowMs: number,
  code: 'invalid_body' | 'invalid_query' = 'invalid_body',
): Period {
  const last = dateTo ?? dayOf(timezone, nowMs);
  const fault = faultOf(dateFrom, last);
  if (fault)
    throw new Problem(code, `date_from ${fault.message}. Correct the range and ask again.`, {
      errors: [fault],
    });
  return { dateFrom, dateTo: last };
}

function faultOf(dateFrom: Day, dateTo: Day): Fault | undefined {
  if (dateFrom > dateTo) {
    return { pointer: '/date_from', code: 'out_of_range', message: `must not be after date_to, ${dateTo}` };
  }
  if (toDayNumber(dateTo) - toDayNumber(dateFrom) + 1 > maxRangeDays) {
    const earliest = Temporal.PlainDate.from(dateTo).subtract({ days: maxRangeDays - 1 });
    return {
      pointer: '/date_from',
      code: 'out_of_range',
      message: `must be ${earliest} or later: a range has at most ${maxRangeDays} days`,
    };
  }
  return undefined;
}
