// The service as npm builds it, which starts in half the processor time of its some 900 source files.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = 'dist/tests';

/** Builds the service, and a program of the tests that stands on the same modules, and returns the path of the first. */
export async function bundleService(): Promise<string> {
  const args = ['scripts/build-service.js', folder, 'assemble-once=tests/assembly/assemble-once.ts'];
  await promisify(execFile)(process.execPath, args, { cwd: root });
  return join(root, folder, 'cli.js');
}
