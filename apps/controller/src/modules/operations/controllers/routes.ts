import { controllerRoutes, fail, failController } from '@flotilla/contract';
import type { Reply, RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import {
  CONTROLLER_SILENCE_MAX_MS,
  lockController,
  removeController,
} from '../../../platform/presence/presence-store.ts';
import { findLeader, listConnections, listControllerRows, toControllerView } from './views.ts';

export interface ControllerRouteDeps {
  readonly presence: { readonly controllerId: string };
  readonly leadership: { readonly duties: readonly string[] };
}

export function createControllerRoutes(deps: ControllerRouteDeps): Route[] {
  return [
    serveData(deps),
    serveInstances(deps),
    implement(controllerRoutes.remove, (ctx, { params }) => remove(ctx, params.controller_id)),
    implement(controllerRoutes.removeControlPlane, (ctx, { params }) => remove(ctx, params.control_plane_id)),
  ];
}

function serveData({ presence }: ControllerRouteDeps): Route {
  return implement(controllerRoutes.data, async (ctx) => {
    const [rows, connections] = await Promise.all([listControllerRows(ctx.db), listConnections(ctx.db, ctx.scope?.id)]);
    const about = (row: (typeof rows)[number]) => ({
      version: row.version,
      last_seen: row.seen_at.toISOString(),
      live: row.live,
    });
    const own = rows.find(({ id }) => id === presence.controllerId);
    return {
      body: {
        registry: { controller_id: presence.controllerId, address: own?.rest_address ?? null, status: 'up' as const },
        controllers: rows.map((row) => ({ controller_id: row.id, http_address: row.rest_address, ...about(row) })),
        control_planes: rows
          .filter(({ roles }) => roles.includes('agents'))
          .map((row) => ({ control_plane_id: row.id, grpc_address: row.grpc_address, ...about(row) })),
        clients: connections.rows.map((row) => ({
          client_id: row.id,
          name: row.name,
          project: row.project_id,
          controller_id: row.controller,
          connected_at: row.connect_time?.toISOString() ?? null,
        })),
        clients_total: connections.total,
      },
    };
  });
}

function serveInstances({ leadership }: ControllerRouteDeps): Route {
  return implement(controllerRoutes.instances, async (ctx) => {
    const [rows, leader] = await Promise.all([listControllerRows(ctx.db), findLeader(ctx.db)]);
    const isValid = leader !== undefined && leader.remaining_sec > 0;
    return {
      body: {
        instances: rows.map((row) =>
          toControllerView(row, {
            leader: isValid ? leader.holder : undefined,
            withLoad: ctx.scope === undefined,
          }),
        ),
        leader: leader
          ? {
              holder_id: leader.holder,
              hostname: leader.hostname,
              acquired_at: leader.acquired_at.toISOString(),
              expires_at: leader.until.toISOString(),
              lease_remaining_sec: Math.max(0, Math.round(leader.remaining_sec * 10) / 10),
              lease_valid: isValid,
              fence: leader.fence,
              duties: [...leadership.duties],
            }
          : null,
        instance_count: rows.length,
        has_leader: isValid,
        silent_after_sec: CONTROLLER_SILENCE_MAX_MS / 1000,
      },
    };
  });
}

function remove(ctx: RequestContext, id: string): Promise<Reply> {
  return ctx.write(async (tx) => {
    const row = await lockController(tx, id);
    if (!row) throw fail('record.not_found', { kind: 'controller', name: id });
    if (row.live) {
      const age = Math.max(0, Math.round(row.silent_sec));
      throw failController('controller.alive', { hostname: row.hostname, age });
    }
    await removeController(tx, row.id, { now: ctx.now, reason: 'controller_lost' });
    return {
      reply: {},
      audit: { type: 'controller', id: row.id, name: row.hostname, changes: { epoch: row.epoch } },
    };
  });
}
