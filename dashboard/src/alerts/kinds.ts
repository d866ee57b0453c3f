import type { AlertKind } from '../api/types.ts';

interface SettingField {
  readonly name: string;
  readonly label: string;
  readonly kind: 'number' | 'switch';
  readonly hint?: string;
  /** The setting in words, with its value. */
  readonly say: (value: string) => string;
}

interface KindWords {
  readonly label: string;
  readonly about: string;
  readonly settings: readonly SettingField[];
}

/** A count with its noun: `1 call`, `2 calls`. */
const toCounted = (count: string, noun: string): string => `${count} ${noun}${count === '1' ? '' : 's'}`;

const credits: SettingField = {
  name: 'apply_credits',
  label: 'By the cost after free AI credits',
  kind: 'switch',
  say: (value) => (value === 'true' ? 'after free AI credits' : 'without free AI credits'),
};

/** The kinds of alerts in words, in the order of the page, with the fields of their settings. */
export const kindWords: Readonly<Record<AlertKind, KindWords>> = {
  budget: {
    label: 'Budget',
    about: 'A budget passes one of its thresholds.',
    settings: [
      {
        name: 'forecast',
        label: 'Also when the forecast is above the amount',
        kind: 'switch',
        say: (value) => (value === 'true' ? 'also by forecast' : 'not by forecast'),
      },
    ],
  },
  anomaly: {
    label: 'Unusual cost',
    about: 'A day costs far more or less than such a weekday usually does.',
    settings: [
      {
        name: 'least_amount',
        label: 'Smallest difference, USD',
        kind: 'number',
        hint: 'From the cost that was expected',
        say: (value) => `differences from $${value} on`,
      },
    ],
  },
  unprofitable_customer: {
    label: 'Unprofitable customer',
    about: 'The margin of a customer in this month is below a limit.',
    settings: [
      {
        name: 'margin_below_pct',
        label: 'Margin below, percent',
        kind: 'number',
        say: (value) => `below a margin of ${value}%`,
      },
      {
        name: 'least_cost',
        label: 'Smallest cost, USD',
        kind: 'number',
        hint: 'Customers that cost less are left out',
        say: (value) => `customers that cost $${value} or more`,
      },
      credits,
    ],
  },
  unpriced_model: {
    label: 'Model without a price',
    about: 'Calls of a model have no price, so their cost counts as 0.',
    settings: [
      {
        name: 'days',
        label: 'Days to look at',
        kind: 'number',
        say: (value) => `in the last ${toCounted(value, 'day')}`,
      },
      {
        name: 'least_calls',
        label: 'Fewest calls',
        kind: 'number',
        hint: 'Without a price, on these days',
        say: (value) => `from ${toCounted(value, 'call')} on`,
      },
    ],
  },
  price_change: {
    label: 'Changed list price',
    about: 'A model in use has another list price, in force or in newer list prices.',
    settings: [
      {
        name: 'days',
        label: 'Days',
        kind: 'number',
        hint: 'How long a change lasts, and whose calls are looked at',
        say: (value) => `for ${toCounted(value, 'day')}`,
      },
    ],
  },
  coverage_drop: {
    label: 'Lower coverage',
    about: 'Fewer calls than usual have a price or name a customer.',
    settings: [
      {
        name: 'drop_points',
        label: 'Drop, percentage points',
        kind: 'number',
        hint: 'Below the usual share',
        say: (value) => `${toCounted(value, 'point')} below the usual share`,
      },
      {
        name: 'least_calls',
        label: 'Fewest calls of a day',
        kind: 'number',
        hint: 'Days with fewer are not judged',
        say: (value) => `days with ${toCounted(value, 'call')} or more`,
      },
    ],
  },
  credit_ending: {
    label: 'Credit ending',
    about: 'A grant of free AI credits runs out or expires soon.',
    settings: [
      { name: 'days', label: 'Days ahead', kind: 'number', say: (value) => `within ${toCounted(value, 'day')}` },
    ],
  },
  no_events: {
    label: 'No events',
    about: 'No event has arrived for longer than usual.',
    settings: [
      {
        name: 'factor',
        label: 'Times the longest silence of 28 days',
        kind: 'number',
        say: (value) => `${value} times the longest silence of 28 days`,
      },
      {
        name: 'least_minutes',
        label: 'Shortest silence, minutes',
        kind: 'number',
        say: (value) => `${toCounted(value, 'minute')} or more`,
      },
    ],
  },
};

export const kindLabels = Object.fromEntries(
  Object.entries(kindWords).map(([kind, { label }]) => [kind, label]),
) as Readonly<Record<AlertKind, string>>;

export const alertKinds = Object.keys(kindWords) as readonly AlertKind[];
