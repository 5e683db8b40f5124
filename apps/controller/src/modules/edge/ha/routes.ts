import { failHa, haRoutes } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { Reply, RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { Cipher } from '../../../platform/keyring/cipher.ts';
import { listCandidates } from './candidate-store.ts';
import { removePair } from './deletion.ts';
import { toEligible } from './eligibility.ts';
import type { FleetCommands } from './fleet-commands.ts';
import { readHistory } from './history-view.ts';
import type { PairState } from './model.ts';
import { failOver, setMaintenance } from './orders.ts';
import type { Rotations } from './rotation.ts';
import { addMember, checkNewPair, createPair, readPairView, requirePair, settle } from './service.ts';
import { listPairedServices } from './services.ts';
import { readPairs } from './state-store.ts';
import { listPending, retryNow } from './sync/index.ts';
import { changePair, checkUpdate } from './update.ts';
import { toPairView } from './views.ts';

export interface HaRouteDeps {
  readonly db: Db;
  readonly cipher: Cipher;
  readonly commands: FleetCommands;
  readonly rotations: Pick<Rotations, 'start' | 'replace'>;
}

export function createHaRoutes(deps: HaRouteDeps): Route[] {
  return [...createReads(), ...createWrites(deps), ...createOrders(deps)];
}

const listed = (items: readonly unknown[]): Reply => ({ body: { items, next_cursor: null } });

function createReads(): Route[] {
  return [
    implement(haRoutes.list, async (ctx) => {
      const pairs = await readPairs(ctx.db, ctx.project.id);
      return listed(pairs.map((pair) => toPairView(pair, ctx.now)));
    }),
    implement(haRoutes.eligible, async (ctx, { query }) => {
      const pair = query.for_pair === undefined ? undefined : await findPair(ctx, query.for_pair);
      const isServing = (pair?.services.length ?? 0) > 0;
      const candidates = await listCandidates(ctx.db, ctx.project.id);
      return listed(candidates.map((candidate) => toEligible(candidate, isServing)));
    }),
    implement(haRoutes.read, async (ctx, { params }) => ({ body: await readPairView(ctx.db, ctx, params.pair_id) })),
    implement(haRoutes.services, async (ctx, { params }) => {
      const { id } = await findPair(ctx, params.pair_id);
      return listed(await listPairedServices(ctx.db, { projectId: ctx.project.id, pairId: id, now: ctx.now }));
    }),
    implement(haRoutes.history, async (ctx, { params, query }) => {
      const pair = await findPair(ctx, params.pair_id);
      return listed(await readHistory(ctx.db, pair, { limit: query.limit, now: ctx.now }));
    }),
  ];
}

function createWrites({ cipher, commands, rotations }: HaRouteDeps): Route[] {
  return [
    implement(haRoutes.create, (ctx, { body }) => {
      checkNewPair(body);
      return ctx.write(async (tx) => {
        const { reply, audit } = await createPair(tx, ctx, cipher, body);
        return { reply: { ...reply, location: `/api/v3/ha/pairs/${audit.id}` }, audit };
      });
    }),
    implement(haRoutes.update, (ctx, { params, body }) => {
      checkUpdate(body);
      return ctx.write((tx) => changePair(tx, ctx, rotations, { pairId: params.pair_id, body }));
    }),
    implement(haRoutes.remove, (ctx, { params, query }) =>
      ctx.write((tx) => removePair(tx, ctx, commands, { pairId: params.pair_id, force: query.force ?? false })),
    ),
    implement(haRoutes.addMember, (ctx, { params, body }) =>
      ctx.write((tx) => addMember(tx, ctx, rotations, { pairId: params.pair_id, body })),
    ),
    implement(haRoutes.push, (ctx, { params }) =>
      ctx.write(async (tx) => {
        const { id, project_id: projectId, name } = await requirePair(tx, ctx, params.pair_id);
        return settle(tx, ctx, { id, projectId, name, changes: {} });
      }),
    ),
    implement(haRoutes.sync, (ctx, { params }) =>
      ctx.write(async (tx) => {
        const { id, name } = await requirePair(tx, ctx, params.pair_id);
        const retried = await retryNow(tx, id, ctx.now);
        const pending = (await listPending(tx, [id])).get(id) ?? [];
        return { reply: { body: { pending } }, audit: { type: 'ha_pair', id, name, changes: { retried } } };
      }),
    ),
  ];
}

function createOrders(deps: HaRouteDeps): Route[] {
  return [
    implement(haRoutes.failover, async (ctx, { params, body }) => ({
      body: await failOver(ctx, deps, { pairId: params.pair_id, force: body.force ?? false }),
    })),
    implement(haRoutes.maintenance, async (ctx, { params, body }) => ({
      body: await setMaintenance(ctx, deps, {
        pairId: params.pair_id,
        clientId: body.client_id,
        enabled: body.enabled,
        force: body.force ?? false,
      }),
    })),
  ];
}

/** Throws ha.not_found. */
async function findPair(ctx: RequestContext, pairId: string): Promise<PairState> {
  const [pair] = await readPairs(ctx.db, ctx.project.id, pairId);
  if (!pair) throw failHa('ha.not_found');
  return pair;
}
