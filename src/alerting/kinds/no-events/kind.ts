import { type KindDefinition, toCounted } from '../../rule/kind.ts';

export const noEvents = {
  label: 'No events',
  about: 'No event has arrived for longer than usual.',
  settings: {
    factor: {
      ...{ least: 1, most: 100, default: 1.5 },
      about: 'How many times the longest silence of the last 28 days a silence must last.',
      label: 'Times the longest silence of 28 days',
      say: (value) => `${value} times the longest silence of 28 days`,
    },
    least_minutes: {
      ...{ least: 15, most: 43_200, isWhole: true, default: 60 },
      about: 'A shorter silence never fires.',
      label: 'Shortest silence, minutes',
      say: (value) => `${toCounted(value, 'minute')} or more`,
    },
  },
  every: { clockMs: 60_000 },
  needsNoCalls: true,
} satisfies KindDefinition;
