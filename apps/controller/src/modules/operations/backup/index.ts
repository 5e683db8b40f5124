import { type Database, listMigrations } from '@flotilla/db';
import { type Feature, mergeMigrations } from '../../../platform/features/index.ts';
import type { RequestContext } from '../../../platform/http/context.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { Jobs } from '../../../platform/jobs/index.ts';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { createExportJob, createScheduledJob } from './export-job.ts';
import { BackupFolder } from './folder.ts';
import type { ApplyDeps } from './restore/applying.ts';
import { createRestoreJob } from './restore/job.ts';
import { RestoreTurns } from './restore/restore-turns.ts';
import { makeRestorePoint } from './restore-point.ts';
import { createBackupRoutes } from './routes.ts';
import { openBackupSecrets } from './secrets.ts';
import { listBackupSections } from './sections.ts';

export { rebuildInstallation } from './rebuild.ts';
export { listBackupSections } from './sections.ts';

export interface BackupDeps extends ApplyDeps {
  readonly database: Pick<Database, 'db' | 'scoped'>;
  readonly keyring: Keyring;
  readonly jobs: Jobs;
  readonly features: readonly Feature[];
  /** Folder of the backup files. */
  readonly dir: string;
}

/** Backs up the request's project before a large change. Returns the id of the backup. */
export type MakeRestorePoint = (ctx: RequestContext, description: string) => Promise<string>;

export async function composeBackups(
  deps: BackupDeps,
): Promise<{ routes: Route[]; makeRestorePoint: MakeRestorePoint }> {
  const { database, keyring, jobs, features } = deps;
  const secrets = await openBackupSecrets(keyring);
  const exports = {
    database,
    keyring,
    secrets,
    folder: new BackupFolder(deps.dir),
    sections: listBackupSections(features),
    migrations: listMigrations(mergeMigrations(features)),
  };
  const { documents, policies, services } = deps;
  const restores = { ...exports, documents, policies, services, jobs, turns: new RestoreTurns() };
  const exportJob = createExportJob(exports);
  const restoreJob = createRestoreJob(restores);
  jobs.register(exportJob);
  jobs.register(createScheduledJob(restores));
  jobs.register(restoreJob);
  return {
    routes: createBackupRoutes({ ...restores, jobs, exportJob, restoreJob }),
    makeRestorePoint: (ctx, description) => makeRestorePoint(exports, ctx, { description }),
  };
}
