import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { bodiesPlugin } from './build/bodies-plugin.ts';
import { browserOnlyPlugin } from './build/browser-only-plugin.ts';
import { compressPlugin } from './build/compress-plugin.ts';
import { policyPlugin } from './build/policy-plugin.ts';
import { routesPlugin } from './build/routes-plugin.ts';

const root = fileURLToPath(new URL('.', import.meta.url));
const outDir = fileURLToPath(new URL('../../dist/web', import.meta.url));
/** The controller to which `vite dev` proxies API calls. */
const controller = process.env.FLOTILLA_CONTROLLER ?? 'http://127.0.0.1:8099';
const SHARED_LIBRARIES = /node_modules\/(?!@tanstack\/(?:react-)?(?:table|virtual))/;

export default defineConfig({
  plugins: [react(), routesPlugin(), bodiesPlugin(), policyPlugin(), browserOnlyPlugin(root), compressPlugin(outDir)],
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2023',
    // The page's policy allows no data: fonts or scripts.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 800,
    // One file of what most screens need of libraries: many small ones cost more in headers than they save. Tables are not on
    // the first screen.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'vendor', test: SHARED_LIBRARIES, minShareCount: 20 }] } },
    },
  },
  // The controller compares the page's origin with the host that it was asked by.
  server: { proxy: { '^/(api|auth)/': { target: controller, changeOrigin: false } } },
});
