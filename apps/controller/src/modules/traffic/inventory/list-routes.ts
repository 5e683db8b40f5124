import {
  INVENTORY_DISCOVERY_HOURS_DEFAULT,
  INVENTORY_ZOMBIE_DAYS_DEFAULT,
  INVENTORY_ZOMBIE_SEEN_DEFAULT,
  type InventoryFilter,
  inventoryRoutes,
} from '@flotilla/contract';
import type { RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { countPii, countPostures } from './dashboards-store.ts';
import { listGroups } from './groups-store.ts';
import { LIST_FACTS, listOperations, type OperationQuery, readSaturation } from './list-store.ts';
import { listListeners } from './listeners-store.ts';
import { type FindOperationsByTraffic, type ResolvedFilter, resolveFilter } from './traffic-filter.ts';
import { VIEWS } from './views-store.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export interface InventoryReads {
  /** Undefined: this controller has no event store. */
  readonly findOperationsByTraffic?: FindOperationsByTraffic | undefined;
}

interface ListQuery extends InventoryFilter {
  readonly project: string;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly sort?: string | undefined;
  readonly with_total?: boolean | undefined;
}

/** A list of operations with the fields that every list of the inventory has. */
async function list(
  ctx: RequestContext,
  deps: InventoryReads,
  { query, ...view }: { readonly query: ListQuery } & Pick<OperationQuery, 'also' | 'isCounted'>,
) {
  const { resolved, found } = await prepare(ctx, deps, query);
  const page = await listOperations(ctx.db, ctx.project.id, { ...found, ...view });
  return { ...page, ...(await describe(ctx, resolved)), found };
}

async function prepare(ctx: RequestContext, deps: InventoryReads, query: ListQuery) {
  const { project: _, limit, cursor, sort, with_total: withTotal, ...filter } = query;
  const resolved = await resolveFilter(
    { projectId: ctx.project.id, now: ctx.now, find: deps.findOperationsByTraffic },
    filter,
  );
  const found: OperationQuery = { filter: resolved.filter, page: { limit, cursor, sort }, withTotal, now: ctx.now };
  return { resolved, found };
}

async function describe(ctx: RequestContext, { applied, truncated }: ResolvedFilter) {
  return { applied, truncated, ...LIST_FACTS, saturated: await readSaturation(ctx.db, ctx.project.id) };
}

export function createInventoryListRoutes(deps: InventoryReads): Route[] {
  return [...createCatalogueRoutes(deps), ...createDashboardRoutes(deps)];
}

function createCatalogueRoutes(deps: InventoryReads): Route[] {
  return [
    implement(inventoryRoutes.list, async (ctx, { query }) => {
      const { found: _, ...body } = await list(ctx, deps, { query, also: VIEWS.confirmed, isCounted: true });
      return { body };
    }),
    implement(inventoryRoutes.attackSurface, async (ctx, { query }) => {
      const { found: _, ...body } = await list(ctx, deps, { query, also: VIEWS.attackSurface, isCounted: true });
      return { body };
    }),
    implement(inventoryRoutes.groups, async (ctx, { query }) => {
      const { resolved, found } = await prepare(ctx, deps, query);
      const page = await listGroups(ctx.db, ctx.project.id, found);
      return { body: { ...page, ...(await describe(ctx, resolved)) } };
    }),
    implement(inventoryRoutes.listeners, async (ctx, { query }) => {
      const { resolved, found } = await prepare(ctx, deps, query);
      const page = await listListeners(ctx.db, ctx.project.id, found);
      return { body: { ...page, ...(await describe(ctx, resolved)) } };
    }),
  ];
}

function createDashboardRoutes(deps: InventoryReads): Route[] {
  return [
    implement(inventoryRoutes.discoveries, async (ctx, { query: { window_hours, ...query } }) => {
      const hours = window_hours ?? INVENTORY_DISCOVERY_HOURS_DEFAULT;
      const since = new Date(ctx.now.getTime() - hours * HOUR_MS);
      const also = VIEWS.discoveries(since);
      const { found: _, ...body } = await list(ctx, deps, {
        query: { ...query, sort: query.sort ?? '-first_seen' },
        also,
      });
      return { body: { ...body, window_hours: hours, window_start: since.toISOString() } };
    }),
    implement(
      inventoryRoutes.authCoverage,
      async (ctx, { query: { mode = 'unauthenticated', include_read, ...query } }) => {
        const scope = include_read ? 'all_methods' : 'write_methods';
        const also = VIEWS.auth(mode, VIEWS.authScope(scope));
        const { found, ...body } = await list(ctx, deps, {
          query: { ...query, sort: query.sort ?? '-seen_count' },
          also,
          isCounted: true,
        });
        const counts = await countPostures(ctx.db, ctx.project.id, { ...found, also: VIEWS.authScope(scope) });
        return { body: { ...body, mode, scope, counts } };
      },
    ),
    implement(inventoryRoutes.pii, async (ctx, { query }) => {
      const { found, ...body } = await list(ctx, deps, { query, also: VIEWS.pii, isCounted: true });
      return { body: { ...body, categories: await countPii(ctx.db, ctx.project.id, found) } };
    }),
    implement(inventoryRoutes.zombies, async (ctx, { query: { inactive_days, min_seen_count, ...query } }) => {
      const days = inactive_days ?? INVENTORY_ZOMBIE_DAYS_DEFAULT;
      const seen = min_seen_count ?? INVENTORY_ZOMBIE_SEEN_DEFAULT;
      const before = new Date(ctx.now.getTime() - days * DAY_MS);
      const also = VIEWS.zombies({ before, seen });
      const { found: _, ...body } = await list(ctx, deps, {
        query: { ...query, sort: query.sort ?? '-seen_count' },
        also,
      });
      return {
        body: { ...body, inactive_days: days, inactive_since: before.toISOString(), min_seen_count: seen },
      };
    }),
  ];
}
