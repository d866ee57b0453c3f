// Tailwind for Vite, with Tailwind's compiler but not its scanner, which is a native program for each platform.
// Finding the class names in a few dozen files needs only these lines.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from 'tailwindcss';
import type { Plugin } from 'vite';

const sources = fileURLToPath(new URL('./src', import.meta.url));

/** Compiles each stylesheet that imports Tailwind, for the class names in the sources. */
export function tailwind(): Plugin {
  return {
    name: 'farthing:tailwind',
    enforce: 'pre',
    async transform(code, id) {
      if (!id.endsWith('.css') || !code.includes("'tailwindcss/")) return undefined;
      const compiler = await compile(code, {
        base: dirname(id),
        loadStylesheet: async (name) => {
          const path = fileURLToPath(import.meta.resolve(name));
          return { path, base: dirname(path), content: readFileSync(path, 'utf8') };
        },
      });
      return { code: compiler.build([...readCandidates()]), map: null };
    },
  };
}

/** All words of the sources that could be class names; Tailwind ignores the others. */
function readCandidates(): Set<string> {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));
  return new Set(files.flatMap((path) => readFileSync(join(sources, path), 'utf8').split(/[\s"'`{}]+/)));
}
