// Finds the Node.js that Farthing runs on. Plain JavaScript, because an older Node must be able to read this file.
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';

const oldestSupported = [22, 19];
const fetched = 'node@24';
/**
 * Options of Node. Node 22 warns that `node:sqlite` and type stripping are experimental. With 32 MiB instead of 16 for new objects,
 * fewer short-lived ones are promoted to the old generation: the intake takes a quarter more single events, for some 40 MiB more
 * memory (docs/decisions/0004-runtime.md). Old objects are collected when they have grown by half, and not by up to three times: an answer
 * that streams millions of rows needs a third of the memory for it, and takes as long.
 */
const nodeFlags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=32', '--heap-growing-percent=50'];
/**
 * The folder of Node's compile cache, which halves the time to start. It is beside the code and has the same write permissions,
 * because Node runs the code in it. Node ignores the folder when it can't write to it.
 */
const compiled = fileURLToPath(new URL('../node_modules/.cache/farthing', import.meta.url));

function isSupported() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestSupported;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/** The path of a supported Node.js. When this one is too old, npm fetches one into its cache. */
function findNode() {
  if (isSupported()) return process.execPath;
  console.error(
    `This is Node.js ${process.versions.node}; Farthing needs ${oldestSupported.join('.')} or newer. Running it on ${fetched} from npm; install that to start faster.`,
  );
  const found = spawnSync('npx', ['-y', '-p', fetched, '-c', 'node -p process.execPath'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const path = found.stdout?.trim().split('\n').at(-1);
  if (found.status !== 0 || !path) {
    console.error(found.stderr);
    console.error(`Could not fetch ${fetched}. Install Node.js ${oldestSupported.join('.')} or newer and try again.`);
    process.exit(1);
  }
  return path;
}

/**
 * Runs a TypeScript program of this repository on a supported Node.js, and exits with its exit code or signal.
 * Signals are forwarded, so that stopping the launcher stops the program.
 */
export function run(script, args) {
  const program = spawn(findNode(), [...nodeFlags, script, ...args], {
    stdio: 'inherit',
    env: { NODE_COMPILE_CACHE: compiled, ...process.env },
  });
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
