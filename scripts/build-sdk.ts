// Builds packages/sdk into its dist folder: each entry as one minified module, with its types.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const folder = fileURLToPath(new URL('../packages/sdk/', import.meta.url));
const tsc = fileURLToPath(new URL('../node_modules/.bin/tsc', import.meta.url));

/** Builds the package in its own folder, or whole in another one, and returns that. */
export async function buildSdk(to: string = folder): Promise<string> {
  const dist = join(to, 'dist');
  rmSync(dist, { recursive: true, force: true });
  // Each entry is whole: a chunk of its own for what they share would be larger than that.
  for (const name of ['index', 'api', 'guard']) {
    const bundle = await rolldown({ input: join(folder, `src/${name}.ts`), platform: 'neutral', logLevel: 'warn' });
    await bundle.write({ file: join(dist, `${name}.js`), format: 'esm', minify: true });
    await bundle.close();
  }
  const options = ['--noEmit', 'false', '--emitDeclarationOnly', '--declaration', '--outDir', dist];
  execFileSync(tsc, ['-p', folder, ...options], { stdio: 'inherit' });
  // The types are read beside JavaScript, not beside the sources.
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((one) => one.endsWith('.d.ts'))) {
    const path = join(dist, name);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.[^']*)\.ts'/g, "$1.js'"));
  }
  if (to !== folder) {
    for (const name of ['package.json', 'README.md', 'LICENSE']) copyFileSync(join(folder, name), join(to, name));
  }
  return to;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(await buildSdk());
