import { failHa } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type { RequestContext, WriteOutcome } from '../../../platform/http/context.ts';
import type { FleetCommands } from './fleet-commands.ts';
import { giveMembers } from './give.ts';
import { isActive, type PairState } from './model.ts';
import { deletePair } from './pair-store.ts';
import { requirePair } from './service.ts';
import { readPairs } from './state-store.ts';
import { listFresh } from './status.ts';

/**
 * Deletes a pair without services. With force, its services stay on one member: the active one, or else the one with the higher
 * priority.
 */
export async function removePair(
  tx: Tx,
  ctx: RequestContext,
  commands: FleetCommands,
  { pairId, force }: { pairId: string; force: boolean },
): Promise<WriteOutcome> {
  const row = await requirePair(tx, ctx, pairId);
  const [pair] = await readPairs(tx, ctx.project.id, row.id);
  if (!pair) throw failHa('ha.not_found');
  const services = pair.services.map(({ id, name }) => ({ id, name }));
  if (services.length > 0 && !force) throw failHa('ha.has_services', {}, { extra: { services } });
  const keeper = services.length > 0 ? findKeeper(pair, ctx.now) : undefined;
  if (keeper) await undeployElsewhere(tx, ctx, commands, { pair, keeper });
  await giveMembers(tx, pair, { clientIds: pair.members.map(({ clientId }) => clientId), now: ctx.now });
  await deletePair(tx, pair.id);
  const changes = { members: pair.members.map(({ name }) => name), ...(keeper && { services, kept_on: keeper.name }) };
  return { reply: {}, audit: { type: 'ha_pair', id: pair.id, name: pair.name, changes } };
}

function findKeeper(pair: PairState, now: Date): PairState['members'][number] {
  if (pair.members.some(({ connected }) => !connected)) throw failHa('ha.member_offline');
  const active = listFresh(pair, now).filter(isActive);
  const [preferred] = pair.members.toSorted((a, b) => b.priority - a.priority);
  const keeper = (active.length === 1 ? active[0] : undefined) ?? preferred;
  if (!keeper) throw failHa('ha.not_found');
  return keeper;
}

/** A service that only the other member has stays there: its addresses must be served somewhere. */
async function undeployElsewhere(
  tx: Tx,
  ctx: RequestContext,
  commands: FleetCommands,
  { pair, keeper }: { pair: PairState; keeper: PairState['members'][number] },
): Promise<void> {
  const others = pair.members.filter(({ clientId }) => clientId !== keeper.clientId);
  const surplus = pair.services
    .filter(({ clientIds }) => clientIds.includes(keeper.clientId))
    .map(({ id, name, clientIds }) => ({
      service: { id, name },
      clients: others.flatMap(({ clientId }) => (clientIds.includes(clientId) ? [{ client_id: clientId }] : [])),
    }))
    .filter(({ clients }) => clients.length > 0)
    // Services are locked in the order of their ids, as everywhere.
    .toSorted((a, b) => a.service.id.localeCompare(b.service.id));
  for (const order of surplus) {
    const results = await commands.undeployWithin(tx, ctx, order);
    ctx.afterCommit(async () => commands.notify(results));
  }
}
