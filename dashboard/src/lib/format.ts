// Formats numbers and times. Amounts from the API are the doubles nearest to exact sums; rounding happens only here.

const usd = { style: 'currency', currency: 'USD' } as const;
const digits = (least: number, most = least) => ({ minimumFractionDigits: least, maximumFractionDigits: most });
const dollars = new Intl.NumberFormat('en-US', usd);
const smallDollars = new Intl.NumberFormat('en-US', { ...usd, minimumFractionDigits: 2, maximumSignificantDigits: 4 });
const exactDollars = new Intl.NumberFormat('en-US', { ...usd, ...digits(2, 12) });
const plainDecimals = new Intl.NumberFormat('en-US', { useGrouping: false, maximumFractionDigits: 12 });
const axisDollars = new Intl.NumberFormat('en-US', { ...usd, notation: 'compact', ...digits(0, 2) });
const shortDollars = new Intl.NumberFormat('en-US', { ...usd, notation: 'compact', ...digits(2) });
const counts = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
const exactCounts = new Intl.NumberFormat('en-US', { maximumFractionDigits: 12 });
const compactCounts = new Intl.NumberFormat('en-US', { notation: 'compact', ...digits(1) });
const percents = new Intl.NumberFormat('en-US', digits(1));
const days = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' });
const months = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'long', year: 'numeric' });

/** One sign for less than zero, the one that stands beside a plus. */
const withMinus = (text: string): string => text.replace('-', '−');

/** Ten cents, and what four digits round to them, which would read as $0.1. */
const leastOfCents = 0.099995;

/** USD to the cent; amounts under 10 cents keep four significant digits, so that they never read as zero. */
export const toDollars = (amount: number): string =>
  withMinus((amount !== 0 && Math.abs(amount) < leastOfCents ? smallDollars : dollars).format(amount));

/** An amount beside a larger one: to the cent as that is, if it does not read as zero then. */
export const toDollarsBeside = (amount: number, beside: number): string =>
  Math.abs(beside) >= 0.1 && Math.abs(amount) >= 0.005 ? withMinus(dollars.format(amount)) : toDollars(amount);

/** USD in few characters: `$1.23M` from a million on. */
export const toShortDollars = (amount: number): string =>
  Math.abs(amount) < 1e6 ? toDollars(amount) : withMinus(shortDollars.format(amount));

/** The fewest digits of amounts in a column, and the most beside amounts of this size or more. */
const leastDigits = 2;
const mostDigits = (size: number): number => (size >= 10 ? 2 : size >= 1 ? 4 : 6);

/** A column of a phone has no room for amounts from here on, in USD. */
const leastAbbreviated = 1e9;

/** Writes amounts that stand below each other with one precision: that of the smallest, less beside large ones; `isShort` abbreviates the millions beside a billion too. */
export function toColumnDollars(
  amounts: readonly (number | null)[],
  isExact = false,
  isShort = false,
): (amount: number) => string {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const amount of amounts) {
    const size = Math.abs(amount ?? 0);
    if (size > 0) least = Math.min(least, size);
    most = Math.max(most, size);
  }
  const needed = least < 0.1 ? Math.ceil(-Math.log10(least)) + 1 : leastDigits;
  const shown = isExact
    ? Math.max(leastDigits, ...amounts.map((amount) => plainDecimals.format(amount ?? 0).split('.')[1]?.length ?? 0))
    : Math.max(leastDigits, Math.min(needed, mostDigits(most)));
  const format = new Intl.NumberFormat('en-US', { ...usd, ...digits(shown) });
  const smallest = 10 ** -shown;
  return (amount) =>
    isShort && Math.abs(amount) >= 1e6 && Math.max(most, Math.abs(amount)) >= leastAbbreviated
      ? toShortDollars(amount)
      : amount !== 0 && Math.abs(amount) < smallest / 2
        ? `${amount < 0 ? '−' : ''}<${format.format(smallest)}`
        : withMinus(format.format(amount));
}

/** Writes the amounts of a sentence with one precision, to the cent beside 10 cents or more; nothing is `$0.00`. */
export function toProseDollars(...amounts: readonly number[]): (amount: number) => string {
  const most = Math.max(...amounts.map(Math.abs));
  const write = toColumnDollars(most < 0.1 ? amounts : [most]);
  return (amount) => (amount === 0 ? dollars.format(0) : write(amount));
}

/** A change with its sign, such as `+$1.50`; one that is too small for the precision is `+<$0.01`. */
export function toSigned(amount: number, write: (amount: number) => string = toDollars): string {
  return `${amount > 0 ? '+' : ''}${write(amount || 0)}`;
}

/** Changes that stand below each other, with one precision. */
export function toColumnSigned(amounts: readonly number[]): (amount: number) => string {
  const write = toColumnDollars(amounts);
  return (amount) => toSigned(amount, write);
}

/** An amount of any currency, by its code: `€12.00`, or `XAG 3.00` where it has no sign. */
export function toCurrency(amount: number, currency: string): string {
  return withMinus(new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(amount));
}

/** USD with all its digits: a unit price, or an amount to check. */
export const toExactDollars = (amount: number): string => withMinus(exactDollars.format(amount));
/** USD to the cent; an amount under a dollar has all its digits. */
export const toSpentDollars = (amount: number): string => (Math.abs(amount) < 1 ? toExactDollars : toDollars)(amount);
/** A decimal as typed: with all its digits, and without separators. */
export const toPlainDecimal = (amount: number): string => plainDecimals.format(amount);
/** Writes the steps of an axis from zero to these amounts, cents with one precision: a fifth of it, in round numbers. */
export function toAxisDollars(amounts: readonly number[]): (amount: number) => string {
  const step = (Math.max(0, ...amounts) - Math.min(0, ...amounts)) / 5;
  const shown = Math.max(leastDigits, -Math.floor(Math.log10(step / 0.7)));
  const format =
    step === 0 || step >= 0.7
      ? axisDollars
      : new Intl.NumberFormat('en-US', { ...usd, ...digits(Math.min(shown, 12)) });
  return (amount) => withMinus(amount === 0 ? axisDollars.format(0) : format.format(amount));
}
export const toCount = (count: number): string => counts.format(count);
/** An exact count, such as 12.000001 seconds. */
export const toCalls = (count: number): string => `${toCount(count)} ${count === 1 ? 'call' : 'calls'}`;
export const toExactCount = (count: number): string => withMinus(exactCounts.format(count));
export const toCompactCount = (count: number): string => (count < 1_000 ? counts : compactCounts).format(count);

/** A percentage, given in percent, such as 61.4; in few characters where it is many times the whole. */
export const toPercent = (percent: number): string => {
  const size = Math.abs(percent);
  return `${withMinus((size < 1e5 ? percents : compactCounts).format(size < 0.05 ? 0 : percent))}%`;
};

interface Earned {
  readonly revenue: number;
  readonly margin_pct: number;
}

/** The margin of revenue, in percent; a dash where there is none, which has no share of nothing. */
export const toMarginPct = ({ revenue, margin_pct: pct }: Earned): string =>
  revenue === 0 ? '–' : pct < 100 && pct >= 99.95 ? '>99.9%' : toPercent(pct);

/** The same as a number: nothing where nothing was paid. */
export const toMarginValue = ({ revenue, margin_pct: pct }: Earned): number | null => (revenue === 0 ? null : pct);

/** The API's rule for a margin of rows that the page adds up: less than nothing is paid by no share of it. */
export const calcMarginPct = (revenue: number, margin: number): number =>
  revenue > 0 ? (100 * margin) / revenue : margin === 0 ? 0 : -100;

/** A share from 0 to 1 as a percentage: one above 0 never reads as 0%, nor one below 1 as 100%. */
export function toShare(share: number, shown = share < 0.1 ? 2 : 1): string {
  const least = 10 ** -shown;
  if (share > 0 && 100 * share < least) return `<${least}%`;
  return share < 1 && 100 * share > 100 - least ? `>${100 - least}%` : `${(100 * share).toFixed(shown)}%`;
}

/** A share in a sentence. */
export const toShareWords = (share: number): string =>
  share >= 1 ? 'all' : share > 0.999 ? 'nearly all' : toShare(share);

/** A day such as 21 Nov 2026. "Sep" has three letters, as in charts. */
export const toDay = (day: string): string => days.format(Date.parse(`${day}T00:00:00Z`)).replace('Sept', 'Sep');
/** Days such as `29 Sep – 26 Oct 2026`; a year that both ends share is said once. */
export function toDayRange({ from, to }: { readonly from: string; readonly to: string }): string {
  if (from === to) return toDay(from);
  const first = toDay(from);
  return `${from.slice(0, 4) === to.slice(0, 4) ? first.slice(0, -5) : first} – ${toDay(to)}`;
}
/** Days beside others, without a year that goes without saying: `5 – 31 Oct`, `27 Oct – 2 Nov`, `October`. */
export function toShortRange({ from, to }: { readonly from: string; readonly to: string }, year: string): string {
  const isOfYear = from.startsWith(year) && to.startsWith(year);
  const isOfMonth = from.slice(0, 7) === to.slice(0, 7);
  if (isOfMonth && from.endsWith('-01') && isLastOfMonth(to)) {
    return isOfYear ? toMonth(from).slice(0, -5) : toMonth(from);
  }
  const last = isOfYear ? toDay(to).slice(0, -5) : toDay(to);
  if (from === to) return last;
  return `${isOfMonth ? Number(from.slice(8)) : toDay(from).slice(0, from.slice(0, 4) === to.slice(0, 4) ? -5 : undefined)} – ${last}`;
}
const isLastOfMonth = (day: string): boolean =>
  new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).getUTCDate() === 1;
export const toMonth = (day: string): string => months.format(Date.parse(`${day}T00:00:00Z`));
/** A day without its year, such as 21 Nov. */
export const toShortDay = (day: string): string => toDay(day).slice(0, -5);

export const toTime = (instant: string, timeZone: string, timeStyle: 'medium' | 'short' = 'medium'): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'medium', timeStyle })
    .format(Date.parse(instant))
    .replace('Sept', 'Sep');

/** The time of day without seconds. */
export const toMinute = (instant: string, timezone: string): string => toTime(instant, timezone, 'short');

/** A name of the API as words: `web_searches` is `web searches`. */
export const toWords = (name: string): string => name.replaceAll('_', ' ');

export function toDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(2)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
  return `${Math.floor(ms / 3_600_000)} h ${Math.round((ms % 3_600_000) / 60_000)} min`;
}

/** A word as the head of a column. */
export const toTitle = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;

/** The name of a dimension's value; the empty value means calls without one. */
export const toWholeName = (value: string): string => (value === '' ? 'not attributed' : value);

/** Letters of the scripts that are written from right to left, Hebrew, Arabic and their neighbours, and marks that turn others around. */
const rightToLeft =
  /[\u202a-\u202e\u2066-\u2069\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Between marks that keep a name from turning the amounts beside it around. */
const isolate = (name: string): string =>
  rightToLeft.test(name) ? `\u2068${name.replaceAll(/[\u2066-\u2069]/g, '')}\u2069` : name;

/** The same in a sentence. */
export const toName = (value: string): string => isolate(toWholeName(value));

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A name that is longer may be too long for a narrow cell. */
const leastSplit = 14;

/** The end of a name has no more letters, so that a narrow cell has room for its beginning. */
const mostLast = 8;

/**
 * A name of at most `most` letters, as its beginning and its end: a longer one loses its middle, because names often differ
 * at their ends. A short one is all beginning.
 */
export function splitName(value: string, most = 40): readonly [string, string] {
  const name = toWholeName(value);
  if (name.length <= Math.min(leastSplit, most)) return [name, ''];
  const all = Array.from(letters.segment(name), ({ segment }) => segment);
  const last = Math.min(mostLast, Math.floor((most - 1) / 3), Math.floor(all.length / 3));
  const [first, rest] = all.length <= most ? [all.length - last, ''] : [most - 1 - last, '…'];
  return [`${all.slice(0, first).join('')}${rest}`, all.slice(all.length - last).join('')];
}

export const toShortName = (value: string, most?: number): string => isolate(splitName(value, most).join(''));

/** The smallest base of a percentage, as a share of the present number. */
const leastBase = 0.1;

/** Whether a change makes sense as a percentage: its base is not near zero, nor of the opposite sign. */
export const isRelative = (now: number, before: number): boolean =>
  before !== 0 && now * before >= 0 && Math.abs(before) >= leastBase * Math.abs(now);

/** The change from an earlier number, such as `+8.2%`; from a number near zero it is an amount, such as `+$5.00`. */
export function toChange(now: number, before: number, format: (amount: number) => string = toDollars): string {
  const sign = now > before ? '+' : '−';
  if (now === before) return '±0%';
  if (!isRelative(now, before)) return `${sign}${format(Math.abs(now - before))}`;
  const percent = (100 * Math.abs(now - before)) / Math.abs(before);
  return percent < 0.05 ? '±0%' : `${sign}${percent.toFixed(1)}%`;
}
