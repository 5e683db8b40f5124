import { join } from 'node:path';
import type { ComposeParts } from './compose-parts.ts';
import { type BackupDeps, composeBackups } from './features/backup/index.ts';
import { createCleanUpRoutes } from './features/clean-up/index.ts';
import { measureCertificates } from './features/documents/index.ts';
import { createGeoipRoutes } from './features/geoip/index.ts';
import { createLicenseRoutes } from './features/license/index.ts';
import { createOverviewRoutes } from './features/overview/index.ts';
import { createCloudRoutes, createSettingRoutes } from './features/settings/index.ts';
import { createStorageRoutes, startSampling } from './features/storage/index.ts';
import { createThreatIntelRoutes } from './features/threat-intel/index.ts';
import type { Route } from './http/route.ts';

/** How the whole fares, what is set for it, and what looks after it. */
export async function composeMaintenance(
  parts: ComposeParts,
  {
    authorityEndsAt,
    ...restores
  }: Pick<BackupDeps, 'documents' | 'policies' | 'services'> & { readonly authorityEndsAt: Date },
): Promise<{ routes: Route[] }> {
  const { config, database, keyring, settings, leadership, logger, lifecycle, metrics } = parts;
  const { db } = database;
  const sampling = startSampling({ db, leadership, logger });
  lifecycle.add(() => sampling.close());
  measureCertificates({ db, metrics, authorityEndsAt, now: () => new Date() });
  const backups = await composeBackups({ ...parts, ...restores, dir: join(config.dataDir, 'backups') });
  return {
    routes: [
      ...backups.routes,
      ...createCleanUpRoutes({ ...backups, documents: restores.documents }),
      ...createOverviewRoutes({ authorityEndsAt }),
      ...createSettingRoutes({
        db,
        keyring,
        trials: settings.trials,
        guards: settings.guards,
        followUps: settings.followUps,
      }),
      ...createCloudRoutes(keyring),
      ...createLicenseRoutes(),
      ...createThreatIntelRoutes(),
      ...createGeoipRoutes({ db }),
      ...createStorageRoutes({ dataDir: config.databaseUrl === undefined ? config.dataDir : undefined }),
    ],
  };
}
