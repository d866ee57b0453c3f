// Builds the page into `dist`, where that is missing or older than its sources. npm runs this after an install. Plain
// JavaScript, because an older Node.js must be able to read it.
import { spawnSync } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt } from '../bin/built.js';
import { findNode, oldestThatBuilds } from '../bin/runtime.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const built = join(folder, 'dist');
/** What the page is made of: its own files, what it shares with the service, and the versions of its packages. */
const sources = ['index.html', 'build.js', 'tailwind.ts', 'vite.config.ts', 'src'].concat(
  ['src/lib', 'src/alerting/kinds', 'src/alerting/rule', 'src/cli/demo', 'package-lock.json'].map(
    (path) => `../${path}`,
  ),
);
const isUpToDate = () =>
  isBuilt(
    join(built, 'index.html'),
    sources.map((path) => join(folder, path)),
  );

function findVite() {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js');
  } catch {
    return undefined;
  }
}

/** Builds into another folder and renames it, so that nobody reads half a page. When several build at once, one stays. */
function build(vite) {
  const fresh = join(folder, `dist-${process.pid}`);
  try {
    const args = [vite, 'build', '--outDir', fresh, '--logLevel', 'warn'];
    // The tests build it too, and NODE_ENV=test would take React's slow form.
    const env = { ...process.env, NODE_ENV: 'production' };
    const { status } = spawnSync(findNode(oldestThatBuilds), args, { cwd: folder, env, stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
    rmSync(built, { recursive: true, force: true });
    renameSync(fresh, built);
  } catch (error) {
    // Another build was as fast.
    if (!isUpToDate()) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

const vite = findVite();
// An install without this workspace is of the service alone.
if (vite && !isUpToDate()) build(vite);
