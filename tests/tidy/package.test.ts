import { expect, test } from 'vitest';
import { z } from 'zod';
import { readSource } from './sources.ts';

const versions = z.record(z.string(), z.string()).default({});
const manifest = z
  .object({ version: z.string(), dependencies: versions, devDependencies: versions })
  .parse(JSON.parse(readSource('package.json').text));
const lockText = readSource('package-lock.json').text;
const lock = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        version: z.string(),
        dependencies: versions,
        devDependencies: versions,
        optionalDependencies: versions,
      }),
    ),
  })
  .parse(JSON.parse(lockText));

const direct = { ...manifest.dependencies, ...manifest.devDependencies };

test('every dependency is pinned to one version', () => {
  expect(Object.entries(direct).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
});

test('the lock file holds the versions that package.json names', () => {
  const locked = Object.keys(direct).map((name) => [name, lock.packages[`node_modules/${name}`]?.version]);
  expect(Object.fromEntries(locked)).toEqual(direct);
  const { version, dependencies, devDependencies } = lock.packages[''] ?? {};
  expect({ version, dependencies, devDependencies }).toEqual(manifest);
});

test('the lock file names no place that packages are fetched from', () => {
  expect(lockText).not.toMatch(/"resolved"|https?:\/\/[^"]*\.tgz/);
});

test('the lock file holds the parts for every platform, without which npm ci refuses it', () => {
  const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies }]) =>
    Object.keys(optionalDependencies)
      .filter(
        (name) => !(`node_modules/${name}` in lock.packages) && !(`${path}/node_modules/${name}` in lock.packages),
      )
      .map((name) => `${path} needs ${name}`),
  );
  expect(missing).toEqual([]);
});
