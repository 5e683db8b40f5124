import type { Tx } from '@flotilla/db';
import * as z from 'zod';
import type { Cipher } from '../../keyring/cipher.ts';
import type { JobActor, JobStep, JobType, StepContext, StepResult } from '../model.ts';

export const SYSTEM: JobActor = { kind: 'system', id: null, name: 'test' };

/** For tests without secrets. */
export const PLAIN_CIPHER: Cipher = { encrypt: (text) => text, decrypt: (text) => text };

const namedParams = z.object({ name: z.string() });
export type NamedParams = z.infer<typeof namedParams>;
export type NamedType = JobType<NamedParams>;

/** Inserts a row, so that a test can count how often a step was committed. */
export async function leaveMark(tx: Tx, mark: string): Promise<void> {
  await tx
    .insertInto('outbox')
    .values({ topic: 'test.mark', payload: JSON.stringify({ mark }), at: new Date() })
    .execute();
}

type Context = StepContext<NamedParams>;

/** Creates a step that leaves a mark each time it runs and then returns `next`. */
function createStep(
  name: string,
  next: (ctx: Context) => Promise<StepResult> | StepResult,
  effects: JobStep<NamedParams>['effects'] = 'database',
): JobStep<NamedParams> {
  return {
    name,
    effects,
    run: async (ctx) => {
      await ctx.write((tx) => leaveMark(tx, `${ctx.params.name} ${name} worked`));
      return next(ctx);
    },
  };
}

/** The mark is part of the transaction that ends the step. */
const endsWith =
  (name: string) =>
  (ctx: Context): StepResult => ({ kind: 'done', write: (tx) => leaveMark(tx, `${ctx.params.name} ${name} ended`) });

const describeType = (type: string, steps: NamedType['steps']): NamedType => ({
  type,
  title: type,
  params: namedParams,
  route: null,
  steps,
});

/** Three steps; the last one must not be done twice. */
export function createWalk(prefix = 'test'): NamedType {
  return describeType(`${prefix}.walk`, [
    createStep('first', endsWith('first')),
    createStep('second', endsWith('second')),
    createStep('third', endsWith('third'), 'once'),
  ]);
}

/** Polls twice before it finishes. */
function createPoll(prefix: string): NamedType {
  const type = `${prefix}.poll`;
  const look = async (ctx: Context): Promise<StepResult> => {
    const waited = await ctx.write((tx) =>
      tx
        .selectFrom('job_events')
        .innerJoin('jobs', 'jobs.id', 'job_events.job_id')
        .select('seq')
        .where('type', '=', type)
        .where('kind', '=', 'step.waits')
        .execute(),
    );
    return waited.length === 0 ? { kind: 'again', afterMs: 20 } : endsWith('look')(ctx);
  };
  return describeType(type, [createStep('look', look), createStep('last', endsWith('last'))]);
}

const createSmall = (prefix: string): NamedType => ({
  ...describeType(`${prefix}.small`, [createStep('only', () => ({ kind: 'done' }), 'repeatable')]),
  isSmall: true,
});

/** Spawns children of two types in two calls, and waits for them in its first or its last step. */
function createFamily(prefix: string, waitsLast: boolean): [NamedType, ...NamedType[]] {
  const small = createSmall(prefix);
  const long = describeType(`${prefix}.long`, [createStep('only', endsWith('only'))]);
  const orderOf = (ctx: Context, key: string) => ({ key, params: { name: `${ctx.params.name} ${key}` } });
  const plan = createStep('plan', async (ctx) => {
    await ctx.spawn(small, [orderOf(ctx, 'a'), orderOf(ctx, 'b')]);
    await ctx.spawn(long, [orderOf(ctx, 'c')]);
    return { kind: 'wait_for_children' };
  });
  const gather = createStep('gather', async (ctx) => {
    const ended = (await ctx.children()).map(({ status }) => status).join();
    return { kind: 'done', write: (tx) => leaveMark(tx, `${ctx.params.name} gather ended ${ended}`) };
  });
  return [describeType(`${prefix}.family`, waitsLast ? [plan] : [plan, gather]), small, long];
}

/** The job types of a scenario; the test starts jobs of the first one. `prefix` separates tests. */
export const SCENARIOS = {
  walk: (prefix) => [createWalk(prefix)],
  poll: (prefix) => [createPoll(prefix)],
  family: (prefix) => createFamily(prefix, false),
  'family at the end': (prefix) => createFamily(prefix, true),
  small: (prefix) => [createSmall(prefix)],
} as const satisfies Record<string, (prefix: string) => [NamedType, ...NamedType[]]>;
export type Scenario = keyof typeof SCENARIOS;
