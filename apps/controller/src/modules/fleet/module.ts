import { failIdentity } from '@flotilla/contract';
import type { Db, OutboxEvent, Tx } from '@flotilla/db';
import { Lifecycle, systemClock } from '@flotilla/kit';
import { formatNodeId } from '@flotilla/proto';
import { SnapshotCache } from '@flotilla/xds';
import type { Authenticator } from '../../platform/http/actor.ts';
import { actorName } from '../../platform/http/context.ts';
import type { Route } from '../../platform/http/route.ts';
import type { Platform } from '../../platform/platform.ts';
import { createStreams, type LogsPort, type Streams } from '../../platform/streams/index.ts';
import { type Configuration, findReachedServices } from '../configuration/public.ts';
import type { ShieldEventRecorder } from '../security/public.ts';
import type { TrafficRecorder } from '../traffic/public.ts';
import {
  AgentReports,
  AgentSessions,
  DesiredStates,
  FleetChanges,
  type NodeContents,
  type PairsPort,
} from './agents/index.ts';
import {
  ClientRegistry,
  createClientRoutes,
  deriveLoadPercent,
  deriveMemoryPercent,
  type PairRemoval,
  toStatsJson,
} from './clients/index.ts';
import { CloudLookups, createCloudLookupRoutes } from './cloud-lookups/index.ts';
import { createCommandRolloutRoutes, createRolloutJob } from './command-rollouts/index.ts';
import {
  type ClientStreams,
  CommandService,
  createCommandRoutes,
  createLogRoutes,
  LogStreams,
  SealedPayloads,
} from './commands/index.ts';
import { listActiveErrors } from './config-errors/index.ts';
import { createNodeContents } from './contents.ts';
import {
  type Authority,
  createEnrolmentRoutes,
  EnrolmentService,
  measureAuthority,
  openAuthority,
  RENEWAL_GRACE_MS,
  RevocationList,
  revokeClient,
  ServerCertificate,
} from './enrolment/index.ts';
import { ForwarderConfigs } from './log-forwarding/index.ts';
import { MetricsRecorder } from './metrics/index.ts';
import { createPublishRoutes } from './publish/index.ts';
import { createRolloutRoutes } from './rollouts/index.ts';
import {
  createServiceRoutes,
  listServiceNodes,
  listServicesOfClient,
  listTargeting,
  ServiceRegistry,
  type TargetsChanged,
} from './services/index.ts';
import { createShieldNodeRoutes } from './shield-nodes/index.ts';
import {
  createSnapshotRoutes,
  type LargeBuildLimits,
  LargeBuilds,
  ServicePolicies,
  SnapshotService,
} from './snapshots/index.ts';
import { BundleDownloads, createBundleRoutes } from './support-bundles/index.ts';

export interface FleetDeps
  extends Pick<Platform, 'config' | 'database' | 'keyring' | 'settings' | 'logger' | 'metrics' | 'lifecycle' | 'jobs'> {
  /** Id of this process; rows name the controller that holds a stream by it. */
  readonly controllerId: string;
  readonly authenticator: Pick<Authenticator, 'findRole' | 'findReader' | 'findClosedRole'>;
  readonly configuration: Configuration;
  readonly shieldEvents: ShieldEventRecorder;
  readonly traffic: TrafficRecorder;
  readonly pairs: PairsPort & PairRemoval;
  /** The collector of access logs; without one, agents keep their entries. */
  readonly logs?: LogsPort | undefined;
  /** Runs in the transaction that changes what clients run of a service. */
  readonly onTargetsChanged?: ((tx: Tx, change: TargetsChanged) => Promise<void>) | undefined;
  /** Limits of the processes that build large documents; false builds them in this process. */
  readonly largeBuilds?: Partial<LargeBuildLimits> | false | undefined;
}

export interface Fleet {
  readonly routes: readonly Route[];
  /** The newest snapshot of every node that a stream has requested. */
  readonly cache: SnapshotCache;
  readonly snapshots: SnapshotService;
  /** The processes that build large documents. */
  readonly largeBuilds: LargeBuilds | undefined;
  readonly clients: ClientRegistry;

  readonly services: ServiceRegistry;
  readonly commands: CommandService;
  /** The networks of the clouds of projects. */
  readonly clouds: CloudLookups;
  readonly metrics: MetricsRecorder;
  readonly shieldEvents: ShieldEventRecorder;
  readonly traffic: TrafficRecorder;
  readonly sessions: AgentSessions;
  /** When the certificate authority of the clients expires. */
  readonly authorityEndsAt: Date;
  /**
   * Opens the gRPC services for agents, which listen after `listen`. From then on changes and commands reach the
   * clients.
   */
  openStreams(): Promise<Streams>;
  /** Sends changes and commands to the clients through these streams only. */
  attach(streams: ClientStreams): void;
  /** Answers the requests that wait for clients, because the server is about to close. */
  stopWaiting(): void;
}

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;

export async function composeFleet(deps: FleetDeps): Promise<Fleet> {
  const { config, database, keyring, logger, lifecycle, configuration, shieldEvents } = deps;
  const { db } = database;
  const { envoyApis, policyBundleFor } = configuration;
  const cache = new SnapshotCache();
  const policies = new ServicePolicies(configuration.guardedPoliciesFor);
  const builds = deps.largeBuilds === false ? undefined : new LargeBuilds({ logger, limits: deps.largeBuilds });
  const snapshots = new SnapshotService({
    db,
    database,
    envoyApis,
    keyring,
    cache,
    logger,
    listNodes: listServiceNodes,
    policies,
    builds,
  });
  await snapshots.start();
  lifecycle.add(() => snapshots.close());
  const authority = await openAuthority(db, keyring, new Date(systemClock.now()));
  measureAuthority(deps.metrics, authority.certificate.validToDate);
  const members = composeMembers(deps, createNodeContents({ snapshots, policyBundleFor }));
  lifecycle.add(() => members.close());
  snapshots.follow(members);
  let streams: Streams | undefined;
  const controllerAddress = () => config.grpcAdvertise ?? `${config.grpcHost}:${streams?.port ?? config.grpcPort}`;
  const { clients, services, commands, metrics, sessions, stopWaiting } = members;
  const lookups = await CloudLookups.open(deps.settings);
  lifecycle.add(() => lookups.close());
  return {
    routes: [
      ...members.routes,
      ...createEnrolmentRoutes({ fingerprint: authority.fingerprint, controllerAddress }),
      ...createCloudLookupRoutes(lookups),
      ...createRolloutRoutes({ snapshots, listServiceNodes, policyBundleFor }),
      ...createSnapshotRoutes({ snapshots, envoyApis }),
    ],
    cache,
    snapshots,
    largeBuilds: builds,
    clients,
    services,
    commands,
    clouds: lookups,
    metrics,
    shieldEvents,
    traffic: deps.traffic,
    sessions,
    stopWaiting,
    attach: members.attach,
    authorityEndsAt: authority.certificate.validToDate,
    async openStreams() {
      const opened = await openStreams(deps, { authority, clients, sessions, snapshots, cache });
      streams = opened;
      members.attach(opened.commands);
      return opened;
    },
  };
}

async function openStreams(
  { config, database, logger, metrics, lifecycle, logs }: FleetDeps,
  fleet: Pick<Fleet, 'clients' | 'sessions' | 'snapshots' | 'cache'> & { readonly authority: Authority },
): Promise<Streams> {
  const { authority, clients, sessions, snapshots, cache } = fleet;
  const now = () => new Date(systemClock.now());
  const revocations = new RevocationList({ database, logger, now });
  await revocations.start();
  lifecycle.add(() => revocations.close());
  const enrolment = new EnrolmentService({
    db: database.db,
    authority,
    lifetimeMs: config.agentCertificateHours * HOUR_MS,
    renewalGraceMs: RENEWAL_GRACE_MS,
    clients,
  });
  const streams = await createStreams({
    database,
    authority,
    enrolment,
    revocations,
    serverCertificate: new ServerCertificate(authority, { names: config.grpcNames, clock: systemClock, logger }),
    fleet: sessions,
    nodes: { open: async (_, id) => ((await snapshots.ensureNode(id)) ? cache.source(id) : undefined) },
    logs,
    clock: systemClock,
    logger,
    metrics,
    limits: { connections: config.agentConnections },
  });
  lifecycle.add(() => streams.close());
  return streams;
}

/** The clients with their services, commands, counts and configuration errors. */
// oxlint-disable-next-line max-lines-per-function -- wiring in dependency order
function composeMembers(deps: FleetDeps, contents: NodeContents) {
  const { logger, controllerId, shieldEvents, traffic, configuration, pairs } = deps;
  const { db } = deps.database;
  const lifecycle = new Lifecycle();
  const clients = new ClientRegistry({ db, controllerId });
  const services = new ServiceRegistry({
    references: configuration.references,
    onTargetsChanged: deps.onTargetsChanged,
  });
  const commands = new CommandService({
    db,
    logger,
    services,
    archive: configuration.archive,
    configs: new ForwarderConfigs(deps.keyring),
    payloads: new SealedPayloads(deps.keyring),
    requireKnownVersion: configuration.envoyApis.requireKnown,
    findRights: async (actor, projectId) => {
      const role = await deps.authenticator.findRole(actor, projectId);
      if (role === undefined && (await deps.authenticator.findClosedRole(actor, projectId)))
        throw failIdentity('project.factor_required');
      return role && { role, reader: await deps.authenticator.findReader(actor, projectId) };
    },
  });
  lifecycle.add(() => commands.stop());
  const rollout = createRolloutJob(commands);
  deps.jobs.register(rollout);
  const logStreams = new LogStreams({ commands, db, logger });
  lifecycle.add(() => logStreams.close());
  const downloads = new BundleDownloads(commands);
  lifecycle.add(() => downloads.close());
  const desired = new DesiredStates({
    db,
    logger,
    contents,
    archive: configuration.archive,
    pairs,
    cipher: deps.keyring,
    failDesired: (key, failure) => commands.delivery.failDesired(key, failure),
  });
  const reports = new AgentReports({ db });
  const metrics = new MetricsRecorder({
    db,
    logger,
    now: () => new Date(),
    toNewest: (stats) => ({
      load_percent: deriveLoadPercent(stats),
      memory_percent: deriveMemoryPercent(stats),
      stats: toStatsJson(stats),
    }),
  });
  lifecycle.add(() => metrics.close());
  let attached: ClientStreams | undefined;
  const sessions = new AgentSessions({
    clients,
    commands: commands.delivery,
    reports,
    metrics,
    shieldEvents,
    traffic,
    desired,
    pairs,
    now: () => new Date(),
    statsIntervalMs: deps.config.agentStatsS * SECOND_MS,
    noteCommands: (clientId) => attached?.noteCommands(clientId),
    noteDesired: (clientId) => attached?.noteDesired(clientId),
  });

  let changes: FleetChanges | undefined;
  lifecycle.add(() => changes?.stop());

  const routes = [
    ...createServiceRoutes({ services, listActiveErrors }),
    ...createClientRoutes({
      clients,
      listServicesOfClient,
      removalFor: (ctx) => ({
        revokeCertificates: (tx, clientId, at) => revokeClient(tx, clientId, 'client removed', at),
        listTargeting,
        removeFromService: (tx, serviceId, clientId) => services.undeploy(tx, ctx, serviceId, [clientId]),
        abandonCommands: (tx, clientId, now) => commands.abandon(tx, clientId, now),
        lockPair: pairs.lockPair,
        leavePair: (tx, member) => pairs.leavePair(tx, { ...member, now: ctx.now, by: actorName(ctx) }),
      }),
    }),
    ...createCommandRoutes(commands),
    ...createCommandRolloutRoutes({ commands, jobs: deps.jobs, job: rollout }),
    ...createLogRoutes(logStreams),
    ...createBundleRoutes(downloads),
    ...createShieldNodeRoutes({ commands, policyBundleFor: configuration.policyBundleFor }),
    ...createPublishRoutes({
      documents: configuration.documents,
      policies: configuration.policies,
      services,
      commands,
    }),
  ];
  return {
    routes,
    clients,
    services,
    commands,
    metrics,
    shieldEvents,
    sessions,
    attach(streams: ClientStreams) {
      attached = streams;
      changes?.stop();
      changes = new FleetChanges({
        db,
        controllerId,
        streams,
        sessions: sessions.open,
        waiting: commands.waiting,
        findReachedServices,
        pairs,
        logger,
      });
      changes.start();
      commands.start(streams);
    },
    onEvents: async (events: readonly OutboxEvent[]) => changes?.handle(events),
    onLost: async () => changes?.handleLoss(),
    onRebuilt: (clientId: string) => changes?.handleRebuilt(clientId),
    stopWaiting: () => {
      commands.waiting.close();
      logStreams.close();
      downloads.close();
    },
    close: () => lifecycle.close(),
  };
}

/** Ids of the nodes on which services run. */
export async function listNodeIds(db: Db, serviceIds: readonly string[]): Promise<string[]> {
  const nodes = await listServiceNodes(db, { serviceIds: [...serviceIds] });
  return nodes.map(({ name, projectId, client }) =>
    formatNodeId({ service: name, project: projectId, clientId: client.id }),
  );
}
