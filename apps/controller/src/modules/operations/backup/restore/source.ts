import { failBackup } from '@flotilla/contract';
import type { RequestContext } from '../../../../platform/http/context.ts';
import { type Bundle, readBundle } from '../bundle/read.ts';
import type { ExportDeps } from '../export.ts';
import type { Opening } from '../service.ts';
import type { BackupRecord } from '../store.ts';
import { applyBundle } from './apply.ts';
import type { Applied, ApplyDeps, ApplyOrder } from './applying.ts';
import type { RestoreTurns } from './restore-turns.ts';
import { untilAborted } from './store.ts';

export interface RestoreDeps extends ExportDeps, ApplyDeps {
  /** One bundle is held in memory at a time. */
  readonly turns: RestoreTurns;
}

/** How long a request waits for its turn. */
const WAIT_MS = 30_000;

/**
 * Reads a backup and works with its bundle. One bundle is held in memory at a time: a job waits for its turn until its signal
 * aborts, a request waits for half a minute and then throws backup.busy.
 */
export async function withBundle<T>(
  deps: RestoreDeps,
  { row, opening }: { readonly row: BackupRecord; readonly opening: Opening },
  work: (bundle: Bundle) => Promise<T>,
): Promise<T> {
  const { turns } = deps;
  const hasTurn = await (opening.signal
    ? turns.acquire(opening.signal)
    : turns.acquire(AbortSignal.timeout(WAIT_MS), row.project_id ?? ''));
  if (!hasTurn) {
    opening.signal?.throwIfAborted();
    throw failBackup('backup.busy');
  }
  try {
    return await work(await readBundle(deps, row, opening));
  } finally {
    turns.release();
  }
}

/** Thrown to roll back a dry run. */
class RolledBack extends Error {}

interface DryRun extends ApplyOrder {
  /** Aborts the dry run, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Applies the bundle and rolls everything back, so that a dry run refuses everything that the restore would refuse. */
export async function dryRun(deps: ApplyDeps, ctx: RequestContext, { signal, ...order }: DryRun): Promise<Applied> {
  let applied: Applied | undefined;
  try {
    await ctx.db.transaction().execute(async (whole) => {
      applied = await applyBundle(deps, ctx, signal ? untilAborted(whole, signal) : whole, order);
      throw new RolledBack();
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
  if (!applied) throw new Error('the dry run has no result');
  return applied;
}
