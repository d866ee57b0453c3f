import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { readSource } from './sources.ts';

const versions = z.record(z.string(), z.string()).default({});
const manifestFields = z.object({ version: z.string(), dependencies: versions, devDependencies: versions });
/** The folder of each package of the repository, and its manifest. */
const manifests = ['', 'dashboard', 'packages/sdk'].map(
  (folder) => [folder, manifestFields.parse(JSON.parse(readSource(join(folder, 'package.json')).text))] as const,
);
const lockText = readSource('package-lock.json').text;
const lock = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        version: z.string().optional(),
        dependencies: versions,
        devDependencies: versions,
        optionalDependencies: versions,
        resolved: z.string().optional(),
        link: z.literal(true).optional(),
      }),
    ),
  })
  .parse(JSON.parse(lockText));

/** Each direct dependency with its version. Another release of the same package has a name of its own: `npm:ai@5.0.1`. */
const direct = Object.fromEntries(
  manifests.flatMap(([, { dependencies, devDependencies }]) =>
    Object.entries({ ...dependencies, ...devDependencies }).map(([name, version]) => [
      name,
      version.replace(/^npm:.+@/, ''),
    ]),
  ),
);

test('every dependency is pinned to one version', () => {
  expect(Object.entries(direct).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
});

test('the lock file holds the versions that package.json names', () => {
  const locked = Object.keys(direct).map((name) => [name, lock.packages[`node_modules/${name}`]?.version]);
  expect(Object.fromEntries(locked)).toEqual(direct);
  for (const [path, expected] of manifests) {
    const { version, dependencies, devDependencies } = lock.packages[path] ?? {};
    expect({ version, dependencies, devDependencies }).toEqual(expected);
  }
});

test('the lock file holds no download URLs', () => {
  // A workspace of this repository resolves to its folder.
  const resolved = Object.values(lock.packages).flatMap(({ resolved: place, link }) => (link || !place ? [] : [place]));
  expect(resolved).toEqual([]);
  expect(lockText).not.toMatch(/https?:\/\/[^"]*\.tgz/);
});

test('the lock file holds the optional packages of every platform; npm ci fails without them', () => {
  const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies }]) =>
    Object.keys(optionalDependencies)
      .filter(
        (name) => !(`node_modules/${name}` in lock.packages) && !(`${path}/node_modules/${name}` in lock.packages),
      )
      .map((name) => `${path} needs ${name}`),
  );
  expect(missing).toEqual([]);
});
