import { type KindDefinition, toCounted, usd } from '../../rule/kind.ts';

export const runaway = {
  label: 'Runaway',
  about: 'A run, user or customer spends far more in a few minutes than usual.',
  settings: {
    minutes: {
      ...{ least: 2, most: 60, isWhole: true, default: 10 },
      about: 'How many minutes up to now are added up.',
      label: 'Minutes to add up',
      say: (value) => `within ${toCounted(value, 'minute')}`,
    },
    least_amount: {
      ...usd,
      default: 2,
      about: 'USD: less in these minutes never fires.',
      label: 'Smallest amount, USD',
      say: (value) => `$${value} or more`,
    },
    factor: {
      ...{ least: 1, most: 100, default: 3 },
      about: 'How many times the usual amount must be spent.',
      label: 'Times the usual',
      say: (value) => `${value} times the usual`,
    },
    amount: {
      ...usd,
      default: 0,
      about: 'USD: this much in these minutes fires whatever is usual; 0 for none.',
      label: 'Always at, USD',
      hint: '0: only beside what is usual',
      say: (value) => (value === '0' ? 'no fixed limit' : `always at $${value}`),
    },
  },
  every: { intervals: 1 / 6, mostMs: 10_000, trailingMs: 3_900_000, isUrgent: true },
  amounts: ['spent', 'spent_per_hour', 'usual', 'limit'],
} satisfies KindDefinition;
