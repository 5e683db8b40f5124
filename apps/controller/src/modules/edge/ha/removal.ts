import { failHa } from '@flotilla/contract';
import type { PairRemoval } from '../../fleet/public.ts';
import { announceChange } from './events.ts';
import { deleteMember, findMembership, listMembers } from './member-store.ts';
import { deletePair, lockPair, openVacancy } from './pair-store.ts';

/** Lets a client that is removed leave its pair. The pair is locked before services and clients, as everywhere. */
export const pairRemoval: PairRemoval = {
  async lockPair(tx, { clientId, force }) {
    const membership = await findMembership(tx, clientId);
    if (!membership) return undefined;
    if (!force) throw failHa('ha.client_is_member');
    await lockPair(tx, { id: membership.pairId, projectId: membership.projectId });
    return membership.pairId;
  },

  async leavePair(tx, { clientId, pairId, now, by }) {
    const membership = await findMembership(tx, clientId);
    if (!membership) return;
    const { projectId, priority } = membership;
    if (membership.pairId !== pairId) throw failHa('ha.client_is_member');
    await deleteMember(tx, clientId);
    const remaining = await listMembers(tx, pairId);
    if (remaining.length === 0) await deletePair(tx, pairId);
    else await openVacancy(tx, pairId, { priority, reason: 'force_delete' }, { at: now, by });
    // The remaining member is not locked here: it reads that its peer is gone, which gives it the next revision.
    const clientIds = remaining.map((member) => member.clientId);
    await announceChange(tx, { id: pairId, projectId }, { clientIds, now });
  },
};
