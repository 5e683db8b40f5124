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
import { createEnvoyApis, createVersionRoutes, ReleaseArchive } from './proxy-versions/index.ts';
import { createSchemaRoutes } from './schema/index.ts';

export interface ConfigurationDeps extends Pick<Platform, 'config' | 'database' | 'keyring' | 'logger' | 'settings'> {
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
  keyring,
  logger,
  settings,
  listNodeIds,
  checkPorts,
  documentStates,
  revokeClient,
}: ConfigurationDeps) {
  const { db } = database;
  const cacheDir = config.envoyCacheDir;
  const dist = createEnvoyDist({ cacheDir, logger });
  const envoyApis = createEnvoyApis({ dist, cacheDir: join(cacheDir, 'descriptors'), logger });
  const reader = new PolicyWorker();
  const policies: PolicyDeps = { keyring, reader, views: new PolicyViews(reader) };
  const checkPolicies: CheckPolicies = (tx, service, prepare) =>
    checkPoliciesTogether({ tx, keyring, read: reader.within(prepare) }, service);
  const archive = new ReleaseArchive({
    address: async () => {
      const { value, refused } = await settings.getAcceptable(ARCHIVE_SETTINGS);
      // Another archive than the stored one must not be used instead.
      return refused.length > 0 ? undefined : (value.archive_url ?? config.archiveUrl);
    },
    file: join(config.dataDir, 'archive-index.json'),
    logger: logger.child({ component: 'archive' }),
  });
  const documents = { db, envoyApis, keyring, listNodes: listNodeIds, checkPorts };
  const routes: Route[] = [
    ...createDocumentRoutes(documents, documentStates),
    ...createPolicyRoutes(policies),
    ...createVersionRoutes({ archive, envoyApis }),
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
    close: () => reader.close(),
  };
}
