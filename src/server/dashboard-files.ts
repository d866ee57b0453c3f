import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PageFiles } from '../lib/http/dashboard.ts';
import type { Logger } from '../lib/logger.ts';

const workspace = fileURLToPath(new URL('../../dashboard/', import.meta.url));
const built = join(workspace, 'dist');
/** The sources that the page shares with the service. */
const ofService = ['lib', 'cli/demo'].map((folder) => join(workspace, '../src', folder));

/**
 * The files of the page, built from its sources where they are missing or older than these. A build takes a few seconds
 * and no network. When several services build at once, the files of the last one stay.
 * @throws Error when the build fails
 */
export async function openPageFiles(logger: Logger): Promise<PageFiles> {
  if (!(await isUpToDate())) {
    logger.info('building the page, which is done once');
    const startedAt = performance.now();
    await buildPage();
    logger.info({ elapsedMs: Math.round(performance.now() - startedAt) }, 'the page is built');
  }
  return await readFiles(built);
}

async function isUpToDate(): Promise<boolean> {
  if (!existsSync(join(built, 'index.html'))) return false;
  const sources = join(workspace, 'src');
  // An installation may hold the built page alone.
  if (!existsSync(sources)) return true;
  const { mtimeMs: builtAt } = await stat(join(built, 'index.html'));
  const files = ['index.html', 'package.json', 'tailwind.ts', 'vite.config.ts'].map((name) => join(workspace, name));
  const folders = await Promise.all([sources, ...ofService].map(listFiles));
  for (const path of [...files, ...folders.flat()]) {
    if ((await stat(path)).mtimeMs > builtAt) return false;
  }
  return true;
}

/** Builds into another folder and renames it, so that nobody reads half a page. */
async function buildPage(): Promise<void> {
  const fresh = join(workspace, `dist-${randomUUID()}`);
  try {
    await runVite(['build', '--outDir', fresh, '--logLevel', 'warn']);
    await rm(built, { recursive: true, force: true });
    await rename(fresh, built).catch((cause: unknown) => {
      // Another service has built the same page meanwhile.
      if (!existsSync(join(built, 'index.html'))) throw cause;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function runVite(args: readonly string[]): Promise<void> {
  const vite = join(
    dirname(createRequire(join(workspace, 'package.json')).resolve('vite/package.json')),
    'bin/vite.js',
  );
  const child = spawn(process.execPath, [vite, ...args], { cwd: workspace, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-10_000);
    });
  }
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`vite ended with ${code}: ${output}`))));
  });
}

async function readFiles(folder: string): Promise<PageFiles> {
  const paths = await listFiles(folder);
  return new Map(
    await Promise.all(
      paths.map(async (path) => [relative(folder, path).replaceAll('\\', '/'), await readFile(path)] as const),
    ),
  );
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
