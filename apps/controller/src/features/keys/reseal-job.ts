import { keyRoutes } from '@flotilla/contract';
import * as z from 'zod';
import type { JobType, StepContext, StepResult } from '../jobs/index.ts';
import type { InstallationKeyring } from '../keyring/index.ts';
import { type Place, resealBatch, retireKeys } from './reseal-store.ts';
import { type Reseal, SEALED_PLACES } from './sealed-places.ts';

const paramsSchema = z.strictObject({ to: z.int().positive() });
export type ResealParams = z.infer<typeof paramsSchema>;

/** From the moment that a new key seals until the ones of before may go: writes that were begun before have ended. */
const RETIRE_AFTER_MS = 5000;
const LOOK_AGAIN_MS = 250;

/**
 * Seals every secret anew with data key `to`, then takes the older keys away. A batch is a transaction that leaves each row
 * sealed with the one key or the other, so it may be cut off anywhere and go on by whoever comes next.
 */
export function createResealJob(keyring: InstallationKeyring): JobType<ResealParams> {
  return {
    type: 'keys.reseal',
    title: 'Seals all secrets with the newest key',
    params: paramsSchema,
    route: keyRoutes.rotate,
    lockKey: () => 'keys',
    about: ({ to }) => ({ type: 'key', name: `${to}` }),
    steps: [
      { name: 'reseal', effects: 'database', run: (ctx) => resealAll(ctx, keyring) },
      { name: 'retire', effects: 'database', run: (ctx) => retire(ctx, keyring) },
    ],
  };
}

async function resealAll(ctx: StepContext<ResealParams>, keyring: InstallationKeyring): Promise<StepResult> {
  await keyring.refresh();
  if (keyring.sealsWith < ctx.params.to) return { kind: 'again', afterMs: LOOK_AGAIN_MS };
  return { kind: 'done', result: { values: await reseal(ctx, keyring) } };
}

async function retire(ctx: StepContext<ResealParams>, keyring: InstallationKeyring): Promise<StepResult> {
  const order = { keyId: ctx.params.to, afterMs: RETIRE_AFTER_MS };
  const outcome = await ctx.write((tx) => retireKeys(tx, SEALED_PLACES, order));
  if (outcome === 'gone') return { kind: 'done' };
  // Others sealed with the key of before while we went through, or had rows locked.
  if (outcome === 'in_use') await reseal(ctx, keyring);
  return { kind: 'again', afterMs: LOOK_AGAIN_MS };
}

/** Returns how many rows were sealed anew. */
async function reseal(ctx: StepContext<ResealParams>, keyring: InstallationKeyring): Promise<number> {
  const again: Reseal = (sealed, context) => keyring.seal(keyring.unseal(sealed, context), context);
  let count = 0;
  for (const [i, place] of SEALED_PLACES.entries()) {
    let after: Place | undefined;
    do {
      ctx.signal.throwIfAborted();
      const from = after;
      const batch = await ctx.write((tx) =>
        resealBatch(tx, place, { keyId: ctx.params.to, after: from, reseal: again }),
      );
      count += batch.count;
      after = batch.next;
    } while (after);
    await ctx.progress(i + 1, SEALED_PLACES.length);
  }
  return count;
}
