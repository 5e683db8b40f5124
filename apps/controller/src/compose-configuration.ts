import { join } from 'node:path';
import type { Db } from '@flotilla/db';
import { createEnvoyDist, defaultEnvoyCacheDir } from '@flotilla/envoy-dist';
import type { Logger } from '@flotilla/kit';
import { formatNodeId } from '@flotilla/proto';
import type { ControllerConfig } from './config.ts';
import { createDocumentRoutes, createServiceReferences } from './features/documents/index.ts';
import type { Keyring } from './features/keyring/index.ts';
import { createEnvoyApis, createVersionRoutes } from './features/proxy-versions/index.ts';
import { listServiceNodes } from './features/services/index.ts';
import type { Route } from './http/route.ts';

export interface ConfigurationDeps {
  readonly config: ControllerConfig;
  readonly db: Db;
  readonly keyring: Keyring;
  readonly logger: Logger;
}

/** The configuration side of the controller: proxy versions, documents, policies, snapshots. */
export function composeConfiguration({ config, db, keyring, logger }: ConfigurationDeps) {
  const cacheDir = config.envoyCacheDir ?? defaultEnvoyCacheDir(process.env);
  const dist = createEnvoyDist({ cacheDir, logger });
  const envoyApis = createEnvoyApis({ dist, cacheDir: join(cacheDir, 'descriptors'), logger });
  const references = createServiceReferences({ lockPolicies: async () => undefined, checkPolicies: async () => [] });
  const routes: Route[] = [
    ...createDocumentRoutes({ db, envoyApis, keyring, listNodes: listNodeIds }),
    ...createVersionRoutes({ archiveUrl: config.archiveUrl }),
  ];
  return { envoyApis, references, routes };
}

async function listNodeIds(db: Db, serviceIds: readonly string[]): Promise<string[]> {
  const nodes = await listServiceNodes(db, { serviceIds: [...serviceIds] });
  return nodes.map(({ name, projectId, client }) =>
    formatNodeId({ service: name, project: projectId, clientId: client.id }),
  );
}
