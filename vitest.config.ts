import { defineConfig } from 'vitest/config';
import { routesPlugin } from './apps/web/build/routes-plugin.ts';

/**
 * Three projects, by what a test needs:
 * unit   pure code, many per second, one process
 * real   a test that starts real programs (PostgreSQL, Envoy, the filter): `*.api.test.ts`, `*.real.test.ts`
 * e2e    whole-system stories
 */
export default defineConfig({
  test: {
    projects: [
      {
        // The screens' routes are made by their build.
        plugins: [routesPlugin()],
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts'],
          exclude: ['**/*.api.test.ts', '**/*.real.test.ts'],
          pool: 'threads',
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'real',
          include: ['packages/*/src/**/*.{api,real}.test.ts', 'apps/*/src/**/*.{api,real}.test.ts'],
          pool: 'forks',
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/src/**/*.test.ts'],
          globalSetup: ['e2e/src/build.setup.ts'],
          pool: 'forks',
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
          testTimeout: 180_000,
          hookTimeout: 240_000,
        },
      },
    ],
  },
});
