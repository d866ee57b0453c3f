import { type KindDefinition, usd } from '../kind.ts';

export const anomaly = {
  label: 'Unusual cost',
  about: 'A day costs far more or less than such a weekday usually does.',
  settings: {
    least_amount: {
      ...usd,
      default: 5,
      about: 'USD: a smaller difference from the expected cost is no anomaly.',
      label: 'Smallest difference, USD',
      hint: 'From the cost that was expected',
      say: (value) => `differences from $${value} on`,
    },
  },
  every: { intervals: 20 },
  amounts: ['cost', 'expected', 'spread'],
} satisfies KindDefinition;
