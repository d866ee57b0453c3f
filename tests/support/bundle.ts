// The service as one bundle, which starts in half the processor time of its some 900 source files.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** As deep below the root as the modules that find the repository's files by their own path. */
const directory = join(root, 'dist/tests');
/** Packages that load files of their own. */
const external = ['chdb', 'pg-native', 'pino-pretty'];

/** Bundles `src/cli.ts`, and a program of the tests that stands on the same modules, and returns the path of the first. */
export async function bundleService(): Promise<string> {
  const bundle = await rolldown({
    input: {
      cli: join(root, 'src/cli.ts'),
      engine: join(root, 'src/storage/analytic/embedded/server.ts'),
      'assemble-once': join(root, 'tests/assembly/assemble-once.ts'),
    },
    platform: 'node',
    external,
    logLevel: 'silent',
  });
  // Without hashes in the names, the next bundle takes the place of this one.
  await bundle.write({ dir: directory, format: 'esm', chunkFileNames: '[name].js' });
  await bundle.close();
  // The service starts its engine from a file of this name.
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'server.ts'), "import './engine.js';\n");
  return join(directory, 'cli.js');
}
