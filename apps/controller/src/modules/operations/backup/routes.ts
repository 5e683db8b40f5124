import { createReadStream } from 'node:fs';
import { backupRoutes } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { actorName } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { type Jobs, type JobType, toJobActor } from '../../../platform/jobs/index.ts';
import type { ExportParams } from './export-job.ts';
import type { RestoreParams } from './restore/job.ts';
import { dryRun, type RestoreDeps, withBundle } from './restore/source.ts';
import { findRestore, insertRestore } from './restore/store.ts';
import { describeNew, placeOf, readWhole, requireMaySetPassphrase, requireReady, storeUpload } from './service.ts';
import {
  type BackupRecord,
  deleteBackup,
  findBackup,
  insertBackup,
  listBackups,
  markVerified,
  nameBackup,
  toView,
} from './store.ts';

export interface BackupRouteDeps extends RestoreDeps {
  readonly jobs: Jobs;
  readonly exportJob: JobType<ExportParams>;
  readonly restoreJob: JobType<RestoreParams>;
}

function aboutBackup(row: Pick<BackupRecord, 'id' | 'description' | 'created_at'>) {
  return { type: 'backup', id: row.id, name: nameBackup(row) };
}

const RESTORES = backupRoutes.restore.path.replace('/:restore_id', '');

export function createBackupRoutes(deps: BackupRouteDeps): Route[] {
  const own = deps.secrets.fingerprint;
  return [
    implement(backupRoutes.list, async (ctx, { query }) => {
      const { items, ...page } = await listBackups(ctx.db, placeOf(ctx), query);
      return { body: { ...page, items: items.map((row) => toView(row, own)) } };
    }),
    implement(backupRoutes.get, async (ctx, { params }) => ({
      body: toView(await findBackup(ctx.db, placeOf(ctx), params.backup_id), own),
    })),
    serveDownload(deps),
    implement(backupRoutes.delete, (ctx, { params }) =>
      ctx.write(async (tx) => {
        const row = await findBackup(tx, placeOf(ctx), params.backup_id);
        await deleteBackup(tx, row.id);
        ctx.afterCommit(() => deps.folder.remove(row.file));
        return { reply: {}, audit: { ...aboutBackup(row), changes: { sha256: row.sha256 } } };
      }),
    ),
    serveExport(deps),
    implement(backupRoutes.upload, async (ctx) => {
      const body = await storeUpload(deps, ctx);
      return { body, location: `${backupRoutes.list.path}/${body.id}` };
    }),
    serveValidate(deps),
    serveImport(deps),
    implement(backupRoutes.restore, async (ctx, { params }) => ({
      body: await findRestore(ctx.db, ctx.project.id, params.restore_id),
    })),
  ];
}

function serveDownload(deps: BackupRouteDeps): Route {
  return implement(backupRoutes.download, async (ctx, { params }) => {
    const row = await requireReady(ctx, params.backup_id, deps);
    await ctx.write(async () => ({ reply: {}, audit: aboutBackup(row) }));
    return {
      body: createReadStream(deps.folder.pathOf(row.file)),
      contentType: 'application/octet-stream',
      headers: {
        'content-disposition': `attachment; filename="${row.file}"`,
        ...(row.bytes !== null && { 'content-length': String(row.bytes) }),
      },
    };
  });
}

function serveExport(deps: BackupRouteDeps): Route {
  return implement(backupRoutes.export, (ctx, { body }) => {
    const { passphrase, secret_free: secretFree, description = null } = body;
    requireMaySetPassphrase(ctx, passphrase);
    const row = describeNew(ctx, { origin: 'made', secretFree, passphrase, description }, deps);
    return ctx.write(async (tx) => {
      const backup = await insertBackup(tx, row);
      const params = { backup: row.id, ...(passphrase !== undefined && { passphrase }) };
      const job = await deps.jobs.enqueue(tx, deps.exportJob, {
        params,
        project: placeOf(ctx),
        actor: toJobActor(ctx),
      });
      const changes = { secret_free: secretFree, protection: row.protection, job: job.id };
      return {
        reply: {
          body: { backup: toView(backup, deps.secrets.fingerprint), job },
          location: `${backupRoutes.list.path}/${row.id}`,
        },
        audit: { ...aboutBackup(row), changes },
      };
    });
  });
}

function serveValidate(deps: BackupRouteDeps): Route {
  return implement(backupRoutes.validate, async (ctx, { body }) => {
    const row = await requireReady(ctx, body.backup, deps);
    const { manifest } = await readWhole(deps, row, body);
    return ctx.write(async (tx) => {
      await markVerified(tx, row.id, { sections: manifest.sections, now: ctx.now });
      const verified = await findBackup(tx, placeOf(ctx), row.id);
      return { reply: { body: toView(verified, deps.secrets.fingerprint) }, audit: aboutBackup(row) };
    });
  });
}

function serveImport(deps: BackupRouteDeps): Route {
  return implement(backupRoutes.import, async (ctx, { body }) => {
    // Refuses immediately what cannot be restored; the job checks again.
    const row = await requireReady(ctx, body.backup, deps);
    const { summary, refusals } = await withBundle(deps, { row, opening: body }, (bundle) =>
      dryRun(deps, ctx, { bundle, onConflict: body.on_conflict }),
    );
    if (ctx.dryRun) return ctx.write(async () => ({ reply: { body: summary }, audit: aboutBackup(row) }));
    if (refusals[0]) throw refusals[0];
    const id = createId(ctx.now.getTime());
    const project = ctx.project.id;
    return ctx.write(async (tx) => {
      const order = { params: { ...body, restore: id }, project, actor: toJobActor(ctx) };
      const job = await deps.jobs.enqueue(tx, deps.restoreJob, order);
      await insertRestore(tx, {
        id,
        project_id: project,
        backup_id: body.backup,
        job_id: job.id,
        created_at: ctx.now,
        created_by: actorName(ctx),
      });
      const changes = { restore: id, job: job.id, on_conflict: body.on_conflict };
      return {
        reply: { body: { restore: id, job }, location: `${RESTORES}/${id}?project=${project}` },
        audit: { ...aboutBackup(row), changes },
      };
    });
  });
}
