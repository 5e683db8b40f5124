import { Buffer } from 'node:buffer';
import { openDatabase } from '@flotilla/db';
import { createLogger, Lifecycle, systemClock } from '@flotilla/kit';
import { Registry } from 'prom-client';
import { FEATURES } from './features.ts';
import { composeConfiguration } from './modules/configuration/module.ts';
import { openEdge } from './modules/edge/module.ts';
import { composeFleet, listNodeIds } from './modules/fleet/module.ts';
import { checkStoredListeners, documentStates, revokeClient } from './modules/fleet/public.ts';
import { composeIdentity } from './modules/identity/module.ts';
import { composeMaintenance } from './modules/operations/module.ts';
import { composeSecurity } from './modules/security/module.ts';
import { composeTraffic } from './modules/traffic/module.ts';
import { createTrafficReader, type EventSource } from './modules/traffic/public.ts';
import { DenialBuffer } from './platform/audit/index.ts';
import type { Authenticator } from './platform/http/actor.ts';
import { isServedElsewhere } from './platform/http/large-body.ts';
import type { RelayedAnswer } from './platform/http/relay.ts';
import type { Route } from './platform/http/route.ts';
import { createHttpServer } from './platform/http/server.ts';
import { Jobs, JobTypes } from './platform/jobs/index.ts';
import { KeyWatch, openKeyring } from './platform/keyring/index.ts';
import type { RequestWorker, WorkerSetup } from './platform/large-requests/worker.ts';
import type { Platform } from './platform/platform.ts';
import type { Leading } from './platform/presence/index.ts';
import { openSettings } from './platform/settings/index.ts';

/** One request is handled at a time; a write that checks policies asks for a second connection. */
const CONNECTIONS_MAX = 4;

const NEVER_LEADING: Leading = {
  isLeading: false,
  leads: () => undefined,
  write: async () => undefined,
};

/** The event store belongs to the process that serves agents. */
const NO_EVENTS: EventSource = {
  access: { store: undefined, reason: 'Requests with a large body are answered without it.' },
  hashFor: async () => [],
};

/** Serves the same routes as the owner, on the same database, without ports, agents or background work. */
export async function composeWorker(setup: WorkerSetup): Promise<RequestWorker> {
  const platform = await openPlatform(setup);
  const { routes, authenticator } = await composeModules(platform);
  const { database, keyring, logger } = platform;
  const app = await createHttpServer({
    routes: routes.filter(({ contract }) => isServedElsewhere(contract)),
    database,
    authenticator,
    denials: new DenialBuffer({ db: database.db, logger, clock: systemClock }),
    cipher: keyring,
    logger,
    // The owner has already counted the request and checked its host.
    rateFactor: 0,
    hosts: { allowed: [], findPublicUrl: () => undefined },
  });
  return {
    async answer({ method, url, headers, ip, body }) {
      const response = await app.inject({
        method,
        url,
        headers: withoutAbsent(headers),
        remoteAddress: ip,
        ...(body && { payload: Buffer.from(body.buffer, body.byteOffset, body.byteLength) }),
      });
      return {
        status: response.statusCode,
        headers: withoutAbsent(response.headers) as RelayedAnswer['headers'],
        body: response.rawPayload,
      };
    },
  };
}

async function openPlatform({ config, connection, role, logLevel }: WorkerSetup): Promise<Platform> {
  // The process ends with its owner, so nothing calls close.
  const lifecycle = new Lifecycle();
  // Logs to stderr: stdout belongs to the owner.
  const logger = createLogger({ name: 'controller', level: logLevel, destination: 2 });
  const database = openDatabase(connection, logger, { maxConnections: CONNECTIONS_MAX, ...(role && { role }) });
  const { db } = database;
  const keyring = await openKeyring({ db, masterKey: config.masterKey, keyFile: config.masterKeyFile });
  await new KeyWatch(keyring, logger).start(database);
  const metrics = new Registry();
  const settings = await openSettings({ database, keyring, logger });
  const jobs = new Jobs(new JobTypes(keyring));
  return {
    config,
    features: FEATURES,
    database,
    keyring,
    jobs,
    settings,
    leadership: NEVER_LEADING,
    logger,
    metrics,
    lifecycle,
  };
}

async function composeModules(platform: Platform): Promise<{ routes: Route[]; authenticator: Authenticator }> {
  const { database, keyring } = platform;
  const { authenticator } = await composeIdentity(platform);
  const configuration = composeConfiguration({
    ...platform,
    listNodeIds,
    documentStates,
    checkPorts: checkStoredListeners,
    revokeClient,
  });
  const { shieldEvents, createRoutes: createSecurityRoutes } = composeSecurity(platform);
  // Matches no controller: this process delivers nothing to agents.
  const fleet = await composeFleet({
    ...platform,
    controllerId: '',
    authenticator,
    configuration,
    shieldEvents,
    traffic: composeTraffic(platform).traffic,
    pairs: openEdge(platform),
    largeBuilds: false,
  });
  const operations = await composeMaintenance(platform, {
    documents: configuration.documents,
    policies: configuration.policies,
    services: fleet.services,
    authorityEndsAt: fleet.authorityEndsAt,
  });
  const routes = configuration.withPreparation([
    ...FEATURES.flatMap(({ routes }) => routes?.({ db: database.db, keyring }) ?? []),
    ...configuration.routes,
    ...fleet.routes,
    ...createSecurityRoutes(createTrafficReader(NO_EVENTS)),
    ...operations.routes,
  ]);
  return { routes, authenticator };
}

function withoutAbsent<V>(headers: Readonly<Record<string, V | undefined>>): Record<string, V> {
  return Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, V] => entry[1] !== undefined));
}
