import { expect, test } from 'vitest';
import { startOfDay } from '../../dashboard/src/lib/start-of-day.ts';
import { startOfDay as ofService } from '../../src/lib/days.ts';

test('a day of the page begins when it begins for the service, also where clocks are set at midnight', () => {
  const zones = [
    'UTC',
    'Asia/Kolkata',
    'America/Sao_Paulo',
    'Pacific/Kiritimati',
    'Pacific/Pago_Pago',
    'Australia/Lord_Howe',
  ];
  // Clocks were set forward at midnight in Brazil on 4 November 2018, so that day began at one o'clock.
  const days = ['2018-11-04', '2018-11-05', '2018-02-18', '2024-02-29', '2026-10-04', '2026-12-31'];
  const faults = zones.flatMap((zone) =>
    days.flatMap((day) => (Date.parse(startOfDay(zone, day)) === ofService(zone, day) ? [] : [`${zone} ${day}`])),
  );
  expect(faults).toEqual([]);
});
