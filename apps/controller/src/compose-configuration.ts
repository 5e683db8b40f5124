import { join } from 'node:path';
import type { Database, Db } from '@flotilla/db';
import { createEnvoyDist } from '@flotilla/envoy-dist';
import type { Logger } from '@flotilla/kit';
import { formatNodeId } from '@flotilla/proto';
import { SnapshotCache } from '@flotilla/xds';
import type { ControllerConfig } from './config.ts';
import { type CheckPolicies, createDocumentRoutes, createServiceReferences } from './features/documents/index.ts';
import type { Keyring } from './features/keyring/index.ts';
import {
  buildPolicyBundle,
  checkPoliciesTogether,
  createPolicyRoutes,
  findGuardedPolicies,
  lockPolicies,
  type PolicyDeps,
  PolicyReader,
  PolicyViews,
} from './features/policies/index.ts';
import { createProjectRoutes } from './features/projects/index.ts';
import { createEnvoyApis, createVersionRoutes } from './features/proxy-versions/index.ts';
import { createRolloutRoutes } from './features/rollouts/index.ts';
import { createSchemaRoutes } from './features/schema/index.ts';
import { listServiceNodes } from './features/services/index.ts';
import { createSnapshotRoutes, ServicePolicies, SnapshotService } from './features/snapshots/index.ts';
import type { Route } from './http/route.ts';

export interface ConfigurationDeps {
  readonly config: ControllerConfig;
  readonly database: Database;
  readonly keyring: Keyring;
  readonly logger: Logger;
}

/** The configuration side of the controller: proxy versions, documents, policies, snapshots, projects with what they begin with. */
export function composeConfiguration({ config, database, keyring, logger }: ConfigurationDeps) {
  const { db } = database;
  const cacheDir = config.envoyCacheDir;
  const dist = createEnvoyDist({ cacheDir, logger });
  const envoyApis = createEnvoyApis({ dist, cacheDir: join(cacheDir, 'descriptors'), logger });
  const reader = new PolicyReader();
  const policyWrites: PolicyDeps = { keyring, reader, views: new PolicyViews(reader) };
  const checkPolicies: CheckPolicies = (tx, service, beforehand) =>
    checkPoliciesTogether({ tx, keyring, read: reader.within(beforehand) }, service);
  const references = createServiceReferences({ lockPolicies, checkPolicies });
  const cache = new SnapshotCache();
  const listNodes = listServiceNodes;
  const policyBundleFor = (node: { projectId: string; policies: readonly string[] }) =>
    buildPolicyBundle({ db, keyring, reader }, node.projectId, node.policies);
  const policies = new ServicePolicies((node) =>
    findGuardedPolicies({ db, keyring, reader }, node.projectId, node.policies),
  );
  const snapshots = new SnapshotService({ db, database, envoyApis, keyring, cache, logger, listNodes, policies });
  const documents = { db, envoyApis, keyring, listNodes: listNodeIds };
  const routes: Route[] = [
    ...createDocumentRoutes(documents),
    ...createPolicyRoutes(policyWrites),
    ...createVersionRoutes({ archiveUrl: config.archiveUrl, envoyApis }),
    ...createRolloutRoutes({ snapshots, listServiceNodes, policyBundleFor }),
    ...createSchemaRoutes({ envoyApis, keyring }),
    ...createSnapshotRoutes({ snapshots, envoyApis }),
    ...createProjectRoutes({ envoyApis, keyring }),
  ];
  return {
    /** What writes of documents need, and those of policies. */
    documents,
    policies: policyWrites,
    envoyApis,
    keyring,
    references,
    routes,
    /** The newest snapshot of every node that a stream has asked for. */
    cache,
    snapshots,
    policyBundleFor,
  };
}

async function listNodeIds(db: Db, serviceIds: readonly string[]): Promise<string[]> {
  const nodes = await listServiceNodes(db, { serviceIds: [...serviceIds] });
  return nodes.map(({ name, projectId, client }) =>
    formatNodeId({ service: name, project: projectId, clientId: client.id }),
  );
}
