import type { Tx } from '@flotilla/db';
import { z } from 'zod';
import type { JobActor, JobType, StepResult } from './model.ts';
import type { ParamsSealer } from './types.ts';

/** Where a worker of the tests dies, by its own hand, as if by `kill -9`. */
export const BOUNDARIES = [
  'before the claim',
  'after the claim',
  'in the step',
  'after its write',
  'before its end',
  'after its end',
] as const;
export type Boundary = (typeof BOUNDARIES)[number];

export const SYSTEM: JobActor = { kind: 'system', id: null, name: 'test' };

/** For tests without secrets. */
export const PLAIN_SEALER: ParamsSealer = { seal: (text) => text, unseal: (text) => text };

export function die(): never {
  process.kill(process.pid, 'SIGKILL');
  // The signal is delivered before anything else runs.
  for (;;);
}

const walkParams = z.object({ name: z.string() });
export type WalkParams = z.infer<typeof walkParams>;

/** Leaves a row for each time that something of it was really written. */
export async function leaveMark(tx: Tx, mark: string): Promise<void> {
  await tx
    .insertInto('outbox')
    .values({ topic: 'test.mark', payload: JSON.stringify({ mark }), at: new Date() })
    .execute();
}

/** Two steps: the first writes on its way, the second as it ends. Dies at `boundary` of the second one. */
export function createWalk(boundary?: Boundary, effects: 'database' | 'once' = 'database'): JobType<WalkParams> {
  return {
    type: 'test.walk',
    title: 'A walk of two steps',
    params: walkParams,
    route: null,
    steps: [
      {
        name: 'first',
        effects: 'database',
        run: async (ctx) => {
          await ctx.write((tx) => leaveMark(tx, `${ctx.params.name} first`));
          return { kind: 'done', result: { seen: ctx.params.name } };
        },
      },
      {
        name: 'second',
        effects,
        run: async (ctx) => {
          if (boundary === 'in the step') die();
          await ctx.write((tx) => leaveMark(tx, `${ctx.params.name} on the way`));
          if (boundary === 'after its write') die();
          const whole: StepResult = { kind: 'done', write: (tx) => leaveMark(tx, `${ctx.params.name} second`) };
          if (boundary !== 'before its end') return whole;
          return {
            ...whole,
            write: async (tx) => {
              await leaveMark(tx, `${ctx.params.name} second`);
              die();
            },
          };
        },
      },
      { name: 'third', effects: 'once', run: async (ctx) => ({ kind: 'done', result: ctx.results }) },
    ],
  };
}
