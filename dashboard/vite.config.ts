import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { tailwind } from './tailwind.ts';

export default defineConfig({
  plugins: [react(), tailwind()],
  build: {
    target: 'es2022',
    // No inlined assets: the page's Content-Security-Policy allows no inline scripts or fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/admin', '/session', '/intake', '/openapi.json'].map((path) => [path, 'http://127.0.0.1:8787']),
    ),
  },
});
