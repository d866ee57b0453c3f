// Finds the Node.js that Farthing runs on. Plain JavaScript, because an older Node.js must be able to read this file.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const oldestSupported = [22, 19];
/** What an install builds is built by Node.js 20, too, so that `npm ci` fetches no other. */
export const oldestThatBuilds = [20, 19];
const fetched = 'node@24';
/**
 * Options of Node. Node 22 warns that `node:sqlite` and type stripping are experimental. With 32 MiB instead of 16 for new objects,
 * fewer short-lived ones are promoted to the old generation: the intake takes a quarter more single events, for some 40 MiB more
 * memory (docs/decisions/0004-runtime.md). Old objects are collected when they have grown by half, and not by up to three times: an answer
 * that streams millions of rows needs a third of the memory for it, and takes as long.
 */
const nodeFlags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=32', '--heap-growing-percent=50'];
/**
 * The folder of Node's compile cache, which halves the time to start, and of the path of a fetched Node.js. It is beside the
 * code and has the same write permissions, because what is in it is run. Node ignores the folder when it can't write to it.
 */
const cache = fileURLToPath(new URL('../node_modules/.cache/farthing', import.meta.url));
const notedNode = join(cache, fetched);

function isSupported([oldestMajor, oldestMinor]) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/** The path of a Node.js that is new enough. When this one is too old, npm fetches one into its cache, once. */
export function findNode(oldest = oldestSupported) {
  if (isSupported(oldest)) return process.execPath;
  const noted = existsSync(notedNode) ? readFileSync(notedNode, 'utf8') : '';
  if (existsSync(noted)) return noted;
  console.error(
    `Farthing needs Node.js ${oldest.join('.')} or newer, and this is ${process.versions.node}: fetching ${fetched} from npm, once.`,
  );
  const found = spawnSync('npx', ['-y', '-p', fetched, '-c', 'node -p process.execPath'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const path = found.stdout?.trim().split('\n').at(-1);
  if (found.status !== 0 || !path) {
    console.error(found.stderr);
    console.error(`Could not fetch ${fetched}. Install Node.js ${oldest.join('.')} or newer and try again.`);
    process.exit(1);
  }
  try {
    mkdirSync(dirname(notedNode), { recursive: true });
    writeFileSync(notedNode, path);
  } catch {
    // The folder belongs to somebody else: it is found again each time.
  }
  return path;
}

/**
 * Runs a program of this repository on a supported Node.js: in the place of this process where Node.js can do that, and else
 * as a child, to which signals are passed on, and whose exit code or signal becomes that of this process.
 */
export function run(script, args) {
  const node = findNode();
  const options = [...nodeFlags, script, ...args];
  const env = { NODE_COMPILE_CACHE: cache, ...process.env };
  // One process less, which takes 40 MiB. Its warning that it is experimental ends with this process.
  if (process.execve) process.execve(node, [node, ...options], env);
  const program = spawn(node, options, { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => program.kill(signal));
  program.on('exit', (code, signal) => {
    if (signal) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    } else {
      process.exit(code ?? 1);
    }
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [script, ...args] = process.argv.slice(2);
  if (!script) throw new Error('usage: node bin/runtime.js SCRIPT [ARGUMENT …]');
  run(script, args);
}
