import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { allImports, listFiles, readSource, runtimeImports } from './sources.ts';

/** The rooms of src from the top down: a module imports only from its own room or from those below, types included. */
const rooms = [
  ...['cli', 'main', 'server', 'alerting', 'billing', 'reports', 'ingest', 'rollups', 'calls'],
  ...['pricing', 'usage', 'accounts', 'storage', 'config', 'lib'],
];

const sources = listFiles('src')
  .filter((path) => /\.[cm]?[jt]sx?$/.test(path))
  .map(readSource);
const importsByPath = new Map(sources.map((source) => [source.path, allImports(source)]));
const loadedByPath = new Map(sources.map((source) => [source.path, runtimeImports(source)]));

const roomOf = (path: string): string => path.replace(/^src\//, '').replace(/(\/.*|\.ts)$/, '');
const floorOf = (path: string): number => rooms.indexOf(roomOf(path));

test('every folder of src is a room', () => {
  expect(sources.map(({ path }) => path).filter((path) => floorOf(path) === -1)).toEqual([]);
});

test('imports point down', () => {
  const upward = [...importsByPath].flatMap(([path, imports]) =>
    imports
      .filter((imported) => imported.startsWith('src/') && floorOf(imported) < floorOf(path))
      .map((imported) => `${path} imports ${imported}`),
  );
  expect(upward).toEqual([]);
});

test('only the entry points of a process load the configuration; they pass it on', () => {
  const readers = [...loadedByPath].filter(([, imports]) => imports.includes('src/config.ts')).map(([path]) => path);
  const others = readers.filter((path) => !['main', 'cli'].includes(roomOf(path)));
  // This file is the entry point of the engine's process, which has an environment of its own.
  expect(others).toEqual(['src/storage/analytic/embedded/engine-process.ts']);
});

test('src imports nothing from the tests, the scripts or the benchmarks', () => {
  const outside = [...importsByPath].flatMap(([path, imports]) =>
    imports.filter((imported) => !imported.startsWith('src/')).map((imported) => `${path} imports ${imported}`),
  );
  expect(outside).toEqual(['src/lib/version.ts imports package.json']);
});

test('src has no import cycles, types included', () => {
  expect(findCycles(importsByPath)).toEqual([]);
});

test('nor have its folders: of two, at most one imports the other', () => {
  // The files of src itself are rooms of their own.
  const importsByFolder = new Map<string, string[]>();
  for (const [path, imports] of importsByPath) {
    const folder = dirname(path);
    const folders = imports
      .map((imported) => dirname(imported))
      .filter((other) => ![folder, 'src', '.'].includes(other));
    importsByFolder.set(folder, [...(importsByFolder.get(folder) ?? []), ...folders]);
  }
  importsByFolder.delete('src');
  expect(findCycles(importsByFolder)).toEqual([]);
});

function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (node: string, trail: readonly string[]) => {
    const start = trail.indexOf(node);
    if (start !== -1) cycles.push([...trail.slice(start), node].join(' → '));
    if (start !== -1 || done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...trail, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return cycles;
}
