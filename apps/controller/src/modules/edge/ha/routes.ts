import { failHa, haRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { Cipher } from '../../../platform/keyring/cipher.ts';
import { listCandidates } from './candidate-store.ts';
import { removePair } from './deletion.ts';
import { toEligible } from './eligibility.ts';
import type { FleetCommands } from './fleet-commands.ts';
import { addMember, checkNewPair, createPair, readPairView } from './service.ts';
import { readPairs } from './state-store.ts';
import { changePair, checkUpdate } from './update.ts';
import { toPairView } from './views.ts';

export interface HaRouteDeps {
  readonly cipher: Cipher;
  readonly commands: FleetCommands;
}

export function createHaRoutes({ cipher, commands }: HaRouteDeps): Route[] {
  return [
    implement(haRoutes.list, async (ctx) => {
      const pairs = await readPairs(ctx.db, ctx.project.id);
      return { body: { items: pairs.map((pair) => toPairView(pair, ctx.now)), next_cursor: null } };
    }),
    implement(haRoutes.eligible, async (ctx, { query }) => {
      const isServing = query.for_pair === undefined ? false : await hasServices(ctx, query.for_pair);
      const candidates = await listCandidates(ctx.db, ctx.project.id);
      return { body: { items: candidates.map((candidate) => toEligible(candidate, isServing)), next_cursor: null } };
    }),
    implement(haRoutes.read, async (ctx, { params }) => ({ body: await readPairView(ctx.db, ctx, params.pair_id) })),
    implement(haRoutes.create, (ctx, { body }) => {
      checkNewPair(body);
      return ctx.write(async (tx) => {
        const { reply, audit } = await createPair(tx, ctx, cipher, body);
        return { reply: { ...reply, location: `/api/v3/ha/pairs/${audit.id}` }, audit };
      });
    }),
    implement(haRoutes.update, (ctx, { params, body }) => {
      checkUpdate(body);
      return ctx.write((tx) => changePair(tx, ctx, cipher, { pairId: params.pair_id, body }));
    }),
    implement(haRoutes.remove, (ctx, { params, query }) =>
      ctx.write((tx) => removePair(tx, ctx, commands, { pairId: params.pair_id, force: query.force ?? false })),
    ),
    implement(haRoutes.addMember, (ctx, { params, body }) =>
      ctx.write((tx) => addMember(tx, ctx, params.pair_id, body)),
    ),
  ];
}

async function hasServices(ctx: Parameters<typeof readPairView>[1], pairId: string): Promise<boolean> {
  const [pair] = await readPairs(ctx.db, ctx.project.id, pairId);
  if (!pair) throw failHa('ha.not_found');
  return pair.services.length > 0;
}
