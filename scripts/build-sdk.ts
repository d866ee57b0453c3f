// Builds packages/sdk into its dist folder: each entry as one minified module, with its types.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const folder = fileURLToPath(new URL('../packages/sdk/', import.meta.url));
const tsc = fileURLToPath(new URL('../node_modules/.bin/tsc', import.meta.url));

/** Builds the package and returns the folder of the result. */
export async function buildSdk(): Promise<string> {
  const dist = join(folder, 'dist');
  rmSync(dist, { recursive: true, force: true });
  const bundle = await rolldown({
    input: { index: join(folder, 'src/index.ts'), api: join(folder, 'src/api.ts') },
    platform: 'neutral',
    logLevel: 'warn',
  });
  await bundle.write({ dir: dist, format: 'esm', minify: true });
  await bundle.close();
  const options = ['--noEmit', 'false', '--emitDeclarationOnly', '--declaration', '--outDir', dist];
  execFileSync(tsc, ['-p', folder, ...options], { stdio: 'inherit' });
  // The types are read beside JavaScript, not beside the sources.
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((one) => one.endsWith('.d.ts'))) {
    const path = join(dist, name);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.[^']*)\.ts'/g, "$1.js'"));
  }
  return dist;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(await buildSdk());
