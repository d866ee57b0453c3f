import { days, type KindDefinition, toCounted } from '../../rule/kind.ts';

export const creditEnding = {
  label: 'Credit ending',
  about: 'A grant of free AI credits runs out or expires soon.',
  settings: {
    days: {
      ...days,
      default: 14,
      about: 'Fires when a grant runs out or expires within this many days.',
      label: 'Days ahead',
      say: (value) => `within ${toCounted(value, 'day')}`,
    },
  },
  every: { intervals: 10 },
  needsNoCalls: true,
  amounts: ['remaining'],
} satisfies KindDefinition;
