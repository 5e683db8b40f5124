import type { Tx } from '@flotilla/db';
import { sql } from 'kysely';
import type { RolloutTarget } from './model.ts';

/** The clients to which a wave was sent, with the current state of their commands. */
export async function listTargets(tx: Tx, jobId: string): Promise<RolloutTarget[]> {
  const { rows } = await sql<RolloutTarget>`
    select client_id, wave, sent_at, settled_at, refusal, coalesce((
        select jsonb_agg(jsonb_build_object('id', id, 'status', status, 'error', error_message))
        from commands where id = any(command_ids)), '[]') as commands
    from command_rollout_targets where job_id = ${jobId}`.execute(tx);
  return rows;
}

interface SentTarget {
  readonly client_id: string;
  readonly command_ids: readonly string[];
  readonly refusal: string | null;
}

export async function insertWave(
  tx: Tx,
  { jobId, wave, sentAt }: { readonly jobId: string; readonly wave: number; readonly sentAt: Date },
  targets: readonly SentTarget[],
): Promise<void> {
  const shared = { job_id: jobId, wave, sent_at: sentAt, settled_at: null };
  await tx
    .insertInto('command_rollout_targets')
    .values(targets.map(({ command_ids, ...target }) => ({ ...shared, ...target, command_ids: [...command_ids] })))
    .execute();
}

export async function settleWave(tx: Tx, key: { jobId: string; wave: number }, now: Date): Promise<void> {
  await tx
    .updateTable('command_rollout_targets')
    .set({ settled_at: now })
    .where('job_id', '=', key.jobId)
    .where('wave', '=', key.wave)
    .execute();
}
