import { keyRoutes } from '@flotilla/contract';
import * as z from 'zod';
import type { JobType, StepContext, StepResult } from '../../../platform/jobs/index.ts';
import type { InstallationKeyring } from '../../../platform/keyring/index.ts';
import type { EncryptedPlace, Reencrypt } from './encrypted-places.ts';
import { type Place, reencryptBatch, retireKeys } from './reencrypt-store.ts';

const paramsSchema = z.strictObject({ to: z.int().positive() });
export type ReencryptParams = z.infer<typeof paramsSchema>;

interface ReencryptDeps {
  readonly keyring: InstallationKeyring;
  readonly places: readonly EncryptedPlace[];
}

/** Delay from the first use of a new key until the previous ones may be deleted; by then earlier writes have ended. */
const RETIRE_AFTER_MS = 5000;
const LOOK_AGAIN_MS = 250;

/**
 * Encrypts every secret again with data key `to` and deletes the older keys. Each batch is a transaction that leaves
 * every row readable, so the job may be interrupted anywhere and continued by another controller.
 */
export function createReencryptJob(deps: ReencryptDeps): JobType<ReencryptParams> {
  return {
    type: 'keys.reseal',
    title: 'Seals all secrets with the newest key',
    params: paramsSchema,
    route: keyRoutes.rotate,
    lockKey: () => 'keys',
    about: ({ to }) => ({ type: 'key', name: `${to}` }),
    steps: [
      { name: 'reseal', effects: 'database', run: (ctx) => reencryptAll(ctx, deps) },
      { name: 'retire', effects: 'database', run: (ctx) => retire(ctx, deps) },
    ],
  };
}

async function reencryptAll(ctx: StepContext<ReencryptParams>, deps: ReencryptDeps): Promise<StepResult> {
  const { keyring } = deps;
  await keyring.refresh();
  if (keyring.encryptsWith < ctx.params.to) return { kind: 'again', afterMs: LOOK_AGAIN_MS };
  return { kind: 'done', result: { values: await reencrypt(ctx, deps) } };
}

async function retire(ctx: StepContext<ReencryptParams>, deps: ReencryptDeps): Promise<StepResult> {
  const order = { keyId: ctx.params.to, afterMs: RETIRE_AFTER_MS };
  const outcome = await ctx.write((tx) => retireKeys(tx, deps.places, order));
  if (outcome === 'gone') return { kind: 'done' };
  // Concurrent writers have used the previous key, or had rows locked.
  if (outcome === 'in_use') await reencrypt(ctx, deps);
  return { kind: 'again', afterMs: LOOK_AGAIN_MS };
}

/** Returns the number of rows that were encrypted again. */
async function reencrypt(ctx: StepContext<ReencryptParams>, { keyring, places }: ReencryptDeps): Promise<number> {
  const again: Reencrypt = (sealed, context) => keyring.encrypt(keyring.decrypt(sealed, context), context);
  let count = 0;
  for (const [i, place] of places.entries()) {
    let after: Place | undefined;
    do {
      ctx.signal.throwIfAborted();
      const from = after;
      const batch = await ctx.write((tx) =>
        reencryptBatch(tx, place, { keyId: ctx.params.to, after: from, reencrypt: again }),
      );
      count += batch.count;
      after = batch.next;
    } while (after);
    await ctx.progress(i + 1, places.length);
  }
  return count;
}
