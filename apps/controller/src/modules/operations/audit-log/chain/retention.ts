import { AUDIT_SETTINGS } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import * as z from 'zod';
import { recordAudit } from '../../../../platform/audit/record-store.ts';
import type { JobType } from '../../../../platform/jobs/index.ts';
import type { Settings } from '../../../../platform/settings/index.ts';
import { NO_PROJECT } from './canonical.ts';
import { readTails } from './chain-store.ts';
import { findPruneEnd, pruneTo } from './prune-store.ts';
import type { HeadSigner } from './signer.ts';

const DAY_MS = 86_400_000;

export interface PruneDeps {
  readonly db: Db;
  readonly signer: HeadSigner;
}

/** Prunes every chain up to what was sealed before `before` and is not held. Returns the number of deleted entries. */
export async function pruneChains(
  { db, signer }: PruneDeps,
  { before, now, signal }: { readonly before: Date; readonly now: Date; readonly signal?: AbortSignal },
): Promise<number> {
  let gone = 0;
  for (const projectKey of (await readTails(db)).keys()) {
    for (;;) {
      if (signal?.aborted) return gone;
      const end = await findPruneEnd(db, projectKey, before);
      if (!end) break;
      const signature = signer.sign({ projectKey, at: now, ...end }, 'base');
      gone += await db.transaction().execute(async (tx) => {
        const entries = await pruneTo(tx, { projectKey, end, at: now, keyId: signer.keyId, signature });
        await recordAudit(tx, {
          at: now,
          actor: { kind: 'system', id: null, name: 'controller' },
          actorRole: undefined,
          projectId: projectKey === NO_PROJECT ? undefined : projectKey,
          action: 'audit.prune',
          outcome: 'done',
          status: 200,
          subject: { type: 'audit', changes: { entries, up_to: end.seq, sealed_before: before.toISOString() } },
        });
        return entries;
      });
    }
  }
  return gone;
}

/** Deletes entries older than the retention in the settings document `audit`, every night. */
export function createRetentionJob(deps: PruneDeps & { settings: Settings }): JobType<Record<string, never>> {
  return {
    type: 'audit.prune',
    title: 'Takes entries out of the audit log that are older than they are kept',
    params: z.strictObject({}),
    route: null,
    lockKey: () => 'audit.prune',
    steps: [
      {
        name: 'prune',
        effects: 'repeatable',
        run: async ({ signal }) => {
          const { retention_days: days } = (await deps.settings.get(AUDIT_SETTINGS)).value;
          if (days === null) return { kind: 'no_work' };
          const now = new Date();
          const entries = await pruneChains(deps, { before: new Date(now.getTime() - days * DAY_MS), now, signal });
          return entries === 0 ? { kind: 'no_work' } : { kind: 'done', result: { entries } };
        },
      },
    ],
  };
}
