import type { PlantedFault } from './planted-fault.ts';

const ofAnomalies = { unit: ['tests/alerts/anomaly-rule.test.ts'] };
const ofTurns = { unit: ['tests/alerts/turns.test.ts'] };
const inStores = { unit: ['tests/alerts/looks.test.ts'] };

export const faultsOfAlerts: readonly PlantedFault[] = [
  {
    id: 'lingering-causes-fire',
    file: 'src/alerting/alerts/firings.ts',
    find: "state === 'holds' && !isOpen.has(id)",
    replace: '!isOpen.has(id)',
    why: 'Numbers that move around a limit fire again and again.',
    tests: ofTurns,
  },
  {
    id: 'small-differences-fire',
    file: 'src/alerting/alerts/rules/anomaly.ts',
    find: "kind !== 'small' && isOpen",
    replace: 'isOpen',
    why: 'An alert comes for a few cents.',
    tests: ofAnomalies,
  },
  {
    id: 'moved-first-day-fires-again',
    file: 'src/alerting/alerts/rules/anomaly.ts',
    find: 'fired === undefined ? one',
    replace: 'fired !== null ? one',
    why: 'A cost that arrives late makes the same cause fire twice.',
    tests: ofAnomalies,
  },
  {
    id: 'new-hour-is-no-look',
    file: 'src/alerting/alerts/due.ts',
    find: 'hourOf(now) !== hourOf(lookedAt) || ',
    replace: '',
    why: 'A cause that begins with the clock alone is found when the next call comes.',
    tests: ofTurns,
  },
  {
    id: 'end-of-a-cause-is-not-told',
    file: 'src/alerting/alerts/settle.ts',
    find: "await notify(transaction, await endFirings(transaction, ending, now), { event: 'ended', at: now });",
    replace: 'await endFirings(transaction, ending, now);',
    why: 'Whoever was told that something is wrong never hears that it is over.',
    tests: inStores,
  },
  {
    id: 'what-held-before-fires',
    file: 'src/alerting/alerts/settle.ts',
    find: 'const isQuiet = !watch.hasBegun;',
    replace: 'const isQuiet = false;',
    why: 'An upgrade fires for everything that has been so for months.',
    tests: inStores,
  },
];
