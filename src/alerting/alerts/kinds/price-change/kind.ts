import { days, type KindDefinition, toCounted } from '../kind.ts';

export const priceChange = {
  label: 'Changed list price',
  about: 'A model in use has another list price, in force or in newer list prices.',
  settings: {
    days: {
      ...days,
      default: 7,
      about: 'How many days a change lasts, and on how many days, the last being today, a model must have calls.',
      label: 'Days',
      hint: 'How long a change lasts, and whose calls are looked at',
      say: (value) => `for ${toCounted(value, 'day')}`,
    },
  },
  every: { intervals: 20 },
} satisfies KindDefinition;
