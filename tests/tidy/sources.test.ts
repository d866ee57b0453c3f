import { expect, test } from 'vitest';
import { allImports, findLines, listFiles, readSource, runtimeImports } from './sources.ts';

const files = listFiles();
/** Images are skipped: their bytes can match any pattern. */
const everything = files.filter((path) => !path.endsWith('.png')).map(readSource);
const src = everything.filter(({ path }) => path.startsWith('src/'));
const mostLines = 400;

test('every module that src imports is among the files', () => {
  const listed = new Set(files);
  expect(src.flatMap(allImports).filter((path) => !listed.has(path))).toEqual([]);
});

test('the environment is read in src/config.ts alone', () => {
  const readers = src
    .filter(({ path }) => path !== 'src/config.ts')
    .flatMap((source) => findLines(source, /process\.env/));
  expect(readers).toEqual([]);
});

test('JSON is read by src/lib/json.ts alone: JSON.parse confuses escaped keys', () => {
  // The intake knows of most events that no key has an escape.
  const readers = src.filter(({ path }) => path !== 'src/lib/json.ts' && path !== 'src/ingest/intake/body.ts');
  expect(readers.flatMap((source) => findLines(source, /JSON\.parse\(/))).toEqual([]);
});

test('D1.4: secrets and their hashes are compared in constant time, never by ===', () => {
  const rooms = [
    'accounts',
    'alerting/notifications',
    'billing/revenue/stripe',
    'ingest',
    'lib/http',
    'server',
    'storage',
  ];
  const keepers = rooms.map((room) => src.filter(({ path }) => path.startsWith(`src/${room}/`)));
  expect(keepers.filter((sources) => sources.length === 0)).toEqual([]);
  const compared =
    /(?:hash|token|secret|password)(?:, id)?\)? *[!=]==(?! *(?:undefined|null|'string'))|(?<!undefined\)? *)[!=]== *\w*(?:hash|token|secret|password)\b/i;
  expect(keepers.flat().flatMap((source) => findLines(source, compared))).toEqual([]);
});

test('no file of src is long', () => {
  const long = src
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > mostLines);
  expect(long).toEqual([]);
});

test('no file has a to-do marker', () => {
  // In two pieces, so that the pattern does not match this line.
  const marker = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', 'HA' + 'CK', 'WI' + 'P'].join('|')})\\b`);
  expect(everything.flatMap((source) => findLines(source, marker))).toEqual([]);
});

test('no test is skipped or run alone', () => {
  const switched = /\b(?:test|it|describe)\.(?:only|skip|todo)\b/;
  const tests = everything.filter(({ path }) => path.endsWith('.test.ts') && path !== 'tests/tidy/sources.test.ts');
  expect(tests.flatMap((source) => findLines(source, switched))).toEqual([]);
});

test('no file names a folder of a developer’s machine', () => {
  const homes = ['root', 'home', 'work', 'Users'].join('|');
  const machinePath = new RegExp(`(?<![\\w.~}*-])/(?:${homes})/\\w`);
  expect(everything.flatMap((source) => findLines(source, machinePath))).toEqual([]);
});

test('no file names the host of a package registry', () => {
  const host = /\bregistry\.[a-z0-9-]+\.[a-z]{2,}\b/i;
  expect(everything.flatMap((source) => findLines(source, host))).toEqual([]);
});

test('allImports and runtimeImports find the imports of a module', () => {
  const text = [
    '// Files of src/*.',
    "import { a } from './a.ts';",
    '/** A comment. */',
    "import type { B } from './b.ts';",
    "import { type C } from '../c.ts';",
    "import './d.ts';",
    "export * from './e.ts';",
    "// import { f } from './f.ts';",
    'import {',
    '  g,',
    "} from './g.ts';",
    "import { h } from 'node:fs';",
    "type I = import('./i.ts').I;",
  ].join('\n');
  const loaded = ['src/x/a.ts', 'src/c.ts', 'src/x/d.ts', 'src/x/e.ts', 'src/x/g.ts', 'src/x/i.ts'];
  expect(runtimeImports({ path: 'src/x/y.ts', text })).toEqual(loaded);
  expect(allImports({ path: 'src/x/y.ts', text })).toEqual(['src/x/a.ts', 'src/x/b.ts', ...loaded.slice(1)]);
});
