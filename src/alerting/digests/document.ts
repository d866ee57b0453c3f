import { linkPath, linkToName } from '../../lib/link-path.ts';
import type { ChangeCause } from '../../reports/changes/causes.ts';
import { spellCount, spellPct, spellUsd } from '../rule/wording.ts';
import type { Digest } from './wire.ts';

/** A line of a digest: what it is about, and what is said of it. */
export interface DigestLine {
  readonly label: string;
  readonly text: string;
  /** Whether it is good news, bad news, or neither. */
  readonly mood?: 'good' | 'bad';
  /** The page that shows it. */
  readonly path?: string;
}

export interface DigestSection {
  readonly heading: string;
  readonly lines: readonly DigestLine[];
}

/** A digest in words, the same for mail, Slack and plain text. */
export interface DigestDocument {
  readonly title: string;
  readonly sections: readonly DigestSection[];
  readonly path: string;
}

const dayNames = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' });
const monthNames = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

const spellDay = (day: string): string => dayNames.format(new Date(`${day}T00:00:00Z`));

/** `16 to 22 November`, `November 2026`. */
function spellDays({ every, date_from: from, date_to: to }: Digest): string {
  if (every === 'monthly') return monthNames.format(new Date(`${from}T00:00:00Z`));
  const isOneMonth = from.slice(0, 7) === to.slice(0, 7);
  return `${isOneMonth ? Number(from.slice(8)) : spellDay(from)} to ${spellDay(to)}`;
}

/** Why a cost rose, and why one fell. */
const causeWords: Readonly<Record<ChangeCause, readonly [rose: string, fell: string]>> = {
  calls: ['more calls', 'fewer calls'],
  mix: ['costlier models', 'cheaper models'],
  failures: ['more failed calls', 'fewer failed calls'],
  tokens_per_call: ['longer calls', 'shorter calls'],
  cached_share: ['less cached input', 'more cached input'],
  prices: ['higher prices', 'lower prices'],
  new_customers: ['a customer without calls before', 'a customer without calls before'],
  vanished_customers: ['a customer without calls now', 'a customer without calls now'],
};

const unitOf = (every: Digest['every']): string => (every === 'weekly' ? 'week' : 'month');

/** A model's part of the mix is its share: it becomes no cheaper by itself. */
function toCauseWords(dimension: string, cause: ChangeCause, hasRisen: boolean): string {
  const [rose, fell] =
    dimension === 'model' && cause === 'mix'
      ? ['a larger share of the calls', 'a smaller share of the calls']
      : causeWords[cause];
  return hasRisen ? rose : fell;
}

/** What causes of waste are called; other subjects of next steps are names. */
const wasteWords: Readonly<Record<string, string>> = {
  failed: 'Failed calls',
  retried: 'Retried calls',
  aborted: 'Aborted calls',
  uncached_input: 'Input that was not cached',
  dearer_model: 'Models with a cheaper alternative',
};

/** `4.2% more than the week before`. */
function compare({ now, before }: { readonly now: number; readonly before: number }, every: Digest['every']): string {
  const unit = unitOf(every);
  if (before === 0) return now === 0 ? '' : `nothing the ${unit} before`;
  const pct = (100 * (now - before)) / Math.abs(before);
  if (Math.abs(pct) < 0.05) return `as the ${unit} before`;
  return `${spellPct(Math.abs(pct))} ${pct > 0 ? 'more' : 'less'} than the ${unit} before`;
}

const withNote = (text: string, note: string): string => (note === '' ? text : `${text}, ${note}`);

/** What a digest says, in the order in which a founder asks. */
export function toDocument(digest: Digest, projectName: string): DigestDocument {
  const { every, cost, margin, revenue } = digest;
  const search = { from: digest.date_from, to: digest.date_to };
  const isPaid = revenue !== null && (revenue.now !== 0 || revenue.before !== 0);
  const told =
    margin && isPaid
      ? `${margin.now < 0 ? 'a loss' : 'a margin'} of ${spellUsd(Math.abs(margin.now))}`
      : spellUsd(cost.now);
  const sections: DigestSection[] = [
    { heading: 'In figures', lines: listFigures(digest, search) },
    {
      heading: 'What changed the cost most',
      lines: digest.changes.map(({ dimension, name, difference, cause }) => ({
        label: name,
        text: withNote(
          `${spellUsd(Math.abs(difference))} ${difference > 0 ? 'more' : 'less'}`,
          cause === null ? '' : `mostly because of ${toCauseWords(dimension, cause.name, difference > 0)}`,
        ),
        mood: difference > 0 ? ('bad' as const) : ('good' as const),
        path: linkToName(dimension, name, search),
      })),
    },
    {
      heading: spellCount(digest.unprofitable.count, 'unprofitable customer'),
      lines: digest.unprofitable.customers.map(({ customer, margin: loss }) => ({
        ...{ label: customer, text: `lost ${spellUsd(-loss)}`, mood: 'bad' as const },
        path: linkPath(['customers', customer], search),
      })),
    },
    {
      heading: spellCount(digest.alerts.open, 'open alert'),
      lines: digest.alerts.newest.map(({ title, path }) => ({ label: title, text: '', path })),
    },
    {
      heading: 'Worth doing next',
      lines: digest.next_steps.map(({ kind, subject, reason, link }) => ({
        label: (kind === 'waste' && wasteWords[subject]) || subject,
        text: reason,
        path: link,
      })),
    },
    {
      heading: 'Budgets',
      lines: digest.budgets.map(({ name, of, spent, amount, date_to: to }) => ({
        label: of === null ? name : `${name}, ${of}`,
        text: `${spellUsd(spent)} of ${spellUsd(amount)} spent in the period up to ${spellDay(to)}`,
        ...(spent > amount && { mood: 'bad' as const }),
        path: linkPath(['budgets']),
      })),
    },
    {
      heading: 'Credits that end',
      lines: digest.credits.map(({ name, remaining, ends_on: end }) => ({
        ...{ label: name, text: `${spellUsd(remaining)} left, up to ${spellDay(end)}`, path: linkPath(['credits']) },
      })),
    },
  ];
  const title = `${projectName}, ${spellDays(digest)}: ${told}`;
  const compared = isPaid ? '' : compare(cost, every);
  return {
    title: withNote(title, compared),
    sections: sections.filter(({ lines }) => lines.length > 0),
    path: linkPath([], search),
  };
}

function listFigures(digest: Digest, search: Readonly<Record<string, string>>): DigestLine[] {
  const { every, cost, calls, revenue, margin, margin_pct: pct, completeness } = digest;
  const lines: DigestLine[] = [
    { label: 'Cost', text: withNote(spellUsd(cost.now), compare(cost, every)), path: linkPath([], search) },
  ];
  if (revenue && margin && pct) {
    lines.push(
      { label: 'Revenue', text: withNote(spellUsd(revenue.now), compare(revenue, every)), path: linkPath(['revenue']) },
      {
        label: 'Margin',
        text:
          revenue.now === 0
            ? 'not known without revenue of these days'
            : `${spellUsd(margin.now)}, ${spellPct(pct.now)} of revenue, after ${spellUsd(margin.before)} the ${unitOf(every)} before`,
        ...(revenue.now !== 0 && {
          mood: margin.now < 0 || margin.now < margin.before ? ('bad' as const) : ('good' as const),
        }),
        path: linkPath(['customers'], search),
      },
    );
  }
  lines.push({
    label: 'Calls',
    text: withNote(spellCount(calls.now, 'call'), compare(calls, every)),
    path: linkPath(['calls'], search),
  });
  if (completeness === null || calls.now === 0) return lines;
  const { unpriced_calls: unpriced, customer_attributed_share: attributed } = completeness;
  const gaps = [
    ...(unpriced > 0 ? [`${spellCount(unpriced, 'call')} without a known cost`] : []),
    ...(attributed < 1 && cost.now > 0 ? [`${spellPct(100 * (1 - attributed))} of the cost without a customer`] : []),
  ];
  lines.push({
    label: 'Complete',
    text: gaps.length === 0 ? 'every call has a cost and a customer' : gaps.join(', '),
    ...(gaps.length > 0 && { mood: 'bad' as const }),
    path: linkPath(['settings']),
  });
  return lines;
}
