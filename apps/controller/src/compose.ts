import type { Database } from '@flotilla/db';
import {
  countDroppedLines,
  createId,
  dropSampledMetrics,
  Lifecycle,
  type Logger,
  WITHOUT_SAMPLING,
} from '@flotilla/kit';
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import { FEATURES } from './features.ts';
import { type Configuration, composeConfiguration } from './modules/configuration/module.ts';
import { openArbiter } from './modules/edge/ha/index.ts';
import { noteTargetsChanged, openPairSync } from './modules/edge/ha/sync/index.ts';
import { composeEdge, openEdge } from './modules/edge/module.ts';
import { composeFleet, type Fleet, listNodeIds } from './modules/fleet/module.ts';
import { checkStoredListeners, documentStates, type LargeBuildLimits, revokeClient } from './modules/fleet/public.ts';
import { composeIdentity } from './modules/identity/module.ts';
import type { FirstOwner } from './modules/identity/public.ts';
import { composeOperations } from './modules/operations/module.ts';
import { composeSecurity } from './modules/security/module.ts';
import { composeTraffic } from './modules/traffic/module.ts';
import type { EventSource } from './modules/traffic/public.ts';
import type { ControllerConfig } from './platform/config.ts';
import { openOwnDatabase } from './platform/database/open.ts';
import { createEventRoutes, LiveEvents } from './platform/events/index.ts';
import { createCapabilityRoutes } from './platform/http/capabilities.ts';
import { addHealthRoutes } from './platform/http/health.ts';
import { addOpenApi } from './platform/http/openapi.ts';
import type { Route } from './platform/http/route.ts';
import { createHttpServer } from './platform/http/server.ts';
import { addWebRoutes } from './platform/http/web/routes.ts';
import { Jobs, JobTypes } from './platform/jobs/index.ts';
import { type InstallationKeyring, KeyWatch, openKeyring } from './platform/keyring/index.ts';
import { type LargeRequestLimits, LargeRequests } from './platform/large-requests/large-requests.ts';
import { LogQueue, OtlpExporter } from './platform/otlp/index.ts';
import type { Platform } from './platform/platform.ts';
import { ControllerPresence, Leadership, type Leading } from './platform/presence/index.ts';
import { openSettings, PublicAddress } from './platform/settings/index.ts';
import type { Streams } from './platform/streams/index.ts';
import { VERSION } from './platform/version.ts';

/** A composed controller that does not listen yet. */
export interface Controller {
  readonly app: FastifyInstance;
  readonly database: Database;
  readonly routes: readonly Route[];
  readonly fleet: Fleet;
  /** The gRPC port for agents. The caller starts it. */
  readonly streams: Streams;
  readonly keyring: InstallationKeyring;
  readonly configuration: Configuration;
  readonly jobs: Jobs;
  readonly presence: ControllerPresence;
  readonly leadership: Leading;
  /** undefined: large requests are handled in this process. */
  readonly largeRequests: LargeRequests | undefined;
  readonly largeBuilds: Fleet['largeBuilds'];
  /** Set only at the very first start, to be shown once. */
  readonly firstOwner: FirstOwner | undefined;
  close(): Promise<void>;
}

export interface ComposeOptions {
  readonly config: ControllerConfig;
  readonly logger: Logger;
  /** Aborted when the program must stop during its start. */
  readonly signal?: AbortSignal;
  /** An already open and migrated database, for tests. The caller closes it. */
  readonly database?: Database;
  readonly rateFactor?: number;
  /** Overrides the default limits; false handles large requests in this process. */
  readonly largeRequests?: Partial<LargeRequestLimits> | false;
  /** Overrides the limits for builds of large documents. */
  readonly largeBuilds?: Partial<LargeBuildLimits> | false;
  /** The versions of Envoy that this release knows, for tests of others. */
  readonly knownVersions?: readonly string[];
  /** Events to read, for tests. */
  readonly eventSource?: EventSource;
  /** The lines of the log that are exported by OTLP, if the configuration asks for it. */
  readonly exportedLogs?: LogQueue;
  /** Extra routes, for tests of the code that runs before every handler. */
  readonly moreRoutes?: readonly Route[];
}

/** Constructs every service of the controller in dependency order. */
export async function composeController(options: ComposeOptions): Promise<Controller> {
  const lifecycle = new Lifecycle();
  try {
    const { platform, presence } = await openPlatform(options, lifecycle);
    const { database, keyring, jobs, leadership } = platform;
    const events = await openEvents(platform);
    presence.counts('streams', () => events.hub.streams.size);
    const modules = await composeModules(platform, {
      events,
      presence,
      largeBuilds: options.largeBuilds,
      knownVersions: options.knownVersions,
      eventSource: options.eventSource,
    });
    const { configuration, fleet, firstOwner } = modules;
    for (const { measure } of FEATURES) measure?.({ db: database.db, metrics: platform.metrics });
    presence.counts('agents', () => fleet.sessions.open.size);
    const routes = [...modules.routes, ...(options.moreRoutes ?? [])];
    routes.push(...createCapabilityRoutes(routes));
    const { app, largeRequests } = await openServer(options, platform, { ...modules, routes, events });
    return {
      app,
      database,
      keyring,
      configuration,
      fleet,
      jobs,
      presence,
      leadership,
      streams: modules.streams,
      routes,
      largeRequests,
      largeBuilds: fleet.largeBuilds,
      firstOwner,
      close: () => lifecycle.close(),
    };
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}

async function openPlatform({ config, logger, signal, ...given }: ComposeOptions, lifecycle: Lifecycle) {
  const database = given.database ?? (await openOwnDatabase({ config, features: FEATURES, logger, lifecycle, signal }));
  const keyring = await openKeyring({ db: database.db, masterKey: config.masterKey, keyFile: config.masterKeyFile });
  const keyWatch = new KeyWatch(keyring, logger);
  lifecycle.add(() => keyWatch.close());
  await keyWatch.start(database);
  const metrics = createMetrics();
  // Closed last, so that the last lines of the others are sent, too.
  const otlp = new OtlpExporter({ config: config.otlp, metrics, logs: given.exportedLogs ?? new LogQueue(), logger });
  lifecycle.add(() => otlp.close());
  otlp.start();
  const settings = await openSettings({ database, keyring, logger });
  lifecycle.add(() => settings.close());
  const { presence, leadership } = await joinControllers({ database, logger, lifecycle });
  const jobs = new Jobs(new JobTypes(keyring));
  const platform = {
    config,
    features: FEATURES,
    database,
    keyring,
    jobs,
    settings,
    leadership,
    logger,
    metrics,
    lifecycle,
  } satisfies Platform;
  return { platform, presence };
}

async function openEvents({ features, database, logger, metrics, lifecycle }: Platform): Promise<LiveEvents> {
  const events = new LiveEvents({ features, database, logger, metrics });
  await events.start();
  lifecycle.add(() => events.close());
  return events;
}

interface ModuleDeps extends Pick<ComposeOptions, 'largeBuilds'> {
  readonly knownVersions: readonly string[] | undefined;
  readonly eventSource: EventSource | undefined;
  readonly events: LiveEvents;
  readonly presence: ControllerPresence;
}

async function composeModules(platform: Platform & { leadership: Leadership }, deps: ModuleDeps) {
  const { database, keyring, leadership, lifecycle } = platform;
  const { events, presence } = deps;
  const identity = await composeIdentity(platform);
  const { authenticator, firstOwner } = identity;
  const configuration = composeConfiguration({
    ...platform,
    knownVersions: deps.knownVersions,
    listNodeIds,
    documentStates,
    checkPorts: checkStoredListeners,
    revokeClient,
  });
  lifecycle.add(() => configuration.close());
  await configuration.encryptStoredSecrets();
  const { shieldEvents, createRoutes: createSecurityRoutes } = composeSecurity(platform);
  const { traffic, startRollUp, startFindings, startCollector, composeInsight } = composeTraffic(platform);
  startRollUp();
  startFindings();
  const collector = await startCollector(presence.controllerId);
  const insight = await composeInsight(deps.eventSource ?? { access: collector.events, hashFor: collector.hashesOf });
  const pairs = openEdge(platform);
  const fleet = await composeFleet({
    ...platform,
    controllerId: presence.controllerId,
    authenticator,
    configuration,
    shieldEvents,
    traffic,
    pairs,
    logs: collector.logs,
    onTargetsChanged: noteTargetsChanged,
    largeBuilds: deps.largeBuilds,
  });
  await openPairSync(platform, fleet);
  openArbiter(platform, fleet);
  const edge = composeEdge(platform, { pairs, commands: fleet.commands });
  const streams = await fleet.openStreams();
  const operations = await composeOperations(platform, {
    events,
    presence,
    leadership,
    documents: configuration.documents,
    policies: configuration.policies,
    services: fleet.services,
    authorityEndsAt: fleet.authorityEndsAt,
  });
  const routes = configuration.withPreparation([
    ...FEATURES.flatMap(({ routes }) => routes?.({ db: database.db, keyring }) ?? []),
    ...identity.routes,
    ...fleet.routes,
    ...configuration.routes,
    ...createSecurityRoutes(insight.readTraffic),
    ...insight.routes,
    ...operations.routes,
    ...createEventRoutes(events),
    ...edge.routes,
  ]);
  return { edge, routes, authenticator, firstOwner, configuration, fleet, streams, operations, insight };
}

interface Served
  extends Pick<
    Awaited<ReturnType<typeof composeModules>>,
    'routes' | 'authenticator' | 'operations' | 'edge' | 'insight'
  > {
  readonly events: LiveEvents;
}

/** Creates the HTTP server with everything that it serves. The caller lets it listen. */
async function openServer(
  { config, rateFactor, largeRequests: limits = {} }: ComposeOptions,
  { database, keyring, settings, logger, metrics, lifecycle }: Platform & { keyring: InstallationKeyring },
  { routes, authenticator, operations, edge, events, insight }: Served,
) {
  const address = await PublicAddress.open(settings, config.publicUrl);
  lifecycle.add(() => address.close());
  const relay = limits === false ? undefined : new LargeRequests({ config, database, logger, limits });
  lifecycle.add(() => relay?.close());
  const app = await createHttpServer({
    routes,
    featuresOff: edge.featuresOff,
    database,
    authenticator,
    denials: operations.denials,
    hosts: { allowed: config.allowedHosts, findPublicUrl: () => address.value },
    cipher: keyring,
    logger,
    rateFactor,
    ...(relay && { relay }),
    trustedProxies: config.trustedProxies,
  });
  // The server waits for open answers, and an event stream ends only when it is closed.
  app.addHook('preClose', async () => {
    insight.close();
    await Promise.all([events.close(), operations.watch.close()]);
  });
  lifecycle.add(() => app.close());
  addHealthRoutes(app, { db: database.db, metrics });
  await addWebRoutes(app, { dir: config.webDir });
  addOpenApi(app, [...routes.map(({ contract }) => contract), ...edge.refused], VERSION);
  return { app, largeRequests: relay };
}

function createMetrics(): Registry {
  const metrics = new Registry();
  collectDefaultMetrics({ ...WITHOUT_SAMPLING, register: metrics });
  dropSampledMetrics(metrics);
  new Counter({
    name: 'flotilla_controller_log_lines_dropped_total',
    help: 'Lines of the log that could not be written and did not fit into the buffer',
    registers: [metrics],
    collect() {
      this.reset();
      this.inc(countDroppedLines());
    },
  });
  return metrics;
}

/** Announces this controller to the others and takes part in the leader election. */
async function joinControllers({
  database: { db },
  logger,
  lifecycle,
}: Pick<Platform, 'database' | 'logger' | 'lifecycle'>) {
  const controllerId = createId();
  const presence = new ControllerPresence({ db, controllerId, version: VERSION, logger });
  await presence.start();
  lifecycle.add(() => presence.close());
  const leadership = new Leadership({ db, controllerId, logger });
  await leadership.start();
  lifecycle.add(() => leadership.close());
  return { presence, leadership };
}
