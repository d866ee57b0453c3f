import type { PlantedFault } from './planted-fault.ts';

const byExample = { unit: ['tests/alerts/anomaly.test.ts'] };

export const faultsOfAnomalies: readonly PlantedFault[] = [
  {
    id: 'season-of-the-wrong-weekday',
    file: 'src/reports/asking/weekday-fit.ts',
    find: 'values[end - week * (at + 1) + weekday]',
    replace: 'values[end - week * (at + 1) + weekday - 1]',
    why: 'Mondays are judged by Sundays.',
    tests: { unit: ['tests/analytics/forecast.test.ts'] },
  },
  {
    id: 'today-is-spent-twice',
    file: 'src/reports/asking/forecast.ts',
    find: 'expected * (1 - Math.min(Math.max(shareOfToday, 0), 1))',
    replace: 'expected',
    why: 'The forecast of a period adds a whole day to what today has cost already.',
    tests: { unit: ['tests/analytics/forecast.test.ts'] },
  },
  {
    id: 'running-day-against-whole-days',
    file: 'src/alerting/alerts/running-day.ts',
    find: 'Number(sumHours(costs, running.hours))',
    replace: 'Number(sumHours(costs, 24))',
    why: 'A running day is compared with what whole days cost, so no jump is found before the evening.',
    tests: byExample,
  },
  {
    id: 'fault-ends-with-a-drop',
    file: 'src/alerting/alerts/day-judge.ts',
    find: 'low = Math.min(low, former.low);',
    replace: '',
    why: 'The end of a long fault alarms once more.',
    tests: byExample,
  },
  {
    id: 'each-day-of-a-launch-alarms',
    file: 'src/alerting/alerts/anomaly.ts',
    find: 'gap > calmDays',
    replace: 'gap > 0',
    why: 'A new level alarms on each day until the forecast has followed.',
    tests: byExample,
  },
  {
    id: 'small-amounts-alarm',
    file: 'src/alerting/alerts/anomaly.ts',
    find: 'difference < limit && -difference < limit',
    replace: 'false',
    why: 'A jump by some cents alarms.',
    tests: byExample,
  },
];
