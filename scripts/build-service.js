/*
 * Builds the service with its packages, which starts in half the time of its sources: npm does it when it installs.
 *
 *   node scripts/build-service.js [FOLDER [NAME=FILE …]]
 *
 * The folder, `dist/service` by default, must be as deep below the root as the modules that find the repository's files by
 * their own path. Each further file is an entry that stands on the same modules. Plain JavaScript, because an older Node.js
 * must be able to read it.
 */
import { spawnSync } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNode, oldestThatBuilds } from '../bin/runtime.js';

const root = fileURLToPath(new URL('../', import.meta.url));
/** The command line, and the engine's process, which the service starts from a file of this name. */
const entries = ['cli=src/cli.ts', 'server=src/storage/analytic/embedded/server.ts'];
/** Packages that load files of their own, or that few services load. */
const external = ['@scalar/fastify-api-reference', 'chdb', 'llm-zoo', 'pg-native', 'pino-pretty'];

/**
 * An `import` of node:http reads all that it exports, WebSocket and others of undici too, which takes 45 ms of processor
 * time to load. Most services never use it.
 */
const httpWithoutUndici = {
  name: 'http-without-undici',
  resolveId: (id) => (id === 'node:http' || id === 'http' ? '\0http' : null),
  load: (id) => {
    if (id !== '\0http') return null;
    const isValue = ([, { value }]) => value !== undefined;
    const names = Object.entries(Object.getOwnPropertyDescriptors(http))
      .filter(isValue)
      .map(([name]) => name);
    return `const http = process.getBuiltinModule('node:http'); export default http; export const { ${names} } = http;`;
  },
};

async function build(folder, further) {
  const { rolldown } = await import('rolldown');
  const named = [...entries, ...further].map((entry) => entry.split('='));
  const input = Object.fromEntries(named.map(([name, path]) => [name, join(root, path)]));
  const bundle = await rolldown({
    input,
    platform: 'node',
    external,
    plugins: [httpWithoutUndici],
    logLevel: 'silent',
  });
  // Beside its place at first, so that nobody runs half a service.
  const fresh = `${folder}-${process.pid}`;
  // Comments are a seventh of it.
  const comments = { legal: true, annotation: false, jsdoc: false };
  await bundle.write({ dir: fresh, format: 'esm', chunkFileNames: '[name].js', comments });
  await bundle.close();
  rmSync(folder, { recursive: true, force: true });
  renameSync(fresh, folder);
}

const [folder = 'dist/service', ...further] = process.argv.slice(2);
const node = findNode(oldestThatBuilds);
if (node === process.execPath) await build(join(root, folder), further);
else process.exitCode = spawnSync(node, process.argv.slice(1), { stdio: 'inherit' }).status ?? 1;
