import { count, days, type KindDefinition, toCounted } from '../../rule/kind.ts';

export const unpricedModel = {
  label: 'Model without a price',
  about: 'Calls of a model have no price, so they count as $0.',
  settings: {
    days: {
      ...days,
      default: 7,
      about: 'How many days to look at, the last being today.',
      label: 'Days to look at',
      say: (value) => `in the last ${toCounted(value, 'day')}`,
    },
    least_calls: {
      ...count,
      default: 1,
      about: 'Fires at this many calls without a price.',
      label: 'Fewest calls',
      hint: 'Without a price, on these days',
      say: (value) => `${toCounted(value, 'call')} or more`,
    },
  },
  every: { intervals: 10 },
} satisfies KindDefinition;
