// Every dimension has its place in the tables of sealed days.
import { expect, test } from 'vitest';
import { callDimensions, dimensionNames } from '../../src/lib/dimensions.ts';
import { dimensionsOf, grainNames, tablesOf } from '../../src/rollups/rollups/grains.ts';
import { cellTables, pieceDimensions, runCellEntries, runCellKeys } from '../../src/storage/analytic/tables/rollups.ts';

test('cells have every dimension, and each grain has its own in all its tables', () => {
  expect(cellTables.cells.toSorted()).toEqual(dimensionNames.toSorted());
  for (const grain of grainNames)
    for (const table of tablesOf(grain))
      expect(cellTables[table], grain).toEqual(expect.arrayContaining([...dimensionsOf(grain)]));
});

test('rows of runs and pieces of frozen days have every dimension of questions', () => {
  expect([...runCellKeys, ...runCellEntries.keys()].toSorted()).toEqual(callDimensions.toSorted());
  expect(pieceDimensions.toSorted()).toEqual(callDimensions.toSorted());
});
