import { isDeepStrictEqual } from 'node:util';
import { failHa, type haRoutes } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type * as z from 'zod';
import type { RequestContext, WriteOutcome } from '../../../platform/http/context.ts';
import { requireReadOnly } from '../../../platform/http/read-only.ts';
import {
  checkClients,
  checkDistinct,
  checkFenceTargets,
  checkHeartbeat,
  checkLists,
  checkOverride,
  checkPriorities,
  failStranger,
  failUnchanged,
} from './checks.ts';
import { listMembers, updateMember } from './member-store.ts';
import { dataAddress, type Member, mgmtAddress, type Pair, type PairConfig } from './model.ts';
import { toPair, updatePair } from './pair-store.ts';
import type { Rotations } from './rotation.ts';
import { requirePair, settle, stampOf } from './service.ts';

export type UpdateBody = z.output<typeof haRoutes.update.body & {}>;

/** Checks before the transaction what the body alone decides. */
export function checkUpdate({ members, hb, ...lists }: UpdateBody): void {
  checkHeartbeat(hb ?? {});
  checkClients((members ?? []).map(({ client_id: id }) => id.toLowerCase()));
  for (const { priority, data_override: data, mgmt_override: mgmt } of members ?? []) {
    if (typeof priority === 'number') checkPriorities([priority]);
    checkOverride('data_override', data);
    checkOverride('mgmt_override', mgmt);
  }
  checkLists(lists);
}

/** Changes what the body names. Throws ha.invalid if that is how it is already. */
export async function changePair(
  tx: Tx,
  ctx: RequestContext,
  rotations: Pick<Rotations, 'start'>,
  { pairId, body }: { pairId: string; body: UpdateBody },
): Promise<WriteOutcome> {
  const row = await requirePair(tx, ctx, pairId);
  const before = await listMembers(tx, row.id);
  const pair = toPair(
    row,
    before.map(({ slot }) => slot),
  );
  const members = applyMembers(before, body.members ?? []);
  checkMembers(members);
  const config = applyConfig(pair, body);
  checkFenceTargets(
    config.fenceTargets,
    members.flatMap((member) => [dataAddress(member), mgmtAddress(member)].filter((address) => address !== undefined)),
  );
  const isSame = isDeepStrictEqual([config, members], [pickConfig(pair), before]);
  if (isSame && body.rotate_secret !== true) throw failUnchanged();
  for (const member of members) await updateMember(tx, member);
  await updatePair(tx, row.id, config, stampOf(ctx));
  if (body.rotate_secret === true) await rotations.start(tx, { row, members: before });
  const { id, projectId, name } = pair;
  return settle(tx, ctx, { id, projectId, name, changes: body });
}

function applyMembers(before: readonly Member[], changes: NonNullable<UpdateBody['members']>): Member[] {
  const wanted = new Map(changes.map((change) => [change.client_id.toLowerCase(), change]));
  const stranger = changes.find(({ client_id: id }) => !before.some(({ clientId }) => clientId === id.toLowerCase()));
  if (stranger) throw failStranger(stranger.client_id);
  for (const [i, { client_id: id, slot, name }] of changes.entries()) {
    const stored = before.find(({ clientId }) => clientId === id.toLowerCase());
    if (stored) requireReadOnly({ slot: slot ?? stored.slot, name: name ?? stored.name }, stored, `members[${i}].`);
  }
  return before.map((member) => {
    const change = wanted.get(member.clientId);
    if (!change) return member;
    return {
      ...member,
      priority: change.priority ?? member.priority,
      dataOverride: applyOverride(member.dataOverride, change.data_override),
      mgmtOverride: applyOverride(member.mgmtOverride, change.mgmt_override),
    };
  });
}

/** The empty text removes it; null and undefined leave it. */
function applyOverride(before: string | null, change: string | null | undefined): string | null {
  if (change === '') return null;
  return change ?? before;
}

function checkMembers(members: readonly Member[]): void {
  checkPriorities(members.map(({ priority }) => priority));
  const nowhere = members.find((member) => dataAddress(member) === undefined);
  if (nowhere) throw failHa('ha.no_address', {}, { extra: { client_id: nowhere.clientId } });
  checkDistinct(members.map(dataAddress));
  checkDistinct(members.map(mgmtAddress));
}

function applyConfig(
  pair: Pair,
  { name, hb, fence_targets: fenceTargets, next_hops: nextHops, preempt }: UpdateBody,
): PairConfig {
  return {
    name: name ?? pair.name,
    intervalMs: hb?.interval_ms ?? pair.intervalMs,
    misses: hb?.misses ?? pair.misses,
    fenceTargets: fenceTargets ?? pair.fenceTargets,
    nextHops: nextHops ?? pair.nextHops,
    preempt: preempt ?? pair.preempt,
  };
}

function pickConfig({ name, intervalMs, misses, fenceTargets, nextHops, preempt }: Pair): PairConfig {
  return { name, intervalMs, misses, fenceTargets, nextHops, preempt };
}
