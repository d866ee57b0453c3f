import type { KindDefinition } from '../../rule/kind.ts';

export const budget = {
  label: 'Budget',
  about: 'A budget passes one of its thresholds.',
  settings: {
    forecast: {
      default: false,
      about: 'Also fires when the forecast for the end of the period is above the amount of the budget.',
      label: 'Also when the forecast is above the amount',
      say: ['the forecast counts too', 'the forecast does not count'],
    },
  },
  every: { intervals: 1 },
  looksBack: true,
  amounts: ['amount', 'spent', 'forecast'],
} satisfies KindDefinition;
