import { expect, test } from 'vitest';
import { allImports, listFiles, readSource, runtimeImports } from './sources.ts';

/** The folders of src from the top down: a module imports only from its own folder or below, types included. */
const layers = [
  ['main', 'service', 'stores', 'cli'],
  ['advice'],
  ['alerts', 'project-metrics'],
  ['budgets', 'exports'],
  ['analytics'],
  [
    ...['backup', 'calls', 'closes', 'credits', 'customers', 'gateways', 'imports', 'intake', 'invoices'],
    ...['key-metrics', 'mcp', 'notifications', 'operations', 'pricing', 'projects', 'revenue', 'telemetry'],
  ],
  ['http'],
  ['clickhouse', 'control'],
  ['config'],
  ['lib'],
];
/** A folder of these layers may import from another folder of the same layer. */
const sociable = new Set([0, 5]);

const sources = listFiles('src')
  .filter((path) => path.endsWith('.ts'))
  .map(readSource);
const importsByPath = new Map(sources.map((source) => [source.path, allImports(source)]));
const loadedByPath = new Map(sources.map((source) => [source.path, runtimeImports(source)]));

const folderOf = (path: string): string => path.replace(/^src\//, '').replace(/(\/.*|\.ts)$/, '');
const layerOf = (path: string): number => layers.findIndex((folders) => folders.includes(folderOf(path)));

test('every folder of src is in a layer', () => {
  const strangers = sources.map(({ path }) => path).filter((path) => layerOf(path) === -1);
  expect(strangers).toEqual([]);
});

test('imports point down: main and cli, advice, alerts, budgets and exports, analytics, the other features, http, the stores, config, lib', () => {
  const upward = [...importsByPath].flatMap(([path, imports]) =>
    imports
      .filter((imported) => imported.startsWith('src/') && folderOf(imported) !== folderOf(path))
      .filter((imported) => {
        const from = layerOf(path);
        const to = layerOf(imported);
        return to < from || (to === from && !sociable.has(from));
      })
      .map((imported) => `${path} imports ${imported}`),
  );
  expect(upward).toEqual([]);
});

test('only the entry points of a process load the configuration; they pass it on', () => {
  const readers = [...loadedByPath].filter(([, imports]) => imports.includes('src/config.ts')).map(([path]) => path);
  const others = readers.filter((path) => !['main', 'cli'].includes(folderOf(path)));
  // This file is the entry point of the engine's process, which has an environment of its own.
  expect(others).toEqual(['src/clickhouse/embedded/engine-process.ts']);
});

test('src imports nothing from the tests, the scripts or the benchmarks', () => {
  const outside = [...importsByPath].flatMap(([path, imports]) =>
    imports.filter((imported) => !imported.startsWith('src/')).map((imported) => `${path} imports ${imported}`),
  );
  expect(outside).toEqual(['src/lib/version.ts imports package.json']);
});

test('src has no import cycles, types included', () => {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    const start = trail.indexOf(path);
    if (start !== -1) cycles.push([...trail.slice(start), path].join(' → '));
    if (start !== -1 || done.has(path)) return;
    for (const imported of importsByPath.get(path) ?? []) visit(imported, [...trail, path]);
    done.add(path);
  };
  for (const path of importsByPath.keys()) visit(path, []);
  expect(cycles).toEqual([]);
});
