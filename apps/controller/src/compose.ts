import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { type Database, EmbeddedServer, migrateToLatest, openDatabase } from '@flotilla/db';
import { createSecret, Lifecycle, type Logger } from '@flotilla/kit';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { composeConfiguration } from './compose-configuration.ts';
import { createNodeContents } from './compose-contents.ts';
import { composeEnrolment } from './compose-enrolment.ts';
import { composeFleet, type Fleet } from './compose-fleet.ts';
import type { ControllerConfig } from './config.ts';
import { createApiTokenRoutes } from './features/api-tokens/index.ts';
import { createAuditRoutes } from './features/audit/index.ts';
import { findReachedServices } from './features/documents/index.ts';
import { createEventRoutes, LiveEvents } from './features/events/index.ts';
import { openKeyring } from './features/keyring/index.ts';
import { createOverviewRoutes } from './features/overview/index.ts';
import { sealStoredSecrets } from './features/policies/index.ts';
import { createProfileRoutes } from './features/profile/index.ts';
import { createProjectRoutes } from './features/projects/index.ts';
import { createSearchRoutes } from './features/search/index.ts';
import {
  CsrfTokens,
  createFirstOwner,
  createSessionRoutes,
  type FirstOwner,
  SessionService,
  TokenSigner,
} from './features/sessions/index.ts';
import { createShieldTrialRoutes, TrialThreads } from './features/shield-trials/index.ts';
import { createUserRoutes } from './features/users/index.ts';
import { startHousekeeping } from './housekeeping.ts';
import { addHealthRoutes } from './http/health.ts';
import { createOpenApi } from './http/openapi.ts';
import type { Route } from './http/route.ts';
import { createHttpServer } from './http/server.ts';
import { addWebRoutes } from './http/web/routes.ts';
import type { Streams } from './streams/index.ts';

/** A composed controller that does not listen yet. */
export interface Controller {
  readonly app: FastifyInstance;
  readonly database: Database;
  readonly routes: readonly Route[];
  readonly fleet: Fleet;
  /** Everything that agents talk to; listens when told to. */
  readonly streams: Streams;
  readonly configuration: ReturnType<typeof composeConfiguration>;
  /** Present at the very first start only: to be shown once. */
  readonly firstOwner: FirstOwner | undefined;
  close(): Promise<void>;
}

export interface ComposeOptions {
  readonly config: ControllerConfig;
  readonly logger: Logger;
  /** An already open and migrated database, for tests. The caller closes it. */
  readonly database?: Database;
  readonly rateFactor?: number;
}

const VERSION = '0.1.0';

/** Builds every service of the controller, in the order of their needs. Nothing else constructs services. */
export async function composeController({ config, logger, rateFactor, ...given }: ComposeOptions): Promise<Controller> {
  const lifecycle = new Lifecycle();
  try {
    const database = given.database ?? (await openOwnDatabase(config, logger, lifecycle));
    const { db } = database;

    const keyring = await openKeyring({ db, masterKey: config.masterKey, keyFile: config.masterKeyFile });
    const sealed = await sealStoredSecrets(db, keyring);
    if (sealed > 0) logger.info({ texts: sealed }, 'policies.secrets_sealed');
    const jwtSecret = config.jwtSecret
      ? Buffer.from(config.jwtSecret)
      : await keyring.installationSecret('jwt', () => Buffer.from(createSecret(48)));
    const sessions = new SessionService({ db, signer: new TokenSigner(jwtSecret), csrf: new CsrfTokens(jwtSecret) });
    const firstOwner = await createFirstOwner(db, new Date(), config.firstOwnerPassword);

    const metrics = new Registry();
    collectDefaultMetrics({ register: metrics });

    const configuration = composeConfiguration({ config, database, keyring, logger });
    await configuration.snapshots.start();
    lifecycle.add(() => configuration.snapshots.close());
    const enrolment = await composeEnrolment({ config, database, keyring, logger, metrics });
    const fleet = await composeFleet({
      db,
      logger,
      keyring,
      authenticator: sessions,
      references: configuration.references,
      contents: createNodeContents(configuration),
      findReachedServices,
      revokeCertificates: enrolment.revokeCertificates,
    });
    lifecycle.add(() => fleet.close());
    configuration.snapshots.follow(fleet);
    const streams = await enrolment.openStreams({
      clients: fleet.clients,
      fleet: fleet.sessions,
      cache: configuration.cache,
      ensureNode: (nodeId) => configuration.snapshots.ensureNode(nodeId),
    });
    lifecycle.add(() => streams.close());
    fleet.attach(streams.commands);

    const events = new LiveEvents({ database, logger, metrics });
    await events.start();
    lifecycle.add(() => events.close());

    const trials = new TrialThreads();
    lifecycle.add(() => trials.close());

    const routes: Route[] = [
      ...createSessionRoutes(sessions),
      ...fleet.routes,
      ...enrolment.routes,
      ...configuration.routes,
      ...createProfileRoutes(sessions),
      ...createUserRoutes(),
      ...createProjectRoutes(),
      ...createApiTokenRoutes(),
      ...createAuditRoutes(),
      ...createEventRoutes(events.hub),
      ...createOverviewRoutes(),
      ...createSearchRoutes(),
      ...createShieldTrialRoutes(trials, keyring),
    ];

    const app = await createHttpServer({
      routes,
      db,
      authenticator: sessions,
      sealer: keyring,
      logger,
      rateFactor,
      trustedProxies: config.trustedProxies,
    });
    // A server waits for its answers to end, and these have no end of their own.
    app.addHook('preClose', () => events.close());
    lifecycle.add(() => app.close());
    const housekeeping = startHousekeeping({ db, logger });
    lifecycle.add(() => housekeeping.close());
    addHealthRoutes(app, { db, metrics });
    await addWebRoutes(app, { dir: config.webDir });
    const openApi = createOpenApi(
      routes.map(({ contract }) => contract),
      VERSION,
    );
    app.get('/api/openapi.json', (_request, reply) =>
      reply.type('application/json; charset=utf-8').compress(JSON.stringify(openApi)),
    );
    return { app, database, configuration, fleet, streams, routes, firstOwner, close: () => lifecycle.close() };
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}

async function openOwnDatabase(config: ControllerConfig, logger: Logger, lifecycle: Lifecycle): Promise<Database> {
  const database = config.databaseUrl
    ? openDatabase({ url: config.databaseUrl }, logger)
    : await openEmbedded(config, logger, lifecycle);
  lifecycle.add(() => database.close());
  await migrateToLatest(database.db);
  return database;
}

async function openEmbedded(config: ControllerConfig, logger: Logger, lifecycle: Lifecycle): Promise<Database> {
  const server = await EmbeddedServer.open({ dataDir: join(config.dataDir, 'database'), logger });
  lifecycle.add(() => server.close());
  await server.createDatabaseIfMissing('flotilla');
  return openDatabase(server.connection('flotilla'), logger);
}
