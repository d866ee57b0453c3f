// The list of scripts/planted-faults.ts fits the code and the tests that there are.
import { existsSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import config from '../../vitest.config.ts';
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

test('each fault names the project that runs its tests', () => {
  const listOf = (globs: readonly string[] | undefined) => globs ?? [];
  const runs = (project: string, file: string) =>
    (config.test?.projects ?? []).some(
      (one) =>
        typeof one === 'object' &&
        'test' in one &&
        one.test?.name === project &&
        listOf(one.test.include).some((glob) => matchesGlob(file, glob)) &&
        !listOf(one.test.exclude).some((glob) => matchesGlob(file, glob)),
    );
  const wrong = plantedFaults.flatMap(({ id, tests }) =>
    Object.entries(tests).flatMap(([project, files]) =>
      files.filter((file) => !runs(project, file)).map((file) => `${id}: ${project} does not run ${file}`),
    ),
  );
  expect(wrong).toEqual([]);
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
