import { type KindDefinition, usd } from '../../rule/kind.ts';

export const unprofitableCustomer = {
  label: 'Unprofitable customer',
  about: 'The margin of a customer this month is below a limit.',
  settings: {
    margin_below_pct: {
      ...{ least: -100_000, most: 100, default: 0 },
      about: 'Percent: fires for customers with a lower margin.',
      label: 'Margin below, percent',
      say: (value) => `below a margin of ${value}%`,
    },
    least_cost: {
      ...usd,
      default: 1,
      about: 'USD: customers that cost less are left out.',
      label: 'Smallest cost, USD',
      hint: 'Customers that cost less are left out',
      say: (value) => `customers that cost $${value} or more`,
    },
    apply_credits: {
      default: false,
      about: 'Uses the cost after free AI credits.',
      label: 'By the cost after free AI credits',
      say: ['after free AI credits', 'without free AI credits'],
    },
  },
  every: { intervals: 20 },
  amounts: ['revenue', 'cost', 'margin'],
} satisfies KindDefinition;
