import { createReadStream } from 'node:fs';
import { backupRoutes, failBackup, type RestorePlan } from '@flotilla/contract';
import type { RequestContext } from '../../http/context.ts';
import { implement, type Route } from '../../http/route.ts';
import { type Jobs, type JobType, toJobActor } from '../jobs/index.ts';
import type { ExportDeps } from './export.ts';
import type { ExportParams } from './export-job.ts';
import { type ApplyDeps, applyRestore } from './restore/apply.ts';
import { type ProjectContent, readContent } from './restore/content.ts';
import { type Choice, planRestore } from './restore/plan.ts';
import { makeRestorePoint } from './restore-point.ts';
import { describeNew, type Opening, placeOf, readWhole, requireMayOpen, requireReady, takeUpload } from './service.ts';
import { deleteBackup, findBackup, insertBackup, listBackups, markVerified, toView } from './store.ts';

export interface BackupRouteDeps extends ExportDeps, ApplyDeps {
  readonly jobs: Jobs;
  readonly exportJob: JobType<ExportParams>;
}

/** Takes back what a plan has tried. */
class RolledBack extends Error {}

export function createBackupRoutes(deps: BackupRouteDeps): Route[] {
  const { secrets, jobs } = deps;
  const own = secrets.fingerprint;
  return [
    implement(backupRoutes.list, async (ctx, { query }) => {
      const { rows, next_cursor } = await listBackups(ctx.db, placeOf(ctx), query);
      return { body: { items: rows.map((row) => toView(row, own)), next_cursor } };
    }),
    implement(backupRoutes.get, async (ctx, { params }) => ({
      body: toView(await findBackup(ctx.db, placeOf(ctx), params.backup_id), own),
    })),
    implement(backupRoutes.download, async (ctx, { params }) => {
      const row = await requireReady(ctx, params.backup_id, deps);
      await ctx.write(async () => ({ reply: {}, audit: { type: 'backup', id: row.id } }));
      return {
        body: createReadStream(deps.folder.pathOf(row.file)),
        contentType: 'application/octet-stream',
        headers: {
          'content-disposition': `attachment; filename="${row.file}"`,
          ...(row.bytes !== null && { 'content-length': String(row.bytes) }),
        },
      };
    }),
    implement(backupRoutes.delete, (ctx, { params }) =>
      ctx.write(async (tx) => {
        const row = await findBackup(tx, placeOf(ctx), params.backup_id);
        await deleteBackup(tx, row.id);
        ctx.afterCommit(() => deps.folder.remove(row.file));
        return { reply: {}, audit: { type: 'backup', id: row.id, changes: { sha256: row.sha256 } } };
      }),
    ),
    implement(backupRoutes.export, (ctx, { body }) => {
      const { passphrase, secret_free: secretFree, description = null } = body;
      requireMayOpen(ctx, passphrase);
      const row = describeNew(ctx, { origin: 'made', secretFree, passphrase, description }, deps);
      return ctx.write(async (tx) => {
        const backup = await insertBackup(tx, row);
        const params = { backup: row.id, ...(passphrase !== undefined && { passphrase }) };
        const job = await jobs.enqueue(tx, deps.exportJob, { params, project: placeOf(ctx), actor: toJobActor(ctx) });
        const changes = { secret_free: secretFree, protection: row.protection, job: job.id };
        return {
          reply: { body: { backup: toView(backup, own), job }, location: `${backupRoutes.list.path}/${row.id}` },
          audit: { type: 'backup', id: row.id, changes },
        };
      });
    }),
    implement(backupRoutes.upload, async (ctx) => {
      const body = await takeUpload(deps, ctx);
      return { body, location: `${backupRoutes.list.path}/${body.id}` };
    }),
    implement(backupRoutes.validate, async (ctx, { body }) => {
      const row = await requireReady(ctx, body.backup, deps);
      const { manifest } = await readWhole(deps, row, body);
      return ctx.write(async (tx) => {
        await markVerified(tx, row.id, { sections: manifest.sections, now: ctx.now });
        const verified = await findBackup(tx, placeOf(ctx), row.id);
        return { reply: { body: toView(verified, own) }, audit: { type: 'backup', id: row.id } };
      });
    }),
    implement(backupRoutes.plan, async (ctx, { body }) => {
      const source = await openSource(deps, ctx, body);
      const plan = await tryOut(deps, ctx, source, body.on_conflict);
      return ctx.write(async () => ({
        reply: { body: plan },
        audit: { type: 'backup', id: body.backup, changes: { digest: plan.digest } },
      }));
    }),
    implement(backupRoutes.import, async (ctx, { body }) => {
      const source = await openSource(deps, ctx, body);
      const plan = await tryOut(deps, ctx, source, body.on_conflict);
      if (plan.digest !== body.digest) throw failBackup('backup.plan_changed', {}, { extra: { plan } });
      const restorePoint = await makeRestorePoint(deps, ctx, 'Before a restore');
      return ctx.write(async (tx) => {
        const work = await planRestore({ ...planOrder(deps, ctx, source, body.on_conflict), tx });
        if (work.plan.digest !== body.digest)
          throw failBackup('backup.plan_changed', {}, { extra: { plan: work.plan } });
        const restored = await applyRestore(deps, ctx, tx, work);
        const { creates, conflicts } = work.plan;
        const changes = {
          restore_point: restorePoint,
          restored: restored.length,
          created: Object.fromEntries(creates.map(({ kind, count }) => [kind, count])),
          [body.on_conflict === 'replace' ? 'replaced' : 'skipped']: conflicts.length,
        };
        return {
          reply: { body: { restore_point: restorePoint, restored } },
          audit: { type: 'backup', id: body.backup, changes },
        };
      });
    }),
  ];
}

interface Source {
  readonly content: ProjectContent;
  readonly sha256: string;
}

async function openSource(
  deps: BackupRouteDeps,
  ctx: RequestContext,
  body: Opening & { readonly backup: string },
): Promise<Source> {
  const row = await requireReady(ctx, body.backup, deps);
  return { content: await readContent(deps, row, body), sha256: row.sha256 ?? '' };
}

function planOrder({ documents }: ApplyDeps, ctx: RequestContext, source: Source, choice: Choice) {
  return { keyring: documents.keyring, project: ctx.project.id, choice, ...source };
}

/** The plan, after it was carried out and taken back: what would be refused is refused now. */
async function tryOut(
  deps: BackupRouteDeps,
  ctx: RequestContext,
  source: Source,
  choice: Choice,
): Promise<RestorePlan> {
  let plan: RestorePlan | undefined;
  try {
    await ctx.db.transaction().execute(async (tx) => {
      const work = await planRestore({ ...planOrder(deps, ctx, source, choice), tx });
      plan = work.plan;
      await applyRestore(deps, ctx, tx, work);
      throw new RolledBack();
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
  if (!plan) throw new Error('there is no plan');
  return plan;
}
