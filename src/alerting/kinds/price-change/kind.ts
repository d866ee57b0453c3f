import { days, type KindDefinition, toCounted } from '../../rule/kind.ts';

export const priceChange = {
  label: 'Changed list price',
  about: 'The list price of a model in use has changed, or will with newer lists.',
  settings: {
    days: {
      ...days,
      default: 7,
      about: 'How many days a change lasts, and on how many days, the last being today, a model must have calls.',
      label: 'Days',
      hint: 'How long a change lasts, and whose calls are looked at',
      say: (value) => `shown for ${toCounted(value, 'day')}`,
    },
  },
  every: { intervals: 20 },
} satisfies KindDefinition;
