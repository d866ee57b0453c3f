import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Rolldown } from 'vite';
import { tailwind } from './tailwind.ts';

/** One script of all that a module imports at once: a browser asks for six at a time, and each takes its while. */
function bundle(name: string, path: string): Rolldown.CodeSplittingGroup {
  const found = new Set<string>();
  const follow = (id: string, ctx: Rolldown.ChunkingContext): void => {
    if (found.has(id)) return;
    found.add(id);
    for (const imported of ctx.getModuleInfo(id)?.importedIds ?? []) follow(imported, ctx);
  };
  const root = fileURLToPath(new URL(path, import.meta.url));
  return {
    debugName: name,
    name: (id, ctx) => {
      follow(root, ctx);
      return found.has(id) && id !== root ? name : null;
    },
  };
}

export default defineConfig({
  plugins: [react(), tailwind()],
  build: {
    target: 'es2022',
    // No inlined assets: the page's Content-Security-Policy allows no inline scripts or fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { ...bundle('start', 'src/main.tsx'), priority: 2 },
            { ...bundle('first-view', 'src/pages/overview.tsx'), priority: 1 },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/admin', '/session', '/intake', '/openapi.json'].map((path) => [path, 'http://127.0.0.1:8787']),
    ),
  },
});
