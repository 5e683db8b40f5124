import { openDatabase } from '@flotilla/db';
import { createSilentLogger } from '@flotilla/kit';
import { z } from 'zod';
import { Runner } from './runner.ts';
import { type Boundary, createWalk, die, leaveMark, PLAIN_SEALER } from './test-jobs.ts';
import { JobTypes } from './types.ts';

/** A worker as a process of its own, for tests that kill and stop it. Its order comes as JSON in the first argument. */
interface Order {
  readonly settings: { readonly host: string };
  readonly workerId: string;
  readonly boundary?: Boundary;
  readonly leaseMs: number;
}

const order = JSON.parse(process.argv[2] ?? '') as Order;
const database = openDatabase(order.settings, createSilentLogger(), { maxConnections: 4 });

class Types extends JobTypes {
  override all() {
    if (order.boundary === 'before the claim') die();
    return super.all();
  }
}

const types = new Types(PLAIN_SEALER);
types.register(createWalk(order.boundary));
types.register({
  type: 'test.sleeper',
  title: 'Says that it runs, waits to be told to go on, and writes',
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

let asked = 0;
const runner = new Runner({
  database,
  logger: createSilentLogger(),
  types,
  workerId: order.workerId,
  timing: { leaseMs: order.leaseMs, beatMs: order.leaseMs / 3, pollMs: 50 },
  authorize: async () => {
    asked += 1;
    // Asked before each step: the second time after the first one's end.
    if (order.boundary === 'after the claim') die();
    if (order.boundary === 'after its end' && asked === 3) die();
    return {};
  },
});
await runner.start();
process.stdout.write('ready\n');
