import { backupRoutes, secret } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import * as z from 'zod';
import { type JobType, PermanentFailure, type StepContext } from '../../../platform/jobs/index.ts';
import { chooseProtection, type ExportDeps, exportBackup } from './export.ts';
import { leaveToOthers } from './file-here.ts';
import { BackupFolder } from './folder.ts';
import { findProjectName } from './project-store.ts';
import type { RestoreDeps } from './restore/source.ts';
import { testRestore } from './restore-test.ts';
import {
  type BackupRecord,
  deleteBackup,
  findBackup,
  findBeginning,
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

/** Writes the backup that a request has asked for. */
export function createExportJob(deps: ExportDeps): JobType<ExportParams> {
  return {
    type: 'backup.export',
    title: 'Makes a backup',
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
          const file = await make(deps, ctx, row, ctx.params.passphrase);
          await sweep(deps);
          return { kind: 'done', write: (tx) => finish(deps, tx, row, file) };
        },
      },
    ],
  };
}

const scheduledParams = z.strictObject({
  secret_free: z.boolean().default(false),
  /** Of backups of the installation alone: whoever knows it can read every secret in them. */
  passphrase: secret(z.string().min(12).max(1024)).optional(),
  /** So many of the scheduled ones are kept. */
  keep: z.int().min(1).max(365).default(14),
  /** Of these, none that is older, but for the newest of all. */
  keep_days: z.int().min(1).max(3650).optional(),
});
export type ScheduledParams = z.infer<typeof scheduledParams>;

/** By the clock: makes a backup, tries out whether it could be restored, and takes the oldest of its kind away. */
export function createScheduledJob(deps: RestoreDeps): JobType<ScheduledParams> {
  return {
    type: 'backup.scheduled',
    title: 'Makes a scheduled backup, tries it out and keeps the newest',
    params: scheduledParams,
    route: backupRoutes.export,
    lockKey: () => 'backup',
    steps: [
      {
        name: 'write',
        effects: 'repeatable',
        run: async (ctx) => {
          const { secret_free: secretFree, passphrase } = ctx.params;
          if (passphrase !== undefined && ctx.project !== null)
            throw new PermanentFailure(
              'backup.owner_passphrase',
              'Only backups of the installation take a pass phrase.',
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
          const file = await make(deps, ctx, row, passphrase);
          return { kind: 'done', result: id, write: (tx) => finish(deps, tx, row, file) };
        },
      },
      {
        name: 'try_out',
        effects: 'repeatable',
        run: async (ctx) => {
          const row = await findBackup(deps.database.db, ctx.project, String(ctx.results.write));
          const elsewhere = await leaveToOthers(deps, row, row.created_at);
          if (elsewhere) return elsewhere;
          const test = await testRestore(deps, row, {
            passphrase: ctx.params.passphrase,
            actor: ctx.actor,
            signal: ctx.signal,
          });
          await ctx.write((tx) => markTested(tx, row.id, test));
          // Those of before stay: they may be the last that are good.
          if (!test.is_good)
            throw new PermanentFailure('backup.test_failed', `It is made, and could not be restored. ${test.message}`);
          return { kind: 'done' };
        },
      },
      {
        name: 'keep_newest',
        effects: 'repeatable',
        run: async (ctx) => {
          await forgetOld(deps, ctx);
          await sweep(deps);
          return { kind: 'done' };
        },
      },
    ],
  };
}

async function make(deps: ExportDeps, ctx: StepContext<unknown>, row: BackupRecord, passphrase: string | undefined) {
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

/** A record that was deleted while its file was written takes the file with it. */
async function finish({ folder }: ExportDeps, tx: Tx, row: BackupRecord, file: WrittenFile): Promise<void> {
  if (!(await markReady(tx, row.id, file, new Date()))) await folder.remove(row.file);
}

async function forgetOld(deps: ExportDeps, ctx: StepContext<ScheduledParams>): Promise<void> {
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
  const [olderThan, madeSince] = [new Date(Date.now() - DAY_MS), await findBeginning(db)];
  await folder.sweep((file) => isFileKnown(db, file), { olderThan, madeSince });
}
