import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readNpm } from '../config.ts';
import { parseJson } from '../lib/json.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const launcher = join(root, 'bin/farthing.js');
const isInstalled = basename(dirname(root)) === 'node_modules';

/** What runs this program when it is typed where it was typed now. */
export const calledAs = findCall();
/** The same for a program that starts it elsewhere. */
export const calledFromAnywhere = isInstalled ? calledAs : `node ${launcher}`;

function findCall(): string {
  const { script, command } = readNpm();
  if (script === 'farthing') return 'npm run farthing --';
  if (!isInstalled) return `node ${relative('', launcher)}`;
  return command === 'exec' ? `npx ${findPackage() ?? 'farthing'}` : 'farthing';
}

/** What `npx` was told to run, such as the file of a package. */
function findPackage(): string | undefined {
  try {
    const manifest = parseJson(readFileSync(join(root, '../../package.json'), 'utf8')) as {
      readonly _npx?: { readonly packages?: readonly string[] };
    };
    return manifest._npx?.packages?.[0];
  } catch {
    return undefined;
  }
}

/** A text of this program's own with its commands, which are written `farthing doctor`, as they can be typed. */
export const asTyped = (text: string): string => text.replaceAll(/(?<![\w/])farthing (?=[a-z])/g, `${calledAs} `);
