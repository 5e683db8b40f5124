/** How a program is bundled, for esbuild; tests and measurements bundle theirs the same way. */
export const PROGRAM_OPTIONS = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  logLevel: 'warning',
  // Native or optional parts of dependencies that we do not use.
  external: ['pg-native', '@duckdb/*'],
  // CommonJS dependencies call require() for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
};
