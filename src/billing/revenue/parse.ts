import { z } from 'zod';
import { dayField } from '../../lib/day-field.ts';
import { type Day, isDay, toDayNumber } from '../../lib/days.ts';
import { decimalField } from '../../lib/decimal-field.ts';
import { toMoney } from '../../lib/money.ts';
import { storableText } from '../../lib/tag-map.ts';
import { uniqueList } from '../../lib/unique-list.ts';

/** The body of `POST /api/revenue/`, with the limits of D8.1. */

/** The most entries of one request. */
export const maxEntries = 1_000;
/** The longest span of an entry, in days (D8.1). */
export const maxEntryDays = 3_660;
const maxDollars = 10n ** 12n;

export const exampleEntry = {
  external_id: 'invoice-2026-11-acme',
  customer: 'acme',
  amount: 499.99,
  date_from: '2026-11-01',
  date_to: '2026-11-30',
};

/** Any text, as paths encode it, but `.` and `..`, which clients treat as path segments, encoded or not. */
export const externalIdField = storableText(256)
  .refine((id) => id !== '.' && id !== '..', {
    error: 'must not be . or .., which cannot be used in a path',
    params: { code: 'invalid_value' },
  })
  .describe('Your own id of the entry: 1 to 256 characters, percent-encoded in paths; not . or .. alone.')
  .meta({ examples: [exampleEntry.external_id] });

/** An amount of an entry. The bounds are far beyond any real invoice. */
export const amountField = (description: string, example: number) =>
  decimalField({ least: -maxDollars, most: maxDollars, maxFractionalDigits: 12 })
    .transform(toMoney)
    .describe(`USD, at most 12 fractional digits${description}`)
    .meta({ example });

const isDayField = (value: unknown): value is Day => typeof value === 'string' && isDay(value);

/**
 * Whether both days are valid, so that they can be compared. Other faults of the entry do not skip the comparison,
 * because all faults are reported at once (D11.1).
 */
const hasBothDays = ({ value }: { readonly value: unknown }): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'date_from' in value &&
  'date_to' in value &&
  isDayField(value.date_from) &&
  isDayField(value.date_to);

interface EntryDays {
  readonly date_from: Day;
  readonly date_to?: Day | undefined;
}

/** Checks that the days of an entry are in order, and not too many. */
export const entryDaysChecks = [
  z.refine<EntryDays>(({ date_from: from, date_to: to = from }) => from <= to, {
    error: 'must not be after date_to',
    path: ['date_from'],
    params: { code: 'out_of_range' },
    when: hasBothDays,
  }),
  z.refine<EntryDays>(({ date_from: from, date_to: to = from }) => toDayNumber(to) - toDayNumber(from) < maxEntryDays, {
    error: `must be less than ${maxEntryDays} days before date_to`,
    path: ['date_from'],
    params: { code: 'out_of_range' },
    when: hasBothDays,
  }),
] as const;

export const entryRange = {
  date_from: dayField.optional().describe('Only entries with a day on or after this one.'),
  date_to: dayField.optional().describe('Only entries with a day on or before this one.'),
};

export const rangeCheck = z.refine<{ date_from?: Day | undefined; date_to?: Day | undefined }>(
  ({ date_from: from, date_to: to }) => from === undefined || to === undefined || from <= to,
  { error: 'must not be after date_to', path: ['date_from'], params: { code: 'out_of_range' } },
);

export const entriesField = <Entry extends z.ZodType>(entry: Entry) =>
  uniqueList(entry, { list: 'entries', nouns: ['entry', 'entries'], most: maxEntries, id: 'external_id' });

const entry = z
  .strictObject({
    external_id: externalIdField,
    customer: storableText(1_024).describe('The customer, as named on its calls.'),
    amount: amountField('; negative for a refund.', exampleEntry.amount),
    date_from: dayField.describe('First day, inclusive, in the timezone of the project.'),
    date_to: dayField.optional().describe('Last day, inclusive; default: date_from.'),
  })
  .check(...entryDaysChecks);

export const revenueBody = z
  .strictObject({ entries: entriesField(entry) })
  .meta({ examples: [{ entries: [exampleEntry] }] });
