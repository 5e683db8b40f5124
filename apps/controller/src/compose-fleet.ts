import type { Db, OutboxEvent, Tx } from '@flotilla/db';
import { Lifecycle, type Logger } from '@flotilla/kit';
import {
  AgentReports,
  AgentSessions,
  DesiredStates,
  type FindReachedServices,
  FleetChanges,
  type NodeContents,
} from './features/agents/index.ts';
import {
  ClientRegistry,
  createClientRoutes,
  deriveLoadPercent,
  deriveMemoryPercent,
  toStatsJson,
} from './features/clients/index.ts';
import { type ClientStreams, CommandService, createCommandRoutes } from './features/commands/index.ts';
import { createConfigErrorRoutes, listActiveErrors } from './features/config-errors/index.ts';
import type { Keyring } from './features/keyring/index.ts';
import { createMetricsRoutes, MetricsRecorder } from './features/metrics/index.ts';
import {
  createServiceRoutes,
  listServicesOfClient,
  listTargeting,
  type ServiceReferences,
  ServiceRegistry,
} from './features/services/index.ts';
import { createShieldEventRoutes, ShieldEventRecorder } from './features/shield-events/index.ts';
import type { Authenticator } from './http/actor.ts';
import type { Route } from './http/route.ts';

/** What the fleet features need of others. */
export interface FleetDeps {
  readonly db: Db;
  readonly logger: Logger;
  /** Of this process; rows say by it which controller holds a stream. */
  readonly controllerId: string;
  readonly keyring: Keyring;
  readonly authenticator: Pick<Authenticator, 'findRole' | 'findReader'>;
  readonly references: ServiceReferences;
  readonly contents: NodeContents;
  readonly findReachedServices: FindReachedServices;
  readonly revokeCertificates: (tx: Tx, clientId: string, now: Date) => Promise<void>;
}

export interface Fleet {
  readonly routes: readonly Route[];
  readonly clients: ClientRegistry;
  readonly services: ServiceRegistry;
  readonly commands: CommandService;
  readonly metrics: MetricsRecorder;
  readonly shieldEvents: ShieldEventRecorder;
  /** What command streams talk to (FleetPort). */
  readonly sessions: AgentSessions;
  /** Begins to send: from now on changes and commands reach the clients by these streams, and by no others. */
  attach(streams: ClientStreams): void;
  /** Every batch of the outbox, after the snapshots have taken it in. */
  onEvents(events: readonly OutboxEvent[]): Promise<void>;
  /** Events were lost. */
  onLost(): Promise<void>;
  /** Requests that wait for clients are answered now: the server is about to close. */
  stopWaiting(): void;
  close(): Promise<void>;
}

/** Clients, services, commands and configuration errors. */
export function composeFleet(deps: FleetDeps): Fleet {
  const { db, logger, controllerId } = deps;
  const lifecycle = new Lifecycle();
  const clients = new ClientRegistry({ db, controllerId });
  const services = new ServiceRegistry({ references: deps.references });
  const commands = new CommandService({
    db,
    logger,
    services,
    findStanding: async (actor, projectId) => {
      const role = await deps.authenticator.findRole(actor, projectId);
      return role && { role, reader: await deps.authenticator.findReader(actor, projectId) };
    },
  });
  lifecycle.add(() => commands.stop());
  const desired = new DesiredStates({
    db,
    logger,
    contents: deps.contents,
    sealer: deps.keyring,
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
  const shieldEvents = new ShieldEventRecorder({ db, logger, now: () => new Date() });
  lifecycle.add(() => shieldEvents.close());
  let attached: ClientStreams | undefined;
  const sessions = new AgentSessions({
    clients,
    commands: commands.delivery,
    reports,
    metrics,
    shieldEvents,
    desired,
    now: () => new Date(),
    noteCommands: (clientId) => attached?.noteCommands(clientId),
  });

  let changes: FleetChanges | undefined;
  lifecycle.add(() => changes?.stop());

  const routes = [
    ...createServiceRoutes({ services, listActiveErrors }),
    ...createClientRoutes({
      clients,
      listServicesOfClient,
      removalFor: (ctx) => ({
        revokeCertificates: deps.revokeCertificates,
        listTargeting,
        removeFromService: (tx, serviceId, clientId) => services.undeploy(tx, ctx, serviceId, [clientId]),
        abandonCommands: (tx, clientId, now) => commands.abandon(tx, clientId, now),
      }),
    }),
    ...createConfigErrorRoutes(),
    ...createCommandRoutes(commands),
    ...createMetricsRoutes(deps.keyring),
    ...createShieldEventRoutes(),
  ];
  return {
    routes,
    clients,
    services,
    commands,
    metrics,
    shieldEvents,
    sessions,
    attach(streams) {
      attached = streams;
      changes?.stop();
      changes = new FleetChanges({
        db,
        controllerId,
        streams,
        sessions: sessions.open,
        waiting: commands.waiting,
        findReachedServices: deps.findReachedServices,
        logger,
      });
      changes.start();
      commands.start(streams);
    },
    onEvents: async (events) => changes?.handle(events),
    onLost: async () => changes?.handleLoss(),
    stopWaiting: () => commands.waiting.close(),
    close: () => lifecycle.close(),
  };
}
