import { type CleanUpPreview, cleanUpRoutes, failCleanUp } from '@flotilla/contract';
import { actorName } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { announce, checkRevived, type DocumentServiceDeps, lockDocuments } from '../../configuration/public.ts';
import type { MakeRestorePoint } from '../backup/index.ts';
import { inspectVersion } from './inspect.ts';
import {
  countAll,
  findTakenName,
  listCleaned,
  lockCleaned,
  moveToTrash,
  purgeCleaned,
  restoreFromTrash,
  toCleanedView,
} from './trash-store.ts';

export interface CleanUpDeps {
  readonly makeRestorePoint: MakeRestorePoint;
  readonly documents: Pick<DocumentServiceDeps, 'envoyApis' | 'keyring'>;
}

export function createCleanUpRoutes(deps: CleanUpDeps): Route[] {
  return [
    implement(cleanUpRoutes.preview, async (ctx, { params, query }) => {
      const { preview } = await inspectVersion(ctx.db, { ...params, project: ctx.project.id }, query.mode);
      return { body: preview };
    }),
    serveRun(deps),
    implement(cleanUpRoutes.list, async (ctx, { query }) => {
      const { items, ...page } = await listCleaned(ctx.db, ctx.project.id, query, ctx.now);
      return { body: { ...page, items: items.map(toCleanedView) } };
    }),
    serveUndo(deps),
    implement(cleanUpRoutes.purge, (ctx, { params }) =>
      ctx.write(async (tx) => {
        const { id, version, counts } = await lockCleaned(tx, ctx.project.id, params.clean_up_id, ctx.now);
        await purgeCleaned(tx, id);
        return { reply: {}, audit: { type: 'version', name: version, changes: { clean_up: id, deleted: counts } } };
      }),
    ),
  ];
}

function serveRun({ makeRestorePoint }: CleanUpDeps): Route {
  return implement(cleanUpRoutes.run, async (ctx, { params, query: { mode, digest } }) => {
    const scope = { ...params, project: ctx.project.id };
    const before = await inspectVersion(ctx.db, scope, mode);
    requireUnblocked(before.preview, digest);
    const restorePoint =
      before.documents.length === 0 || ctx.dryRun
        ? null
        : await makeRestorePoint(ctx, `Before the clean-up of ${scope.version}`);
    return ctx.write(async (tx) => {
      await lockDocuments(tx, scope);
      const { documents, preview } = await inspectVersion(tx, scope, mode);
      // Writes may have happened in between. An equal digest means the same content as in the restore point.
      requireUnblocked(preview, before.preview.digest);
      const ids = documents.map(({ id }) => id);
      const trashing = { preview, ids, restorePoint, now: ctx.now, by: actorName(ctx) };
      const cleaned = ids.length === 0 ? undefined : await moveToTrash(tx, scope, trashing);
      if (cleaned) await announce(tx, scope, documents, ctx.now);
      const { version, counts, total, names } = preview;
      const kept = { clean_up: cleaned?.id ?? null, kept_until: cleaned?.kept_until.toISOString() ?? null };
      return {
        reply: { body: { version, mode, deleted_counts: counts, total, restore_point: restorePoint, ...kept } },
        audit: {
          type: 'version',
          name: version,
          changes: { mode, digest: preview.digest, deleted: counts, names, restore_point: restorePoint, ...kept },
        },
      };
    });
  });
}

function serveUndo({ documents: deps }: CleanUpDeps): Route {
  return implement(cleanUpRoutes.undo, (ctx, { params }) =>
    ctx.write(async (tx) => {
      const cleaned = await lockCleaned(tx, ctx.project.id, params.clean_up_id, ctx.now);
      const { id, version, mode, counts } = cleaned;
      const scope = { project: ctx.project.id, version };
      await lockDocuments(tx, scope);
      const taken = await findTakenName(tx, cleaned);
      if (taken) throw failCleanUp('clean_up.name_taken', { name: taken.name, kind: taken.collection });
      const rows = await restoreFromTrash(tx, cleaned);
      await checkRevived(deps, tx, scope, rows);
      await announce(tx, scope, rows, ctx.now);
      return {
        reply: { body: { version, counts, total: countAll(counts) } },
        audit: { type: 'version', name: version, changes: { clean_up: id, mode, brought_back: counts } },
      };
    }),
  );
}

function requireUnblocked(preview: CleanUpPreview, digest: string | undefined): void {
  if (digest !== undefined && preview.digest !== digest)
    throw failCleanUp('clean_up.changed', {}, { extra: { preview } });
  const [blocker] = preview.blocked_by;
  if (blocker) throw failCleanUp('clean_up.blocked', { version: preview.version, ...blocker }, { extra: { preview } });
}
