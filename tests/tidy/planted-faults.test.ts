// The list of scripts/planted-faults.ts fits the code and the tests that there are.
import { existsSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import { tooLong } from '../support/effort.ts';
import { countPlaces, plantedFaults } from '../support/planted-faults/index.ts';
import { listFiles, readSource, root } from './sources.ts';

const isThere = (path: string): boolean => existsSync(join(root, path));

test('the code of each fault is in its file exactly once, and is changed', () => {
  const stale = plantedFaults.filter(
    (fault) =>
      !isThere(fault.file) || countPlaces(fault, readSource(fault.file).text) !== 1 || fault.find === fault.replace,
  );
  expect(stale.map(({ id, file }) => `${id}: ${file}`)).toEqual([]);
});

test('each fault has tests that should notice it', () => {
  const testsOf = ({ tests }: (typeof plantedFaults)[number]) => Object.values(tests).flat();
  expect(plantedFaults.filter((fault) => testsOf(fault).length === 0).map(({ id }) => id)).toEqual([]);
  expect(plantedFaults.flatMap(testsOf).filter((file) => !isThere(file))).toEqual([]);
});

test('no fault has its tests in the long form alone', () => {
  const tests = plantedFaults.flatMap((fault) => Object.values(fault.tests).flat());
  expect(tests.filter((file) => tooLong.some((pattern) => matchesGlob(file, pattern)))).toEqual([]);
});

test('no two faults have one id', () => {
  const ids = plantedFaults.map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test('faults are in every folder of src, and in the dashboard', () => {
  const folderOf = (path: string) => path.split('/').slice(0, 2).join('/');
  const planted = new Set(plantedFaults.map(({ file }) => folderOf(file)));
  const folders = listFiles()
    .filter((path) => /^src\/[^/]+\//.test(path) || path.startsWith('dashboard/src/'))
    .map(folderOf);
  expect([...new Set(folders)].filter((folder) => !planted.has(folder))).toEqual([]);
});
