// Runs the commands of a documentation page as a reader would: pasted into a shell, one after the other.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { whenThisProcessEnds } from '../support/leash.ts';
import { makeMigratedDataDir, type Service, startService } from '../support/service.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A block of commands on a page, with the answer that the page shows for it, if any. */
export interface Example {
  /** The page and the line where the commands begin: `docs/tutorial.md:12`. */
  readonly place: string;
  readonly commands: string;
  readonly shown: unknown;
}

/** The output of a block. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** The commands that run a block of each language. */
const commandsOf: Readonly<Record<string, (code: string) => string>> = {
  sh: (code) => code,
  // A reader puts it into a file of the application.
  ts: (code) => `cat > example.mts <<'END OF EXAMPLE'\n${code}END OF EXAMPLE\nnode example.mts\n`,
  // The first line of a module names its file.
  python: (code) => {
    const file = /^# (\S+\.py)\n/.exec(code)?.[1];
    return `${file ? `cat > ${file}` : 'python3 -'} <<'END OF EXAMPLE'\n${code}END OF EXAMPLE\n`;
  },
};

/**
 * The examples of a page: each block of commands or code with the `json` block after it. Commands that start the service, and
 * commands with placeholders, are left out.
 */
export function readExamples(path: string): Example[] {
  const text = readFileSync(join(root, path), 'utf8');
  const blocks = [...text.matchAll(/^```(sh|ts|python|json)\n([\s\S]*?)^```$/gm)];
  return blocks.flatMap(([, language = '', code = ''], index): Example[] => {
    if (language === 'json') {
      if (!commandsOf[blocks[index - 1]?.[1] ?? '']) throw new Error(`${path}: an answer has no commands before it`);
      return [];
    }
    const commands = commandsOf[language]?.(code) ?? '';
    if (/^npm |=\S*…$/m.test(commands)) return [];
    const answer = blocks[index + 1];
    const line = text.slice(0, blocks[index]?.index).split('\n').length + 1;
    return [
      { place: `${path}:${line}`, commands, shown: answer?.[1] === 'json' ? JSON.parse(answer[2] ?? '') : undefined },
    ];
  });
}

/** A service of its own, started as `npm start` does, and a folder beside it that looks like the clone. */
export interface Desk {
  readonly url: string;
  readonly adminToken: string;
  /** Runs the examples with these further variables of the environment. */
  run(examples: readonly Example[], variables?: Readonly<Record<string, string>>): Promise<Printed[]>;
  close(): Promise<void>;
}

export async function openDesk(): Promise<Desk> {
  const folder = mkdtempSync(join(tmpdir(), 'farthing-docs-'));
  const letGo = whenThisProcessEnds('rm -rf -- "$0"', folder);
  for (const name of ['bin', 'package.json', 'src']) symlinkSync(join(root, name), join(folder, name));
  // The examples use the clients of others, and Farthing's own.
  symlinkSync(join(root, 'tests/clients/node_modules'), join(folder, 'node_modules'));
  const dataDir = join(folder, 'farthing-data');
  symlinkSync(makeMigratedDataDir(), dataDir);
  // The receiver of a page listens on this machine.
  const env = { FARTHING_WEBHOOK_HOSTS: '127.0.0.1' };
  const service = await startService({ dataDir, adminToken: null, alerts: true, env });
  return {
    url: service.url,
    adminToken: readFileSync(join(dataDir, 'admin-token'), 'utf8').trim(),
    run: (examples, variables = {}) => runAll(examples, folder, service, variables),
    close: async () => {
      await service.stop();
      letGo();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs all blocks in one shell, because later blocks use the variables of earlier ones. A command that fails ends it. */
async function runAll(
  examples: readonly Example[],
  folder: string,
  { port, dataDir }: Service,
  variables: Readonly<Record<string, string>>,
): Promise<Printed[]> {
  const note = readFileSync(join(dataDir, 'first-start.txt'), 'utf8');
  const noted = (name: string) => new RegExp(`${name} +(\\S+)`).exec(note)?.[1];
  const blocks = examples.map(({ commands }, index) => `{\n${commands}\n} > out.${index} 2> err.${index}\n`);
  const script = blocks.join('').replaceAll('127.0.0.1:8787', `127.0.0.1:${port}`);
  const shell = spawn('bash', ['-c', script], {
    cwd: folder,
    stdio: 'ignore',
    env: {
      ...process.env,
      // The commands find the service and this Node.js, and no settings of the person who runs the tests.
      ...Object.fromEntries(
        Object.keys(process.env)
          .filter((name) => /^(FARTHING_|VITEST|NODE_OPTIONS)/.test(name))
          .map((name) => [name, undefined]),
      ),
      FARTHING_PORT: String(port),
      CLIENT_ID: noted('client id'),
      CLIENT_SECRET: noted('client secret'),
      API_KEY: noted('API key'),
      ...variables,
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    },
  });
  await new Promise((resolve) => shell.once('close', resolve));
  const read = (name: string) => readFileSync(join(folder, name), 'utf8').trim();
  return examples.map((_example, index) => ({ stdout: read(`out.${index}`), stderr: read(`err.${index}`) }));
}

/**
 * Reduces an answer to the part that the page shows: drops the fields that the page leaves out, and replaces a text that
 * matches one shown with `…` by that one. The results are equal if the page is right.
 */
export function cutToShown(answered: unknown, shown: unknown): unknown {
  if (Array.isArray(shown) && Array.isArray(answered)) {
    return answered.map((item, index) => (index < shown.length ? cutToShown(item, shown[index]) : item));
  }
  if (isObject(shown) && isObject(answered)) {
    return Object.fromEntries(
      Object.keys(shown)
        .filter((name) => name in answered)
        .map((name) => [name, cutToShown(answered[name], shown[name])]),
    );
  }
  if (typeof shown === 'string' && typeof answered === 'string' && shown.includes('…')) {
    const pattern = shown.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${pattern.join('.+')}$`).test(answered) ? shown : answered;
  }
  return answered;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
