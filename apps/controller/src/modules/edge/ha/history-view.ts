import type { HaRoleChange } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { deriveHistory } from './history.ts';
import { listChanges, listClockOffsets, listTerms } from './history-store.ts';
import { isActive, type PairState } from './model.ts';
import { listFresh } from './status.ts';

const LISTED_DEFAULT = 100;
/** A take-over is checked by what its members did before and after it. */
const BESIDE = 200;

export async function readHistory(
  db: Db,
  pair: PairState,
  { limit = LISTED_DEFAULT, now }: { limit?: number | undefined; now: Date },
): Promise<HaRoleChange[]> {
  const changes = await listChanges(db, pair.id, limit + BESIDE);
  const terms = await listTerms(db, pair.id);
  const clientIds = [...new Set([...changes, ...terms].map(({ clientId }) => clientId))];
  const held = listFresh(pair, now)
    .filter(isActive)
    .map(({ clientId, report, reportedAt = now }) => ({ clientId, epoch: report.epoch, at: reportedAt }));
  const offsets = await listClockOffsets(db, clientIds);
  return deriveHistory({ changes, terms, held, boundMs: findBound(pair), offsets }).slice(0, limit);
}

/** As the members report it. They compute it like this from the heartbeats: lease and two dead times. */
function findBound({ members, intervalMs, misses }: PairState): number {
  const reported = members.flatMap(({ report }) => (report && report.bound_ms > 0 ? [report.bound_ms] : []));
  if (reported.length > 0) return Math.max(...reported);
  const deadMs = intervalMs * misses;
  return Math.max(2000, Math.ceil((2 * deadMs) / 1000) * 1000) + 2 * deadMs;
}
