import type { Database } from '@flotilla/db';
import { type Clock, type Closable, Lifecycle, type Logger } from '@flotilla/kit';
import { fleet, toGrpcDefinition } from '@flotilla/proto';
import type { AdsService } from '@flotilla/xds-grpc';
import type { Registry } from 'prom-client';
import { Admission } from './admission.ts';
import { createAdsCalls } from './ads-calls.ts';
import { CommandStreams } from './command-streams.ts';
import { createEnrolmentCalls } from './enrolment-calls.ts';
import type { AuthorityCertificate, EnrolmentPort, RevocationPort, ServerCertificatePort } from './enrolment-port.ts';
import { GrpcListener, type GrpcListenerOptions } from './listener.ts';
import { LogCalls, NO_COLLECTOR } from './log-calls.ts';
import type { LogLimits } from './log-shares.ts';
import { createStreamMetrics, type StreamMetrics } from './metrics.ts';
import { Openings } from './openings.ts';
import { PeerTable } from './peers.ts';
import type { FleetPort, LogsPort, NodesPort } from './ports.ts';
import { RateWindow } from './rate-window.ts';
import { Refusals } from './refusals.ts';

export type { CommandStreams } from './command-streams.ts';
export type { ClientIdentity, FleetPort, LogAnswer, LogsPort, NodesPort } from './ports.ts';

export interface StreamsOptions {
  readonly database: Database;
  readonly authority: AuthorityCertificate;
  readonly enrolment: EnrolmentPort;
  readonly revocations: RevocationPort;
  readonly serverCertificate: ServerCertificatePort;
  readonly fleet: FleetPort;
  readonly nodes: NodesPort;
  /** The collector of access logs; without one, agents are asked to come back later. */
  readonly logs?: LogsPort | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Registry | undefined;
  readonly limits?: GrpcListenerOptions['limits'];
  /** Enrolments per minute and address; 0 for no limit. */
  readonly enrolmentsPerMinute?: number;
  /** Command streams that may open at a time; tests lower it. */
  readonly openingsAtOnce?: number;
  /** Memory for batches of access logs; tests lower it. */
  readonly logLimits?: Partial<LogLimits>;
}

/** The gRPC port for agents. */
export interface Streams extends Closable {
  readonly commands: CommandStreams;
  /** Command streams that are being opened. */
  readonly opening: number;
  /** The port for agents, once `listen` has resolved. */
  readonly port: number | undefined;
  listen(address: { host: string; port: number }): Promise<number>;
}

const ENROLMENTS_PER_MINUTE = 60;
const MINUTE_MS = 60_000;

export async function createStreams(options: StreamsOptions): Promise<Streams> {
  const { database, authority, enrolment, revocations, serverCertificate, clock, logger } = options;
  const lifecycle = new Lifecycle();
  const peers = new PeerTable(authority.certificate);
  let metrics: StreamMetrics | undefined;
  const refusals = new Refusals({ db: database.db, clock, logger, onRefused: (code) => metrics?.refused(code) });
  const admission = new Admission({ enrolment, revocations, peers, refusals, clock });
  const limit = options.enrolmentsPerMinute ?? ENROLMENTS_PER_MINUTE;
  const rate = new RateWindow({ limit: limit === 0 ? Number.POSITIVE_INFINITY : limit, windowMs: MINUTE_MS, clock });

  const openings = new Openings({ clock, atOnce: options.openingsAtOnce });
  const commands = new CommandStreams({ admission, fleet: options.fleet, openings, logger });
  const ads = createAdsCalls({ admission, nodes: options.nodes, logger });
  const { logs: port = NO_COLLECTOR, logLimits } = options;
  const logs = new LogCalls({ admission, logs: port, logger, ...(logLimits && { limits: logLimits }) });
  const identity = await serverCertificate.issue();
  const listener = new GrpcListener(
    {
      authority,
      revocations,
      peers,
      clock,
      logger,
      ...(options.limits && { limits: options.limits }),
      services: [
        {
          definition: toGrpcDefinition(fleet.EnrolmentService),
          handlers: createEnrolmentCalls({ admission, authority, enrolment, rate, clock, logger }),
        },
        { definition: toGrpcDefinition(fleet.CommandService), handlers: { connect: commands.connect } },
        { definition: toGrpcDefinition(fleet.LogService), handlers: { push: logs.push } },
        ads,
      ],
    },
    identity,
  );
  metrics = options.metrics && measure(options.metrics, { listener, commands, ads, openings, logs });
  serverCertificate.keepFresh(identity, (next) => listener.install(next));
  lifecycle.add(() => serverCertificate.close());
  lifecycle.add(() => listener.close());
  lifecycle.add(() => ads.close());
  lifecycle.add(() => logs.close());
  lifecycle.add(() => commands.close());
  return {
    commands,
    get opening() {
      return openings.count;
    },
    get port() {
      return listener.port;
    },
    listen: (address) => listener.listen(address),
    close: () => lifecycle.close(),
  };
}

interface Measured {
  readonly listener: GrpcListener;
  readonly commands: CommandStreams;
  readonly ads: AdsService;
  readonly openings: Openings;
  readonly logs: LogCalls;
}

function measure(registry: Registry, { listener, commands, ads, openings, logs }: Measured): StreamMetrics {
  return createStreamMetrics(registry, {
    connections: () => listener.connections,
    commandStreams: () => commands.count,
    adsStreams: () => ads.count(),
    openings: () => openings.count,
    waitingHandshakes: () => listener.waiting,
    putOff: () => openings.putOff,
    turnedAway: () => listener.turnedAway,
    logStreams: () => logs.streams,
    logBytes: () => logs.bytesInFlight,
    logBatches: () => logs.counts,
  });
}
