import { type KindDefinition, usd } from '../../rule/kind.ts';

export const anomaly = {
  label: 'Unusual cost',
  about: 'A day costs far more or less than that weekday usually does.',
  settings: {
    least_amount: {
      ...usd,
      default: 5,
      about: 'USD: a smaller difference from the expected cost is no anomaly.',
      label: 'Smallest difference, USD',
      hint: 'From the cost that was expected',
      say: (value) => `only differences of $${value} or more`,
    },
  },
  every: { intervals: 20 },
  amounts: ['cost', 'expected', 'spread'],
} satisfies KindDefinition;
