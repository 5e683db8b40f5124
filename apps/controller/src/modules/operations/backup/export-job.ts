import { backupRoutes, secret } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import * as z from 'zod';
import { type JobType, PermanentFailure, type StepContext, type StepResult } from '../../../platform/jobs/index.ts';
import { chooseProtection, type ExportDeps, exportBackup } from './export.ts';
import { deferIfFileMissing } from './file-here.ts';
import { BackupFolder } from './folder.ts';
import { findProjectName } from './project-store.ts';
import type { RestoreDeps } from './restore/source.ts';
import { testRestore } from './restore-test.ts';
import {
  type BackupRecord,
  deleteBackup,
  findBackup,
  findDatabaseStart,
  insertBackup,
  isFileKnown,
  listBeyond,
  listOlder,
  markFailed,
  markReady,
  markTested,
  type WrittenFile,
} from './store.ts';

const DAY_MS = 86_400_000;

const exportParams = z.strictObject({ backup: z.uuid(), passphrase: secret(z.string()).optional() });
export type ExportParams = z.infer<typeof exportParams>;

/** Writes a backup that was requested through the API. */
export function createExportJob(deps: ExportDeps): JobType<ExportParams> {
  return {
    type: 'backup.export',
    title: 'Creates a backup',
    params: exportParams,
    route: backupRoutes.export,
    lockKey: () => 'backup',
    about: ({ backup }) => ({ type: 'backup', name: backup }),
    steps: [
      {
        name: 'write',
        effects: 'repeatable',
        run: async (ctx) => {
          const row = await findBackup(deps.database.db, ctx.project, ctx.params.backup);
          const file = await writeFile(deps, ctx, row, ctx.params.passphrase);
          await sweep(deps);
          return { kind: 'done', write: (tx) => markWritten(deps, tx, row, file) };
        },
      },
    ],
  };
}

const scheduledParams = z.strictObject({
  secret_free: z.boolean().default(false),
  /** Only for the installation: anyone who knows it can read every secret in the backup. */
  passphrase: secret(z.string().min(12).max(1024)).optional(),
  /** Maximum number of scheduled backups that are kept. */
  keep: z.int().min(1).max(365).default(14),
  /** Older backups are deleted, too, except the newest. */
  keep_days: z.int().min(1).max(3650).optional(),
});
export type ScheduledParams = z.infer<typeof scheduledParams>;

/** Creates a backup on a schedule, tests whether it can be restored, and deletes the oldest scheduled backups. */
export function createScheduledJob(deps: RestoreDeps): JobType<ScheduledParams> {
  return {
    type: 'backup.scheduled',
    title: 'Creates a scheduled backup, tests it and deletes old ones',
    params: scheduledParams,
    route: backupRoutes.export,
    lockKey: () => 'backup',
    steps: [
      { name: 'write', effects: 'repeatable', run: (ctx) => writeScheduled(deps, ctx) },
      { name: 'try_out', effects: 'repeatable', run: (ctx) => tryRestore(deps, ctx) },
      {
        name: 'keep_newest',
        effects: 'repeatable',
        run: async (ctx) => {
          await deleteOld(deps, ctx);
          await sweep(deps);
          return { kind: 'done' };
        },
      },
    ],
  };
}

async function writeScheduled(deps: RestoreDeps, ctx: StepContext<ScheduledParams>): Promise<StepResult> {
  const { secret_free: secretFree, passphrase } = ctx.params;
  if (passphrase !== undefined && ctx.project !== null)
    throw new PermanentFailure(
      'backup.owner_passphrase',
      'Only a backup of the installation can have a passphrase. Remove it from the schedule.',
    );
  const id = createId();
  const row = await ctx.write((tx) =>
    insertBackup(tx, {
      id,
      project_id: ctx.project,
      origin: 'scheduled',
      status: 'making',
      description: null,
      secret_free: secretFree,
      protection: chooseProtection({ secretFree, passphrase }, deps.secrets).kind,
      file: BackupFolder.nameOf(id),
      created_at: new Date(),
      created_by: 'schedule',
    }),
  );
  const file = await writeFile(deps, ctx, row, passphrase);
  return { kind: 'done', result: id, write: (tx) => markWritten(deps, tx, row, file) };
}

/** Tests whether the new backup can be restored. Fails before older backups are deleted. */
async function tryRestore(deps: RestoreDeps, ctx: StepContext<ScheduledParams>): Promise<StepResult> {
  const row = await findBackup(deps.database.db, ctx.project, String(ctx.results.write));
  const deferred = await deferIfFileMissing(deps, row, row.created_at);
  if (deferred) return deferred;
  const { passphrase } = ctx.params;
  const test = await testRestore(deps, row, { passphrase, actor: ctx.actor, signal: ctx.signal });
  await ctx.write((tx) => markTested(tx, row.id, test));
  if (!test.is_good)
    throw new PermanentFailure('backup.test_failed', `The backup was created but cannot be restored. ${test.message}`);
  return { kind: 'done' };
}

async function writeFile(
  deps: ExportDeps,
  ctx: StepContext<unknown>,
  row: BackupRecord,
  passphrase: string | undefined,
) {
  try {
    return await exportBackup(deps, {
      id: row.id,
      file: row.file,
      project: row.project_id === null ? null : await findProjectName(deps.database.db, row.project_id),
      secretFree: row.secret_free,
      passphrase,
      now: row.created_at,
      onSection: (done, total) => ctx.progress(done, total),
      signal: ctx.signal,
    });
  } catch (error) {
    await ctx.write((tx) => markFailed(tx, row.id));
    throw error;
  }
}

/** Deletes the file again if its record was deleted meanwhile. */
async function markWritten({ folder }: ExportDeps, tx: Tx, row: BackupRecord, file: WrittenFile): Promise<void> {
  if (!(await markReady(tx, row.id, file, new Date()))) await folder.remove(row.file);
}

async function deleteOld(deps: ExportDeps, ctx: StepContext<ScheduledParams>): Promise<void> {
  const { db } = deps.database;
  const { keep, keep_days: days } = ctx.params;
  const origin = 'scheduled';
  const beyond = await listBeyond(db, ctx.project, { origin, keep });
  const before = new Date(Date.now() - (days ?? 0) * DAY_MS);
  const older = days === undefined ? [] : await listOlder(db, ctx.project, { origin, before });
  for (const row of new Map([...beyond, ...older].map((one) => [one.id, one])).values()) {
    await ctx.write((tx) => deleteBackup(tx, row.id));
    await deps.folder.remove(row.file);
  }
}

async function sweep({ database: { db }, folder }: ExportDeps): Promise<void> {
  const [olderThan, createdSince] = [new Date(Date.now() - DAY_MS), await findDatabaseStart(db)];
  await folder.sweep((file) => isFileKnown(db, file), { olderThan, createdSince });
}
