import { type CleanUpPreview, cleanUpRoutes, failCleanUp } from '@flotilla/contract';
import { implement, type Route } from '../../http/route.ts';
import type { MakeRestorePoint } from '../backup/index.ts';
import { lockDocuments } from '../documents/index.ts';
import { inspectVersion } from './inspect.ts';
import { deleteOldDocuments } from './store.ts';

export interface CleanUpDeps {
  readonly makeRestorePoint: MakeRestorePoint;
}

export function createCleanUpRoutes({ makeRestorePoint }: CleanUpDeps): Route[] {
  return [
    implement(cleanUpRoutes.preview, async (ctx, { params, query }) => {
      const { preview } = await inspectVersion(ctx.db, { ...params, project: ctx.project.id }, query.mode);
      return { body: preview };
    }),
    implement(cleanUpRoutes.run, async (ctx, { params, query: { mode, digest } }) => {
      const scope = { ...params, project: ctx.project.id };
      const before = await inspectVersion(ctx.db, scope, mode);
      requireAsShown(before.preview, digest);
      const restorePoint =
        before.documents.length === 0 ? null : await makeRestorePoint(ctx, `Before the clean-up of ${scope.version}`);
      return ctx.write(async (tx) => {
        await lockDocuments(tx, scope);
        const { documents, preview } = await inspectVersion(tx, scope, mode);
        // Again: writes may have come between. The same digest is also the same content as in the restore point.
        requireAsShown(preview, digest);
        await deleteOldDocuments(tx, scope, { documents, now: ctx.now });
        const { version, counts, total, names } = preview;
        return {
          reply: { body: { version, mode, deleted_counts: counts, total, restore_point: restorePoint } },
          audit: {
            type: 'version',
            name: version,
            changes: { mode, digest, deleted: counts, names, restore_point: restorePoint },
          },
        };
      });
    }),
  ];
}

function requireAsShown(preview: CleanUpPreview, digest: string): void {
  if (preview.digest !== digest) throw failCleanUp('clean_up.changed', {}, { extra: { preview } });
  const [blocker] = preview.blocked_by;
  if (blocker) throw failCleanUp('clean_up.blocked', { version: preview.version, ...blocker }, { extra: { preview } });
}
