import { count, type KindDefinition, toCounted } from '../../rule/kind.ts';

export const coverageDrop = {
  label: 'Lower coverage',
  about: 'Fewer calls than usual have a price or name a customer.',
  settings: {
    drop_points: {
      ...{ least: 1, most: 100, default: 10 },
      about: 'Percentage points by which a share must be below its usual value.',
      label: 'Drop, percentage points',
      hint: 'Below the usual share',
      say: (value) => `${toCounted(value, 'point')} below the usual share`,
    },
    least_calls: {
      ...count,
      default: 100,
      about: 'Days with fewer calls are not judged.',
      label: 'Fewest calls of a day',
      hint: 'Days with fewer are not judged',
      say: (value) => `days with ${toCounted(value, 'call')} or more`,
    },
  },
  every: { intervals: 20 },
} satisfies KindDefinition;
