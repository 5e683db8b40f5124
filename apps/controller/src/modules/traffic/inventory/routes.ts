import {
  fail,
  failInventory,
  INVENTORY_STALE_DAYS_DEFAULT,
  type InventoryOperation,
  inventoryActionRoutes,
  inventoryRoutes,
  RISK_ACTIVE_DAYS,
} from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { RISK_BANDS, RISK_FLAG_NAMES, RISK_FLAGS, RISK_TEXTS, SEVERITY_POINTS } from '@flotilla/inventory';
import type { RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { deleteOperations, deleteStale, rebaselineProject, resetOperations } from './actions-store.ts';
import { summarizeRisk } from './dashboards-store.ts';
import { createInventoryListRoutes, type InventoryReads } from './list-routes.ts';
import { findMergeTarget, findOperation, readNames } from './list-store.ts';
import { toOperation } from './model/view.ts';
import { createOpenapiRoute } from './openapi-route.ts';
import { createSnapshotRoutes } from './snapshot-routes.ts';

const DAY_MS = 86_400_000;

export function createInventoryRoutes(deps: InventoryReads): Route[] {
  return [
    ...createInventoryListRoutes(deps),
    createOpenapiRoute(),
    ...createSnapshotRoutes(),
    ...createReadRoutes(),
    ...createActionRoutes(),
    ...createBulkRoutes(),
  ];
}

function createReadRoutes(): Route[] {
  return [
    implement(inventoryRoutes.riskFlags, async () => ({
      body: {
        items: RISK_FLAG_NAMES.map((flag) => {
          const { severity, axis, class: riskClass, owasp, remedy, isDerived } = RISK_FLAGS[flag];
          const facts = { flag, severity, points: SEVERITY_POINTS[severity], axis, class: riskClass, owasp, remedy };
          return { ...facts, derived: isDerived, ...RISK_TEXTS[flag] };
        }),
        bands: RISK_BANDS,
        risk_active_days: RISK_ACTIVE_DAYS,
      },
    })),
    implement(inventoryRoutes.riskSummary, async (ctx, { query: { project: _, ...filter } }) => ({
      body: await summarizeRisk(ctx.db, ctx.project.id, { filter, now: ctx.now }),
    })),
    implement(inventoryRoutes.get, async (ctx, { params }) => ({
      body: await readOperation(ctx, ctx.db, params.operation_id),
    })),
  ];
}

/** Throws inventory.merged or record.not_found. */
async function requireOperation(ctx: RequestContext, db: Db, id: string) {
  const found = await findOperation(db, ctx.project.id, id);
  if (found) return found;
  const target = await findMergeTarget(db, ctx.project.id, id);
  if (target === undefined) throw fail('record.not_found', { kind: 'operation', name: id });
  throw failInventory('inventory.merged', { id, target }, { extra: { target } });
}

async function readOperation(ctx: RequestContext, db: Db, id: string): Promise<InventoryOperation> {
  const { state, ...row } = await requireOperation(ctx, db, id);
  const services = await readNames(db, ctx.project.id, 'services', row.services);
  const clients = await readNames(db, ctx.project.id, 'clients', row.clients);
  // A member of a restricted project cannot tell a deleted service from a hidden one.
  const isRestricted = ctx.project.reader !== undefined;
  const named = (ids: readonly string[], names: ReadonlyMap<string, string>) =>
    ids.flatMap((one) => (isRestricted && !names.has(one) ? [] : [{ id: one, name: names.get(one) ?? null }]));
  return toOperation({ row, state }, ctx.now, {
    services: named(row.services, services),
    clients: named(row.clients, clients),
  });
}

function createActionRoutes(): Route[] {
  return [
    implement(inventoryActionRoutes.reset, (ctx, { params: { operation_id: id } }) =>
      ctx.write(async (tx) => {
        const before = await requireOperation(ctx, tx, id);
        await resetOperations(tx, ctx.project.id, { selection: [id], now: ctx.now });
        const after = await readOperation(ctx, tx, id);
        return {
          reply: { body: after },
          audit: { ...subjectOf(before), changes: { seen_count: [before.seen, 0], max_risk_score: [before.risk, 0] } },
        };
      }),
    ),
    implement(inventoryActionRoutes.delete, (ctx, { params: { operation_id: id } }) =>
      ctx.write(async (tx) => {
        const before = await requireOperation(ctx, tx, id);
        await deleteOperations(tx, ctx.project.id, [id]);
        return { reply: {}, audit: { ...subjectOf(before), changes: { seen_count: [before.seen, 0] } } };
      }),
    ),
  ];
}

function subjectOf(row: {
  readonly id: string;
  readonly method: string;
  readonly host: string;
  readonly path: string;
}) {
  return { type: 'inventory_operation', id: row.id, name: `${row.method} ${row.host}${row.path}` };
}

function createBulkRoutes(): Route[] {
  return [
    implement(inventoryActionRoutes.resetMany, (ctx, { body: { operations } }) =>
      ctx.write(async (tx) => {
        const changed = await resetOperations(tx, ctx.project.id, { selection: operations, now: ctx.now });
        return { reply: { body: changed }, audit: bulkAudit(operations, changed), isUnchanged: changed.changed === 0 };
      }),
    ),
    implement(inventoryActionRoutes.deleteMany, (ctx, { body: { operations } }) =>
      ctx.write(async (tx) => {
        const changed = await deleteOperations(tx, ctx.project.id, operations);
        return { reply: { body: changed }, audit: bulkAudit(operations, changed), isUnchanged: changed.changed === 0 };
      }),
    ),
    implement(inventoryActionRoutes.cleanupStale, (ctx, { query: { days = INVENTORY_STALE_DAYS_DEFAULT } }) =>
      ctx.write(async (tx) => {
        const cutoff = new Date(ctx.now.getTime() - days * DAY_MS);
        const deleted_count = await deleteStale(tx, ctx.project.id, cutoff);
        return {
          reply: { body: { deleted_count, days, cutoff: cutoff.toISOString() } },
          audit: { type: 'inventory', changes: { days, deleted_count } },
          isUnchanged: deleted_count === 0,
        };
      }),
    ),
    implement(inventoryActionRoutes.rebaselineScores, (ctx) =>
      ctx.write(async (tx) => {
        const { matched, modified } = await rebaselineProject(tx, ctx.project.id, ctx.now);
        return {
          reply: { body: { matched_count: matched, modified_count: modified } },
          audit: { type: 'inventory', changes: { matched_count: matched, modified_count: modified } },
          isUnchanged: modified === 0,
        };
      }),
    ),
  ];
}

function bulkAudit(operations: 'all' | readonly string[], { changed }: { readonly changed: number }) {
  return { type: 'inventory', changes: { operations: operations === 'all' ? 'all' : operations.length, changed } };
}
