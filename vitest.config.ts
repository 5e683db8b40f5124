import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { bodiesPlugin } from './apps/web/build/bodies-plugin.ts';
import { policyPlugin } from './apps/web/build/policy-plugin.ts';
import { routesPlugin } from './apps/web/build/routes-plugin.ts';
import { LongestFirst } from './packages/testkit/src/longest-first.ts';

/** More than most machines have cores: programs are waited for. */
const WORKERS = { real: 4, e2e: 3 };

/** Where programs that tests start leave what they have compiled: half of what a start from the sources costs. */
const COMPILED = fileURLToPath(new URL('./node_modules/.cache/flotilla-compiled', import.meta.url));

/** Agents that tests start ask no metadata service. */
const env = { NODE_COMPILE_CACHE: COMPILED, SVC_AGENT_CLOUD_DETECTION: 'off' };

/** Conditions usually hold within milliseconds. A busy machine may need a minute. */
const expect = { poll: { timeout: 90_000 } };
/** It gives `vi.waitFor` the same time. */
const setupFiles = ['packages/testkit/src/waiting.setup.ts'];
/** It fixes the random inputs of the commit tier. */
const unitSetupFiles = [...setupFiles, 'packages/testkit/src/random.setup.ts'];

/** `npm test` sets the tier to `commit` (scripts/test.mjs). A full test that is started by hand runs. */
const leftOut = process.env.FLOTILLA_TEST_TIER === 'commit' ? ['**/*.full.test.ts'] : [];

/**
 * Four projects, by what a test needs:
 * unit   pure code, many per second, two threads
 * real   a test that starts real programs (PostgreSQL, Envoy, the filter): `*.api.test.ts`, `*.real.test.ts`
 * loop   measurements of the controller's event loop: `*.loop.full.test.ts`
 * e2e    whole-system stories
 * Files named `*.full.test.ts` belong to the full tier; `npm test` leaves them out (docs/guides/tests.md).
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Programs and databases are stopped then.
    teardownTimeout: 120_000,
    projects: [
      {
        // Modules that the build of the screens creates.
        plugins: [routesPlugin(), bodiesPlugin(), policyPlugin()],
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts'],
          exclude: ['**/*.{api,real,full}.test.ts'],
          pool: 'threads',
          isolate: false,
          maxWorkers: 2,
          // Far more than any takes: a machine that is busy with something else fails nothing.
          testTimeout: 120_000,
          expect,
          setupFiles: unitSetupFiles,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'real',
          include: ['{packages,apps}/*/src/**/*.{api,real,full}.test.ts'],
          exclude: ['**/*.loop.full.test.ts', ...leftOut],
          globalSetup: ['packages/testkit/src/server.setup.ts'],
          env,
          pool: 'forks',
          // A process per worker: to load the programs again for every file took longer than most tests.
          isolate: false,
          maxWorkers: WORKERS.real,
          sequence: { groupOrder: 1 },
          expect,
          setupFiles,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'loop',
          include: ['apps/controller/src/**/*.loop.full.test.ts'],
          exclude: leftOut,
          globalSetup: ['packages/testkit/src/server.setup.ts'],
          env,
          pool: 'forks',
          // A process per file, one at a time: garbage of other tests would be measured too.
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
          expect,
          setupFiles,
          testTimeout: 180_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/src/**/*.test.ts'],
          exclude: leftOut,
          globalSetup: ['e2e/src/run.setup.ts'],
          env,
          pool: 'forks',
          isolate: false,
          maxWorkers: WORKERS.e2e,
          // By themselves: a process that goes from one project to another is started again.
          sequence: { groupOrder: 3 },
          expect,
          setupFiles,
          // Some visit every screen.
          testTimeout: 600_000,
          hookTimeout: 240_000,
        },
      },
    ],
  },
});
