import type { Database } from '@flotilla/db';
import { countDroppedLines, dropSampledMetrics, Lifecycle, type Logger, WITHOUT_SAMPLING } from '@flotilla/kit';
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import { composeConfiguration } from './compose-configuration.ts';
import { createNodeContents } from './compose-contents.ts';
import { composeControllers } from './compose-controllers.ts';
import { openOwnDatabase } from './compose-database.ts';
import { composeEnrolment } from './compose-enrolment.ts';
import { composeFleet, type Fleet } from './compose-fleet.ts';
import { composeIdentity } from './compose-identity.ts';
import { composeMaintenance } from './compose-maintenance.ts';
import type { ComposeParts } from './compose-parts.ts';
import { composeRecord } from './compose-record.ts';
import { composeWork } from './compose-work.ts';
import type { ControllerConfig } from './config.ts';
import type { ControllerPresence, Leading } from './features/controllers/index.ts';
import { findReachedServices } from './features/documents/index.ts';
import { Jobs, JobTypes } from './features/jobs/index.ts';
import { KeyWatch, openKeyring } from './features/keyring/index.ts';
import { sealStoredSecrets } from './features/policies/index.ts';
import { createSearchRoutes } from './features/search/index.ts';
import type { FirstOwner } from './features/sessions/index.ts';
import { openSettings } from './features/settings/index.ts';
import { createCapabilityRoutes } from './http/capabilities.ts';
import { addHealthRoutes } from './http/health.ts';
import { addOpenApi } from './http/openapi.ts';
import type { Route } from './http/route.ts';
import { createHttpServer } from './http/server.ts';
import { addWebRoutes } from './http/web/routes.ts';
import type { Streams } from './streams/index.ts';
import { VERSION } from './version.ts';

/** A composed controller that does not listen yet. */
export interface Controller {
  readonly app: FastifyInstance;
  readonly database: Database;
  readonly routes: readonly Route[];
  readonly fleet: Fleet;
  /** Everything that agents talk to; listens when told to. */
  readonly streams: Streams;
  readonly configuration: ReturnType<typeof composeConfiguration>;
  readonly jobs: Jobs;
  readonly presence: ControllerPresence;
  readonly leadership: Leading;
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
  /** Further routes, for tests of what is before every handler. */
  readonly moreRoutes?: readonly Route[];
}

/** Builds every service of the controller, in the order of their needs. Nothing else constructs services. */
export async function composeController({
  config,
  logger,
  rateFactor,
  moreRoutes = [],
  ...given
}: ComposeOptions): Promise<Controller> {
  const lifecycle = new Lifecycle();
  try {
    const database = given.database ?? (await openOwnDatabase(config, logger, lifecycle));
    const { db } = database;

    const keyring = await openKeyring({ db, masterKey: config.masterKey, keyFile: config.masterKeyFile });
    const keyWatch = new KeyWatch(keyring, logger);
    lifecycle.add(() => keyWatch.close());
    await keyWatch.start(database);
    const sealed = await sealStoredSecrets(db, keyring);
    if (sealed > 0) logger.info({ texts: sealed }, 'policies.secrets_sealed');
    const metrics = new Registry();
    collectDefaultMetrics({ ...WITHOUT_SAMPLING, register: metrics });
    dropSampledMetrics(metrics);
    new Counter({
      name: 'flotilla_controller_log_lines_dropped_total',
      help: 'Lines of the log that could not be written and did not fit into what waits',
      registers: [metrics],
      collect() {
        this.reset();
        this.inc(countDroppedLines());
      },
    });
    const settings = await openSettings({ database, keyring, logger });
    lifecycle.add(() => settings.close());
    const jobs = new Jobs(new JobTypes(keyring));
    const {
      presence,
      leadership,
      routes: controllerRoutes,
    } = await composeControllers({ database, logger, lifecycle }, VERSION);
    const parts: ComposeParts = { config, database, keyring, jobs, settings, leadership, logger, metrics, lifecycle };
    const { authenticator, firstOwner, rechecks, routes: identityRoutes } = await composeIdentity(parts);

    const configuration = composeConfiguration({ config, database, keyring, logger });
    lifecycle.add(() => configuration.policies.reader.close());
    await configuration.snapshots.start();
    lifecycle.add(() => configuration.snapshots.close());
    const enrolment = await composeEnrolment({ config, database, keyring, logger, metrics });
    const fleet = composeFleet({
      db,
      logger,
      controllerId: presence.controllerId,
      keyring,
      authenticator,
      references: configuration.references,
      contents: createNodeContents(configuration),
      findReachedServices,
      revokeCertificates: enrolment.revokeCertificates,
    });
    lifecycle.add(() => fleet.close());
    presence.counts('agents', () => fleet.sessions.open.size);
    configuration.snapshots.follow(fleet);
    const streams = await enrolment.openStreams({
      clients: fleet.clients,
      fleet: fleet.sessions,
      cache: configuration.cache,
      ensureNode: (nodeId) => configuration.snapshots.ensureNode(nodeId),
    });
    lifecycle.add(() => streams.close());
    fleet.attach(streams.commands);

    const record = await composeRecord(parts);
    const work = await composeWork(parts, presence, { retention: record.retention, rechecks });

    const maintenance = await composeMaintenance(parts, {
      documents: configuration.documents,
      policies: configuration.policies,
      services: fleet.services,
      authorityEndsAt: enrolment.authorityEndsAt,
    });

    const routes: Route[] = [
      ...identityRoutes,
      ...fleet.routes,
      ...enrolment.routes,
      ...configuration.routes,
      ...work.routes,
      ...controllerRoutes,
      ...record.routes,
      ...maintenance.routes,
      ...createSearchRoutes(),
      ...moreRoutes,
    ];
    routes.push(...createCapabilityRoutes(routes));

    const app = await createHttpServer({
      routes,
      database,
      authenticator,
      denials: record.denials,
      sealer: keyring,
      logger,
      rateFactor,
      trustedProxies: config.trustedProxies,
    });
    // A server waits for its answers to end, and these have no end of their own.
    app.addHook('preClose', work.endStreams);
    lifecycle.add(() => app.close());
    addHealthRoutes(app, { db, metrics });
    await addWebRoutes(app, { dir: config.webDir });
    addOpenApi(
      app,
      routes.map(({ contract }) => contract),
      VERSION,
    );
    return {
      app,
      database,
      configuration,
      fleet,
      jobs,
      presence,
      leadership,
      streams,
      routes,
      firstOwner,
      close: () => lifecycle.close(),
    };
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}
