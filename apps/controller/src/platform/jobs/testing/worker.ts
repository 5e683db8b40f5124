import { flushCompileCache } from 'node:module';
import { openDatabase } from '@flotilla/db';
import { createSilentLogger } from '@flotilla/kit';
import * as z from 'zod';
import { Runner } from '../runner.ts';
import { leaveMark, PLAIN_CIPHER, SCENARIOS, type Scenario } from './jobs.ts';
import { type Kill, Killer } from './kill.ts';

/** A worker process for tests that kill or stop it. The first argument is its order as JSON. */
interface Order {
  readonly settings: { readonly host: string };
  readonly workerId: string;
  readonly leaseMs: number;
  /** The scenario that it runs besides the jobs below, and where it dies. */
  readonly scenario?: Scenario;
  readonly prefix?: string;
  readonly kill?: Kill;
}

const order = JSON.parse(process.argv[2] ?? '') as Order;
const database = openDatabase(order.settings, createSilentLogger(), { maxConnections: 4 });

const killer = new Killer(order.kill);
const types = killer.createTypes(PLAIN_CIPHER);
const listed = order.scenario ? SCENARIOS[order.scenario](order.prefix ?? 'test') : [];
for (const type of listed) types.register(killer.watchType(type));
types.register({
  type: 'test.sleeper',
  title: 'Says that it runs, waits for a signal, and writes',
  params: z.object({}),
  route: null,
  steps: [
    {
      name: 'sleep',
      effects: 'database',
      run: async (ctx) => {
        process.stdout.write('in the step\n');
        await new Promise((resolve) => process.stdin.once('data', resolve));
        const outcome = await ctx
          .write((tx) => leaveMark(tx, `slept ${order.workerId}`))
          .then(
            () => 'written',
            (error: Error) => error.name,
          );
        process.stdout.write(`${outcome}\n`);
        return { kind: 'done' };
      },
    },
  ],
});
types.register({
  type: 'test.brief',
  title: 'Holds its lease for a moment',
  params: z.object({}),
  route: null,
  isSmall: true,
  steps: [{ name: 'only', effects: 'repeatable', run: async () => ({ kind: 'done' }) }],
});

const runner = new Runner({
  database: {
    db: killer.watchDatabase(database.db),
    listen: (channel, listener) => database.listen(channel, listener),
    scoped: (scope) => database.scoped(scope),
  },
  logger: createSilentLogger(),
  types,
  workerId: order.workerId,
  timing: { leaseMs: order.leaseMs, beatMs: order.leaseMs / 3, pollMs: 50 },
  authorize: async () => ({}),
});
// A killed process would lose its compile cache.
flushCompileCache();
await runner.start();
process.stdout.write('ready\n');
