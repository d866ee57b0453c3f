import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { listFiles, readSource, root } from './sources.ts';

const versions = z.record(z.string(), z.string()).default({});
const manifestFields = z.object({
  workspaces: z.array(z.string()).default([]),
  dependencies: versions,
  devDependencies: versions,
});
const readManifest = (folder: string) =>
  manifestFields.parse(JSON.parse(readSource(join(folder, 'package.json')).text));
const lockFields = z.object({
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
});

/** A version of a dependency. Another release of the same package has a name of its own: `npm:ai@5.0.1`. */
const bare = (version: string): string => version.replace(/^npm:.+@/, '');

test('a run and a build install nothing that only tests of clients need', () => {
  expect(readManifest('').workspaces).toEqual(['dashboard', 'packages/sdk']);
  expect(Object.keys(readManifest('packages/sdk').devDependencies)).toEqual([]);
});

// The clients that the tests run are installed apart.
describe.each(['', 'tests/clients'])('the packages of "%s"', (at) => {
  const text = readSource(join(at, 'package-lock.json')).text;
  const { packages } = lockFields.parse(JSON.parse(text));
  /** Each folder with a manifest, as the lock file names it. */
  const manifests = ['', ...readManifest(at).workspaces].map(
    (folder) => [folder, readManifest(join(at, folder))] as const,
  );

  test('every dependency is pinned to one version, or is a folder of the repository', () => {
    for (const [, { dependencies, devDependencies }] of manifests) {
      for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
        expect(bare(version), name).toMatch(/^(?:\d+\.\d+\.\d+(-[\w.]+)?|file:.*)$/);
    }
  });

  test('the lock file holds the versions that each package.json names', () => {
    for (const [folder, { dependencies, devDependencies }] of manifests) {
      expect(packages[folder]).toMatchObject({ dependencies, devDependencies });
      for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
        const locked = packages[join(folder, 'node_modules', name)] ?? packages[`node_modules/${name}`];
        if (!locked?.link) expect([name, locked?.version]).toEqual([name, bare(version)]);
      }
    }
  });

  test('the lock file holds no download URLs', () => {
    // A package of this repository resolves to its folder.
    const resolved = Object.values(packages).flatMap(({ resolved: place, link }) => (link || !place ? [] : [place]));
    expect(resolved).toEqual([]);
    expect(text).not.toMatch(/https?:\/\/[^"]*\.tgz/);
  });

  test('the lock file holds the optional packages of every platform; npm ci fails without them', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages))
        .map((name) => `${path} needs ${name}`),
    );
    expect(missing).toEqual([]);
  });
});

/** The folders beside `src` from which its modules read files, as they find them by their own path. */
const foldersRead = listFiles('src').flatMap((path) =>
  [...readSource(path).text.matchAll(/new URL\([`']\.\.\/\.\.\/([\w-]+)\//g)].map(([, folder]) => folder),
);

test('the package has what runs, all that it reads, and the documentation', () => {
  const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
  });
  const [packed] = z.array(z.object({ files: z.array(z.object({ path: z.string() })) })).parse(JSON.parse(listed));
  const paths = packed?.files.map(({ path }) => path) ?? [];
  expect(paths).toEqual(expect.arrayContaining(['bin/farthing.js', 'docs/README.md']));
  const folders = new Set(paths.filter((path) => path.includes('/')).map((path) => path.split('/')[0]));
  expect([...folders]).toEqual(expect.arrayContaining(foldersRead));
  for (const folder of ['src', 'tests', 'packages']) expect(folders).not.toContain(folder);
});
