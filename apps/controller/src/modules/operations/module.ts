import { join } from 'node:path';
import { systemClock } from '@flotilla/kit';
import { DenialBuffer } from '../../platform/audit/index.ts';
import type { LiveEvents } from '../../platform/events/index.ts';
import type { Route } from '../../platform/http/route.ts';
import { findPermit, JobWatch, Runner, Scheduler } from '../../platform/jobs/index.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ControllerPresence, Leadership } from '../../platform/presence/index.ts';
import { startAlerts } from './alerts/index.ts';
import {
  createAuditRoutes,
  createKeepingRoutes,
  createRetentionJob,
  Forwarding,
  HeadsFile,
  openHeadSigner,
  readTrustedKeys,
  Sealer,
} from './audit-log/index.ts';
import { type BackupDeps, composeBackups } from './backup/index.ts';
import { createCleanUpRoutes } from './clean-up/index.ts';
import { createControllerRoutes } from './controllers/index.ts';
import { createTidyJob } from './housekeeping/tidy.ts';
import { createJobRoutes, createScheduleRoutes } from './jobs/index.ts';
import { createKeyRoutes, createReencryptJob, listEncryptedPlaces } from './keys/index.ts';
import { createOverviewRoutes } from './overview/index.ts';
import { createCloudRoutes, createSettingRoutes } from './settings/index.ts';
import { createStorageRoutes, startSampling } from './storage/index.ts';

/** Services that the routes of this module write through. */
export type OperationsDeps = Pick<BackupDeps, 'documents' | 'policies' | 'services'> & {
  /** When the certificate authority of the clients expires. */
  readonly authorityEndsAt: Date;
};

/** Backups, clean-up, settings, search and the overview: everything that needs no work in the background of this process. */
export async function composeMaintenance(platform: Platform, deps: OperationsDeps): Promise<{ routes: Route[] }> {
  const { config, database, keyring, settings, leadership, logger, lifecycle } = platform;
  const { authorityEndsAt, ...restores } = deps;
  const { db } = database;
  const sampling = startSampling({ db, leadership, logger });
  lifecycle.add(() => sampling.close());
  const backups = await composeBackups({ ...platform, ...restores, dir: join(config.dataDir, 'backups') });
  const { trials, guards, followUps } = settings;
  const alertRoutes = await startAlerts({ ...platform, authorityEndsAt });
  return {
    routes: [
      ...backups.routes,
      ...alertRoutes,
      ...createCleanUpRoutes({ ...backups, documents: restores.documents }),
      ...createOverviewRoutes({ authorityEndsAt }),
      ...createSettingRoutes({ db, keyring, trials, guards, followUps }),
      ...createCloudRoutes(keyring),
      ...createStorageRoutes({ dataDir: config.databaseUrl === undefined ? config.dataDir : undefined }),
    ],
  };
}

/** The audit log: entries, sealing of its chain, and forwarding. */
async function composeAuditLog({ config, database: { db }, settings, metrics, logger, lifecycle }: Platform) {
  const heads = new HeadsFile(join(config.dataDir, 'audit-heads.ndjson'));
  const signer = await openHeadSigner(config.auditKeyFile);
  const forwarding = new Forwarding({ db, settings, metrics, logger, clock: systemClock });
  await forwarding.start();
  lifecycle.add(() => forwarding.close());
  const sealer = new Sealer({ db, signer, heads, logger, clock: systemClock });
  await sealer.start();
  lifecycle.add(() => sealer.close());
  // Closed before the sealer, so that the sealer covers its last entries.
  const denials = new DenialBuffer({ db, logger, clock: systemClock });
  lifecycle.add(() => denials.close());
  const readKeys = () => readTrustedKeys(signer, join(config.dataDir, 'audit-trusted-keys.pem'));
  const routes: Route[] = [...createAuditRoutes({ heads, readKeys, denials }), ...createKeepingRoutes(forwarding)];
  const retention = createRetentionJob({ db, signer, settings });
  return { routes, denials, retention };
}

/** Runs the jobs of every module and reports their progress. Jobs that other modules registered are already known. */
async function composeJobs(
  { features, database, jobs, keyring, leadership, logger, lifecycle }: Platform,
  { events, presence }: Work,
) {
  const { db } = database;
  const watch = new JobWatch({ database, logger, tell: (projects) => events.tellOf('job', projects) });
  await watch.start();
  lifecycle.add(() => watch.close());
  const { types } = jobs;
  const authorize = (question: Parameters<typeof findPermit>[1]) => findPermit(db, question);
  const runner = new Runner({ database, logger, types, workerId: presence.controllerId, authorize });
  await runner.start();
  presence.counts('jobs', () => runner.busy);
  await presence.takes('jobs');
  const scheduler = new Scheduler({ database, jobs, leadership, logger });
  const reencrypt = createReencryptJob({ keyring, places: listEncryptedPlaces(features) });
  jobs.register(reencrypt);
  jobs.register(createTidyJob({ db, features, logger }));
  await scheduler.ensureAll(features);
  lifecycle.add(() => scheduler.close());
  lifecycle.add(() => runner.close());
  const routes: Route[] = [
    ...createJobRoutes({ jobs, watch }),
    ...createScheduleRoutes(types),
    ...createKeyRoutes({ keyring, jobs, reencrypt }),
  ];
  return { routes, watch };
}

interface Work {
  readonly events: LiveEvents;
  readonly presence: ControllerPresence;
}

export async function composeOperations(
  platform: Platform,
  { events, presence, leadership, ...deps }: OperationsDeps & Work & { readonly leadership: Leadership },
) {
  const auditLog = await composeAuditLog(platform);
  platform.jobs.register(auditLog.retention);
  const jobs = await composeJobs(platform, { events, presence });
  const maintenance = await composeMaintenance(platform, deps);
  const routes: Route[] = [
    ...jobs.routes,
    ...createControllerRoutes({ presence, leadership }),
    ...auditLog.routes,
    ...maintenance.routes,
  ];
  return { routes, denials: auditLog.denials, watch: jobs.watch };
}
