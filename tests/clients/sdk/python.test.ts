// The Python package (D35): its own tests, with the machine's Python and nothing else.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { usualOrLong } from '../../support/effort.ts';

const folder = fileURLToPath(new URL('../../../packages/python', import.meta.url));

test('D35.1, D35.2: the tests of packages/python pass with Python alone', async () => {
  const args = ['-W', 'ignore', '-m', 'unittest', 'discover', '-s', 'tests'];
  // Of the calls at each place of the package, the usual form lets only the first fail.
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', FAULTS: usualOrLong('places', 'all') };
  const { stderr } = await promisify(execFile)('python3', args, { cwd: folder, env });
  expect(stderr).toMatch(/Ran [1-9]\d+ tests[\s\S]*\nOK\n$/);
});
