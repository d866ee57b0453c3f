// Finds the Node.js that Farthing runs on. Plain JavaScript for old runtimes: this file is all that an older Node ever reads.
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';

const oldestSupported = [22, 19];
const fetched = 'node@24';
/**
 * What Node is started with. `node:sqlite` and type stripping still announce themselves as experimental on Node 22. And where there
 * are 32 MiB in place of 16 for what has just been made, less of it is taken for lasting: with events coming in one by one, a
 * quarter more of them are taken, for some 40 MiB more of memory (docs/performance.md).
 */
const nodeFlags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=32'];
/**
 * Where Node keeps what it has compiled, so that programs start in half the time. Beside the code and no more writable than it is:
 * Node runs what it finds there. A folder that can't be written is left alone.
 */
const compiled = fileURLToPath(new URL('../node_modules/.cache/farthing', import.meta.url));

function isSupported() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestSupported;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/** The path of a new enough Node.js, fetched from npm into npm's own cache when this one is too old. */
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
 * Runs a TypeScript program of this repository with the arguments given, on a supported Node.js, and ends as it ends.
 * Signals are passed on, so that stopping the launcher stops the program.
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
