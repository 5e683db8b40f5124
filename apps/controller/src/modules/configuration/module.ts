import { join } from 'node:path';
import { ARCHIVE_SETTINGS } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { createEnvoyDist } from '@flotilla/envoy-dist';
import type { Route } from '../../platform/http/route.ts';
import type { Platform } from '../../platform/platform.ts';
import {
  type CheckPolicies,
  type CheckPorts,
  createDocumentRoutes,
  createServiceReferences,
  type DocumentStates,
} from './documents/index.ts';
import {
  buildPolicyBundle,
  checkPoliciesTogether,
  createPolicyRoutes,
  encryptStoredSecrets,
  findGuardedPolicies,
  lockPolicies,
  type PolicyDeps,
  PolicyViews,
  PolicyWorker,
} from './policies/index.ts';
import { createProjectRoutes, type ProjectRoutesDeps } from './projects/index.ts';
import {
  createEnvoyApis,
  createPrepareJob,
  createPrepareRoute,
  createVersionRoutes,
  Extractor,
  openPreparedVersions,
  type PreparationDeps,
  ReleaseArchive,
  withPreparation,
} from './proxy-versions/index.ts';
import { createSchemaRoutes } from './schema/index.ts';

export interface ConfigurationDeps
  extends Pick<Platform, 'config' | 'database' | 'jobs' | 'keyring' | 'logger' | 'settings'> {
  /** The versions that this release knows, for tests. */
  readonly knownVersions?: readonly string[] | undefined;
  /** Ids of the nodes on which the services run. */
  readonly listNodeIds: (db: Db, serviceIds: readonly string[]) => Promise<string[]>;
  /** Checks the ports of listeners on the clients of their services. */
  readonly checkPorts: CheckPorts;
  /** The states of documents, for their lists. */
  readonly documentStates: DocumentStates;
  /** Revokes the certificates of a client whose project is deleted, in the same transaction. */
  readonly revokeClient: ProjectRoutesDeps['revokeClient'];
}

export type Configuration = ReturnType<typeof composeConfiguration>;

type PolicyNames = { readonly projectId: string; readonly policies: readonly string[] };

export function composeConfiguration({
  config,
  database,
  jobs,
  keyring,
  logger,
  settings,
  knownVersions,
  listNodeIds,
  checkPorts,
  documentStates,
  revokeClient,
}: ConfigurationDeps) {
  const { db } = database;
  const versions = composeVersions({ config, database, jobs, logger, settings, knownVersions });
  const { archive, envoyApis, extractor } = versions;
  const reader = new PolicyWorker();
  const policies: PolicyDeps = { keyring, reader, views: new PolicyViews(reader) };
  const checkPolicies: CheckPolicies = (tx, service, prepare) =>
    checkPoliciesTogether({ tx, keyring, read: reader.within(prepare) }, service);
  const documents = { db, envoyApis, keyring, listNodes: listNodeIds, checkPorts };
  const routes: Route[] = [
    ...createDocumentRoutes(documents, documentStates),
    ...createPolicyRoutes(policies),
    ...versions.routes,
    ...createSchemaRoutes({ envoyApis, keyring }),
    ...createProjectRoutes({ envoyApis, keyring, revokeClient }),
  ];
  return {
    routes,
    /** Dependencies of document writes. */
    documents,
    /** Dependencies of policy writes. */
    policies,
    envoyApis,
    /** The releases that hosts can install. */
    archive,
    references: createServiceReferences({ lockPolicies, checkPolicies }),
    policyBundleFor: (node: PolicyNames) => buildPolicyBundle({ db, keyring, reader }, node.projectId, node.policies),
    guardedPoliciesFor: (node: PolicyNames) =>
      findGuardedPolicies({ db, keyring, reader }, node.projectId, node.policies),
    /** Encrypts secrets that an earlier version stored unencrypted. */
    async encryptStoredSecrets() {
      const texts = await encryptStoredSecrets(db, keyring);
      if (texts > 0) logger.info({ texts }, 'policies.secrets_sealed');
    },
    /** Lets writes for a version that only the archive knows start its preparation. */
    withPreparation: versions.withPreparation,
    close: async () => {
      await Promise.all([reader.close(), extractor.close()]);
    },
  };
}

type VersionsDeps = Pick<ConfigurationDeps, 'config' | 'database' | 'jobs' | 'logger' | 'settings' | 'knownVersions'>;

/** The release archive, and the API of every version of Envoy that documents can have. */
function composeVersions({ config, database, jobs, logger, settings, knownVersions }: VersionsDeps) {
  const { db } = database;
  const cacheDir = config.envoyCacheDir;
  const dist = createEnvoyDist({ cacheDir, logger });
  const archive = new ReleaseArchive({
    address: async () => {
      const { value, refused } = await settings.getAcceptable(ARCHIVE_SETTINGS);
      // Another archive than the stored one must not be used instead.
      return refused.length > 0 ? undefined : (value.archive_url ?? config.archiveUrl);
    },
    file: join(config.dataDir, 'archive-index.json'),
    logger: logger.child({ component: 'archive' }),
  });
  const envoyApis = createEnvoyApis({
    dist,
    archive,
    prepared: openPreparedVersions(db),
    knownVersions,
    cacheDir: join(cacheDir, 'descriptors'),
    logger,
  });
  const extractor = new Extractor();
  const prepare = createPrepareJob({ archive, dist, extractor });
  jobs.register(prepare);
  const preparation: PreparationDeps = { db, archive, jobs, prepare };
  return {
    archive,
    envoyApis,
    extractor,
    routes: [...createVersionRoutes({ archive, envoyApis }), createPrepareRoute(preparation)],
    withPreparation: (routes: readonly Route[]) => withPreparation(routes, preparation),
  };
}
