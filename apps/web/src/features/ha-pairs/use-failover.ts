import type { HaPair, HaRoleChange } from '@flotilla/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call, routes } from '../../api/index.ts';
import { useWrite } from '../../ui/index.ts';
import { findActive, hasMoved, newestEpoch } from './model.ts';
import { listStale, useHistory, usePair, usePairPlace } from './use-pairs.ts';

/**
 * plan      nothing is sent
 * moving    the command is sent, or accepted and its effect is not reported yet
 * refused   the active member refuses; `force` may help
 * unknown   the active member did not answer; it may have handed over
 * failed    the request did not reach the active member
 * moved     the members report that another one is active
 */
export type FailoverPhase = 'plan' | 'moving' | 'refused' | 'unknown' | 'failed' | 'moved';

/** The pair before the command was sent. */
interface Start {
  readonly holder: string | undefined;
  readonly epoch: number;
}

interface Sent {
  readonly start: Start;
  readonly isAnswered: boolean;
  readonly error?: unknown;
}

const NEWEST = 20;

/** Sends a failover and follows what the members report. */
export function useFailover(opened: HaPair) {
  const [sent, setSent] = useState<Sent>();
  const write = useWrite();
  const place = usePairPlace(opened);
  const isWatched = sent !== undefined;
  const pair = usePair(opened.id, { isWatched }).data?.body ?? opened;
  const history = useHistory(opened.id, { isWatched, limit: NEWEST }).data?.body.items ?? [];
  const check = useQuery({
    queryKey: ['ha-failover-check', opened.id, pair.status],
    queryFn: async () => {
      await call(routes.ha.failover, { ...place, query: { ...place.query, dry_run: 'true' }, body: {} });
      return true;
    },
    staleTime: 0,
    gcTime: 0,
    retry: false,
    enabled: !isWatched,
  });
  const send = async (force: boolean) => {
    const start = { holder: findActive(pair)?.client_id, epoch: newestEpoch(pair) };
    setSent({ start, isAnswered: false });
    try {
      await write(routes.ha.failover, { ...place, body: { force } }, { stale: listStale() });
      setSent({ start, isAnswered: true });
    } catch (error) {
      setSent({ start, isAnswered: true, error });
    }
  };
  return {
    pair,
    check,
    error: sent?.error,
    isAnswered: sent?.isAnswered ?? false,
    phase: phaseOf(pair, sent),
    takeover: sent && findTakeover(history, sent.start),
    send,
    reset: () => setSent(undefined),
  };
}

function phaseOf(pair: HaPair, sent: Sent | undefined): FailoverPhase {
  if (!sent) return 'plan';
  if (hasMoved(pair, sent.start.holder) && newestEpoch(pair) > sent.start.epoch) return 'moved';
  if (sent.error === undefined) return 'moving';
  if (!(sent.error instanceof ApiError)) return 'unknown';
  if (sent.error.code === 'ha.no_answer') return 'unknown';
  return sent.error.code === 'ha.refused' ? 'refused' : 'failed';
}

/** The take-over of this failover, not of an earlier one. */
function findTakeover(history: readonly HaRoleChange[], start: Start): HaRoleChange | undefined {
  return history.find(
    ({ role, epoch, failover }) => role === 'active' && epoch > start.epoch && failover !== undefined,
  );
}
