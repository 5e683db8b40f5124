import { isDeepStrictEqual } from 'node:util';
import {
  type EventExportTrial,
  type EventExportValues,
  eventExportRoutes,
  eventExportSchema,
  type ShownEventExportTarget,
} from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { diffForAudit } from '../../../platform/http/audit-diff.ts';
import { actorName, type Reply, type RequestContext } from '../../../platform/http/context.ts';
import { requireMatch } from '../../../platform/http/etag.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { Keyring } from '../../../platform/keyring/index.ts';
import {
  deleteExport,
  type ExportRow,
  type ExportWrite,
  findExport,
  insertExport,
  listExports,
  lockExport,
  toExportView,
  updateExport,
} from './export-store.ts';
import { needsSecret, requireUsable, sealSecret, secretNeeded, splitTarget } from './secrets.ts';

export interface ExportDeps {
  readonly keyring: Pick<Keyring, 'encrypt'>;
  /** Throws event_export.address for an address that exports may not use. */
  requireAddress(target: ShownEventExportTarget): void;
  /** Sends a test message. Resolves also if the receiver does not accept it. */
  sendTest(row: ExportRow, by: string): Promise<EventExportTrial>;
}

const type = 'event_export';

export function createExportRoutes(deps: ExportDeps): Route[] {
  return [
    implement(eventExportRoutes.list, async (ctx, { query }) => ({
      body: await listExports(ctx.db, ctx.project.id, query),
    })),
    implement(eventExportRoutes.create, (ctx, { body }) => create(deps, ctx, body)),
    implement(eventExportRoutes.get, async (ctx, { params }) => {
      const found = await findExport(ctx.db, ctx.project.id, params.export_id);
      return { body: toExportView(found), etag: found.revision };
    }),
    implement(eventExportRoutes.replace, (ctx, { params, body }) => change(deps, ctx, params.export_id, body)),
    implement(eventExportRoutes.patch, (ctx, { params, body }) => change(deps, ctx, params.export_id, body)),
    implement(eventExportRoutes.delete, (ctx, { params }) =>
      ctx.write(async (tx) => {
        const before = await lockExport(tx, ctx.project.id, params.export_id);
        requireMatch(ctx, type, before.revision);
        await deleteExport(tx, before);
        return { reply: {}, audit: { type, id: before.id, name: before.name } };
      }),
    ),
    implement(eventExportRoutes.test, (ctx, { params }) => test(deps, ctx, params.export_id)),
  ];
}

function create(deps: ExportDeps, ctx: RequestContext, body: EventExportValues): Promise<Reply> {
  const id = createId(ctx.now.getTime());
  const values = toWrite(deps, ctx, { id, body });
  return ctx.write(async (tx) => {
    await insertExport(tx, { id, projectId: ctx.project.id, now: ctx.now, by: actorName(ctx) }, values);
    const made = await findExport(tx, ctx.project.id, id);
    return {
      reply: { body: toExportView(made), etag: made.revision, location: `${eventExportRoutes.create.path}/${id}` },
      audit: { type, id, name: made.name, changes: toComparable(made) },
    };
  });
}

function change(deps: ExportDeps, ctx: RequestContext, id: string, given: Partial<EventExportValues>) {
  return ctx.write(async (tx) => {
    const before = await lockExport(tx, ctx.project.id, id);
    requireMatch(ctx, type, before.revision);
    const { name, enabled, target, selection } = before;
    const values = toWrite(deps, ctx, { id: before.id, body: { name, enabled, target, selection, ...given }, before });
    const isUnchanged =
      values.sealed === before.sealed && isDeepStrictEqual(toComparable(values), toComparable(before));
    if (!isUnchanged) await updateExport(tx, { id: before.id, now: ctx.now, by: actorName(ctx) }, values);
    const after = await findExport(tx, ctx.project.id, before.id);
    return {
      reply: { body: toExportView(after), etag: after.revision },
      audit: {
        type,
        id: after.id,
        name: after.name,
        changes: diffForAudit(toComparable(before), toComparable(after), eventExportSchema),
      },
      isUnchanged,
    };
  });
}

interface Given {
  readonly id: string;
  readonly body: EventExportValues;
  readonly before?: ExportRow;
}

/** Throws event_export.secret_needed if a secret is neither given nor kept. */
function toWrite(deps: ExportDeps, ctx: RequestContext, { id, body, before }: Given): ExportWrite {
  const { name, enabled, selection } = body;
  const { shown: target, secret } = splitTarget(body.target);
  deps.requireAddress(target);
  requireUsable(target, secret);
  const shared = { name, enabled, target, selection };
  if (!needsSecret(target)) return { ...shared, sealed: null, secret_updated_at: null };
  if (secret !== undefined) {
    return { ...shared, sealed: sealSecret(deps.keyring, id, secret), secret_updated_at: ctx.now };
  }
  if (before?.target.kind !== target.kind || !before.sealed) throw secretNeeded(target.kind);
  return { ...shared, sealed: before.sealed, secret_updated_at: before.secret_updated_at };
}

async function test({ sendTest }: ExportDeps, ctx: RequestContext, id: string): Promise<Reply> {
  const found = await findExport(ctx.db, ctx.project.id, id);
  if (ctx.dryRun) return { body: { ok: true, latency_ms: 0, message: 'nothing was sent', dry_run: true } };
  return ctx.write(async () => {
    // Outside of the transaction: the receiver may take seconds.
    const trial = await ctx.prepare('test', () => sendTest(found, actorName(ctx)));
    return { reply: { body: trial }, audit: { type, id: found.id, name: found.name, changes: { ok: trial.ok } } };
  });
}

function toComparable({
  name,
  enabled,
  target,
  selection,
}: Pick<ExportWrite, 'name' | 'enabled' | 'target' | 'selection'>) {
  return { name, enabled, target, selection };
}
