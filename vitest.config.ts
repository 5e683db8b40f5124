import { defineConfig } from 'vitest/config';
import { routesPlugin } from './apps/web/build/routes-plugin.ts';

/** Of tests with real programs, in a run of everything (scripts/test.mjs). None for who runs a test by hand. */
const retry = Number(process.env.FLOTILLA_TEST_RETRIES ?? 0);

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
          // Far more than any takes: a machine that is busy with something else fails nothing.
          testTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'real',
          include: ['packages/*/src/**/*.{api,real}.test.ts', 'apps/*/src/**/*.{api,real}.test.ts'],
          pool: 'forks',
          // More than cores: they wait for programs half of the time.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
          retry,
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
          // Each stage has a fleet of its own.
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
          retry,
          testTimeout: 180_000,
          hookTimeout: 240_000,
        },
      },
    ],
  },
});
