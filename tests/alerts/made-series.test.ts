import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isLong, usualOrLong } from '../support/effort.ts';
import { makeAllSeries } from './series/make-series.ts';
import {
  measureAll,
  measureProjects,
  reportFile,
  reportOfHeldOut,
  reportOfHours,
  reportOfProjects,
  reportOfStored,
  withReport,
} from './series/report.ts';
import { heldOutSeed, readStored, renderSeries, storedSeed } from './series/stored.ts';
import { countAlarms, countFalseAlarms, countFound } from './series/tables.ts';

const rerun = 'run node bin/runtime.js scripts/anomalies.ts --write';
const page = readFileSync(reportFile, 'utf8');
const shows = (report: Readonly<Record<string, string>>) => withReport(page, report) === page;

test('the stored series are those that the generator makes', () => {
  expect(readStored() === renderSeries(makeAllSeries(storedSeed)), `they are not: ${rerun}`).toBe(true);
});

/** The bounds that are promised. */
function expectWithinBounds(outcomes: ReturnType<typeof measureAll>): void {
  for (const factor of [2, 3, 5]) {
    const { found, all } = countFound(outcomes, (fault) => fault.factor === factor);
    expect(found / all, `${found} of ${all} jumps × ${factor}`).toBeGreaterThanOrEqual(0.9);
  }
  expect(countFalseAlarms(outcomes)).toBeLessThanOrEqual(1);
}

test('D20.4: of the stored series nine in ten jumps to twice the usual day are found, with a false alarm a quarter', () => {
  const outcomes = measureAll(storedSeed, usualOrLong(1 / 8, 1));
  expect(outcomes.length).toBeGreaterThanOrEqual(usualOrLong(120, 1_000));
  expectWithinBounds(outcomes);
  if (isLong) expect(shows(reportOfStored(outcomes)), `docs/anomalies.md is out of date: ${rerun}`).toBe(true);
});

test('D20.4: a project of 30 customers has less than two false alarms a month, and large faults of one are found', () => {
  const { quiet, faulty } = measureProjects(heldOutSeed, 30, usualOrLong(4, 20), usualOrLong(1 / 6, 1));
  expect(countAlarms(quiet)).toBeLessThanOrEqual(1.5);
  const { found, all } = countFound(faulty, ({ factor }) => factor === 5 || factor === 0);
  expect(found / all, `${found} of ${all}`).toBeGreaterThanOrEqual(0.85);
});

if (isLong) {
  test('D20.4: so they are in series on which nothing was chosen', () => {
    const outcomes = measureAll(heldOutSeed);
    expectWithinBounds(outcomes);
    expect(shows(reportOfHeldOut(outcomes)), `docs/anomalies.md is out of date: ${rerun}`).toBe(true);
  });

  test('D20.4: docs/anomalies.md says how often projects alarm', () => {
    expect(shows(reportOfProjects()), `it is out of date: ${rerun}`).toBe(true);
  });

  test('D20.4: docs/anomalies.md says when jumps of the running day are found', () => {
    expect(shows(reportOfHours()), `it is out of date: ${rerun}`).toBe(true);
  });
}
