import { failHa, HA_HEARTBEAT_DEFAULT, type haRoutes } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import type * as z from 'zod';
import { actorName, type RequestContext, type WriteOutcome } from '../../../platform/http/context.ts';
import type { Cipher } from '../../../platform/keyring/cipher.ts';
import { type Candidate, lockCandidates, lockServicesOf } from './candidate-store.ts';
import {
  checkClients,
  checkDistinct,
  checkFenceTargets,
  checkHeartbeat,
  checkInterfaces,
  checkLists,
  checkOverride,
  checkPriorities,
} from './checks.ts';
import { failDisabled, findDisabledReason } from './eligibility.ts';
import { giveMembers } from './give.ts';
import { createKeys, sealKeys } from './keys.ts';
import { findServiceNames, insertMembers, listMembers, listPairServices } from './member-store.ts';
import { fillVacancy, insertPair, lockPair, type Stamp, toPair } from './pair-store.ts';
import type { Rotations } from './rotation.ts';
import { readPairs } from './state-store.ts';
import { noteMemberJoined } from './sync/index.ts';
import { toPairView } from './views.ts';

export type CreateBody = z.output<typeof haRoutes.create.body & {}>;
export type AddMemberBody = z.output<typeof haRoutes.addMember.body & {}>;

/** Between the priorities of a pair that names only one. */
const PRIORITY_STEP = 100;

export const stampOf = (ctx: RequestContext): Stamp => ({ at: ctx.now, by: actorName(ctx) });

/** Checks before the transaction what the body alone decides. */
export function checkNewPair({ members, hb = {}, ...lists }: CreateBody): void {
  checkHeartbeat(hb);
  checkPriorities(members.map(({ priority }) => priority));
  checkClients(members.map(({ client_id: id }) => id.toLowerCase()));
  checkLists(lists);
  for (const { data_override: address } of members) checkOverride('data_override', address);
}

export async function createPair(tx: Tx, ctx: RequestContext, cipher: Cipher, body: CreateBody): Promise<WriteOutcome> {
  const id = createId(ctx.now.getTime());
  const projectId = ctx.project.id;
  const { members, name, hb = {} } = body;
  const fenceTargets = body.fence_targets ?? [];
  const joining = await lockJoining(tx, ctx, members, { isServing: false });
  if (joining.length === 2 && joining.every(({ client }) => client.serviceCount > 0)) throw failHa('ha.both_loaded');
  const addresses = joining.map(({ client, override }) => override ?? client.found?.data.address);
  checkDistinct(addresses);
  checkFenceTargets(fenceTargets, ownAddresses(joining));
  await insertPair(
    tx,
    {
      id,
      projectId,
      name,
      intervalMs: hb.interval_ms ?? HA_HEARTBEAT_DEFAULT.interval_ms,
      misses: hb.misses ?? HA_HEARTBEAT_DEFAULT.misses,
      fenceTargets,
      nextHops: body.next_hops ?? [],
      preempt: body.preempt ?? false,
      sealedKeys: sealKeys(cipher, id, createKeys()),
      vacancyPriority: members.length === 1 ? suggestPriority(members[0]?.priority ?? PRIORITY_STEP) : null,
    },
    stampOf(ctx),
  );
  await insertMembers(
    tx,
    joining.map(({ client, priority, override }, i) => ({
      pairId: id,
      clientId: client.id,
      slot: i === 0 ? 0 : 1,
      priority,
      dataOverride: override,
    })),
  );
  // The only member may owe something, too: the permission of a cloud to use the addresses.
  const owing = joining.length === 1 ? joining[0] : joining.find(({ client }) => client.serviceCount === 0);
  if (owing) await noteMemberJoined(tx, { pairId: id, clientId: owing.client.id, now: ctx.now });
  return settle(tx, ctx, { id, projectId, name, changes: describeNew(body) });
}

/** Fills the vacant slot. */
export async function addMember(
  tx: Tx,
  ctx: RequestContext,
  rotations: Pick<Rotations, 'replace'>,
  { pairId, body }: { readonly pairId: string; readonly body: AddMemberBody },
): Promise<WriteOutcome> {
  checkPriorities([body.priority]);
  const row = await requirePair(tx, ctx, pairId);
  const present = await listMembers(tx, row.id);
  const { vacancy, ...pair } = toPair(
    row,
    present.map(({ slot }) => slot),
  );
  if (!vacancy) throw failHa('ha.no_vacancy');
  checkPriorities([...present.map(({ priority }) => priority), body.priority]);
  const services = await listPairServices(tx, [row.id]);
  const [joining] = await lockJoining(tx, ctx, [body], {
    isServing: services.length > 0,
    beside: present.map(({ clientId }) => clientId),
  });
  if (!joining) throw failHa('ha.client_not_found');
  checkDistinct([
    ...present.map((member) => member.dataOverride ?? member.found?.data.address),
    joining.client.found?.data.address,
  ]);
  checkFenceTargets(pair.fenceTargets, ownAddresses([joining]));
  const clientId = joining.client.id;
  const { interfaces = {} } = body;
  checkInterfaces(interfaces, await findServiceNames(tx, pair.projectId, Object.keys(interfaces)));
  await insertMembers(tx, [{ pairId: row.id, clientId, slot: vacancy.slot, priority: body.priority, interfaces }]);
  await fillVacancy(tx, row.id, stampOf(ctx));
  await rotations.replace(tx, row);
  // A pair without services takes over those of the client that joins.
  const source = services.length > 0 || joining.client.serviceCount === 0 ? clientId : present[0]?.clientId;
  if (source) await noteMemberJoined(tx, { pairId: row.id, clientId: source, now: ctx.now });
  const { id, projectId, name } = pair;
  return settle(tx, ctx, { id, projectId, name, changes: { ...body, name: joining.client.name } });
}

interface Joining {
  readonly client: Candidate;
  readonly priority: number;
  readonly override: string | undefined;
}

/** Locks the clients of new members, and the services of the whole pair. Throws unless all of them may join. */
async function lockJoining(
  tx: Tx,
  ctx: RequestContext,
  wanted: ReadonlyArray<{ client_id: string; priority: number; data_override?: string | undefined }>,
  { isServing, beside = [] }: { isServing: boolean; beside?: readonly string[] },
): Promise<Joining[]> {
  const ids = wanted.map(({ client_id: id }) => id.toLowerCase());
  await lockServicesOf(tx, [...ids, ...beside]);
  const found = await lockCandidates(tx, ctx.project.id, ids);
  const joining = wanted.map(({ client_id: id, priority, data_override: override }) => {
    const client = found.get(id.toLowerCase());
    if (!client) throw failHa('ha.client_not_found', {}, { extra: { client_id: id } });
    return { client, priority, override };
  });
  for (const { client, override } of joining) {
    const reason = findDisabledReason(client, { isServing, hasOverride: override !== undefined });
    if (reason) throw failDisabled(reason, client);
  }
  return joining;
}

function ownAddresses(joining: readonly Joining[]): string[] {
  return joining.flatMap(({ client, override }) =>
    [override ?? client.found?.data.address, client.found?.mgmt?.address].filter((address) => address !== undefined),
  );
}

/** Locks the pair. Throws ha.not_found, also for a pair of another project. */
export async function requirePair(tx: Tx, ctx: RequestContext, pairId: string) {
  const row = await lockPair(tx, { id: pairId, projectId: ctx.project.id });
  if (!row) throw failHa('ha.not_found');
  return row;
}

interface Settled {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly changes: unknown;
}

/** Sends the new revision to the members, and answers with the pair. */
export async function settle(
  tx: Tx,
  ctx: RequestContext,
  { id, projectId, name, changes }: Settled,
): Promise<WriteOutcome> {
  const members = await listMembers(tx, id);
  const clientIds = members.map(({ clientId }) => clientId);
  await giveMembers(tx, { id, projectId }, { clientIds, now: ctx.now });
  return { reply: { body: await readPairView(tx, ctx, id) }, audit: { type: 'ha_pair', id, name, changes } };
}

/** Throws ha.not_found. */
export async function readPairView(db: RequestContext['db'], ctx: RequestContext, pairId: string) {
  const [pair] = await readPairs(db, ctx.project.id, pairId);
  if (!pair) throw failHa('ha.not_found');
  return toPairView(pair, ctx.now);
}

function suggestPriority(priority: number): number {
  return priority > PRIORITY_STEP ? priority - PRIORITY_STEP : priority + PRIORITY_STEP;
}

function describeNew({ members, hb, fence_targets: fenceTargets, next_hops: nextHops, preempt }: CreateBody) {
  return { members, hb, fence_targets: fenceTargets, next_hops: nextHops, preempt };
}
