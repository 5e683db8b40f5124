import { fail, failInventory, INVENTORY_PATH, inventorySnapshotRoutes } from '@flotilla/contract';
import { actorName, type RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { listChanges } from './changes-store.ts';
import { findBaseline, findSnapshot, listSnapshots, takeSnapshot } from './snapshot-store.ts';

const SINCE_MS = 86_400_000;

export function createSnapshotRoutes(): Route[] {
  return [
    implement(inventorySnapshotRoutes.list, async (ctx, { query }) => ({
      body: await listSnapshots(ctx.db, ctx.project.id, query),
    })),
    implement(inventorySnapshotRoutes.get, async (ctx, { params }) => ({
      body: await requireSnapshot(ctx, params.snapshot_id),
    })),
    implement(inventorySnapshotRoutes.take, (ctx) =>
      ctx.write(async (tx) => {
        const wanted = { projectId: ctx.project.id, kind: 'manual', by: actorName(ctx), now: ctx.now } as const;
        const body = await takeSnapshot(tx, wanted);
        return {
          reply: { body, location: `${INVENTORY_PATH}/snapshots/${body.id}` },
          audit: {
            type: 'inventory_snapshot',
            id: body.id,
            name: body.at,
            changes: { operation_count: body.operation_count },
          },
        };
      }),
    ),
    implement(inventorySnapshotRoutes.changes, async (ctx, { query }) => {
      const baseline = await requireBaseline(ctx, query);
      const { type: types, limit, cursor } = query;
      const wanted = { baseline, types, page: { limit, cursor }, now: ctx.now };
      return { body: { ...(await listChanges(ctx.db, ctx.project.id, wanted)), baseline } };
    }),
  ];
}

async function requireSnapshot(ctx: RequestContext, id: string) {
  const found = await findSnapshot(ctx.db, ctx.project.id, id);
  if (!found) throw fail('record.not_found', { kind: 'snapshot', name: id });
  return found;
}

async function requireBaseline(
  ctx: RequestContext,
  { snapshot_id, since }: { readonly snapshot_id?: string | undefined; readonly since?: string | undefined },
) {
  if (snapshot_id !== undefined) return requireSnapshot(ctx, snapshot_id);
  const before = since === undefined ? new Date(ctx.now.getTime() - SINCE_MS) : new Date(since);
  const newest = await findBaseline(ctx.db, ctx.project.id, before);
  if (!newest) throw failInventory('inventory.no_baseline');
  return newest;
}
