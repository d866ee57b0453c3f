// The files of the repository, each read once, for the tests of the house rules.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Source {
  /** The path from the root of the repository, with `/` as the separator. */
  readonly path: string;
  readonly text: string;
}

/** Names of folders, and paths of folders from the root, whose files are not of the repository. */
const foreignNames = new Set(['node_modules', 'dist']);
const foreignPaths = new Set(['.git', '.stryker-tmp', 'coverage', 'farthing-data']);

/** The files of a folder of the repository and its subfolders. */
export function listFiles(folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .map((entry) => ({ entry, path: folder === '' ? entry.name : `${folder}/${entry.name}` }))
    .filter(({ entry, path }) => !foreignNames.has(entry.name) && !foreignPaths.has(path))
    .flatMap(({ entry, path }) => (entry.isDirectory() ? listFiles(path) : [path]))
    .sort();
}

export const readSource = (path: string): Source => ({ path, text: readFileSync(join(root, path), 'utf8') });

/** The lines that match, each as `path:line: match`. */
export function findLines({ path, text }: Source, pattern: RegExp): string[] {
  return text.split('\n').flatMap((line, index) => {
    const found = pattern.exec(line);
    return found ? [`${path}:${index + 1}: ${found[0]}`] : [];
  });
}

/** The modules of this repository that a module imports, types and those loaded later included. */
export const allImports = (source: Source): string[] => importsOf(source, /^(?:import|export)\s/);

/** The modules of this repository that a module loads at run time. Type-only imports are left out. */
export const runtimeImports = (source: Source): string[] => importsOf(source, /^(?:import|export)\s(?!type\s)/);

function importsOf({ path, text }: Source, keyword: RegExp): string[] {
  const code = text.replace(/^\s*\/\/.*$/gm, '').replace(/\/\*[\s\S]*?\*\//g, '');
  const statements = new RegExp(`(?:${keyword.source}(?:[^'";]*?\\sfrom\\s+)?|\\bimport\\(\\s*)'(\\.[^']+)'`, 'gm');
  return [...code.matchAll(statements)].map(([, specifier = '']) =>
    relative(root, join(root, dirname(path), specifier)).replaceAll('\\', '/'),
  );
}
