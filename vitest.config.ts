import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { routesPlugin } from './apps/web/build/routes-plugin.ts';
import { LongestFirst } from './packages/testkit/src/longest-first.ts';

/** Of tests with real programs, in a run of everything (scripts/test.mjs). None for who runs a test by hand. */
const retry = Number(process.env.FLOTILLA_TEST_RETRIES ?? 0);

/** More than most machines have cores: programs are waited for. */
const WORKERS = { real: 4, e2e: 3 };

/** Where programs that tests start leave what they have compiled: half of what a start from the sources costs. */
const COMPILED = fileURLToPath(new URL('./node_modules/.cache/flotilla-compiled', import.meta.url));

/** What comes within milliseconds is waited for as long as a machine that is busy with something else may need. */
const expect = { poll: { timeout: 10_000 } };

/**
 * Three projects, by what a test needs:
 * unit   pure code, many per second, two threads
 * real   a test that starts real programs (PostgreSQL, Envoy, the filter): `*.api.test.ts`, `*.real.test.ts`
 * e2e    whole-system stories
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
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
          maxWorkers: 2,
          // Far more than any takes: a machine that is busy with something else fails nothing.
          testTimeout: 60_000,
          expect,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'real',
          include: ['packages/*/src/**/*.{api,real}.test.ts', 'apps/*/src/**/*.{api,real}.test.ts'],
          globalSetup: ['packages/testkit/src/server.setup.ts'],
          env: { NODE_COMPILE_CACHE: COMPILED },
          pool: 'forks',
          // A process per worker: to load the programs again for every file took longer than most tests.
          isolate: false,
          maxWorkers: WORKERS.real,
          sequence: { groupOrder: 1 },
          retry,
          expect,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/src/**/*.test.ts'],
          globalSetup: ['e2e/src/build.setup.ts'],
          env: { NODE_COMPILE_CACHE: COMPILED },
          pool: 'forks',
          isolate: false,
          maxWorkers: WORKERS.e2e,
          // By themselves: a process that goes from one project to another is begun anew.
          sequence: { groupOrder: 2 },
          retry,
          expect,
          testTimeout: 180_000,
          hookTimeout: 240_000,
        },
      },
    ],
  },
});
