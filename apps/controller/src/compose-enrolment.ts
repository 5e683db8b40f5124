import type { Database, Tx } from '@flotilla/db';
import { type Closable, Lifecycle, type Logger, systemClock } from '@flotilla/kit';
import type { SnapshotCache } from '@flotilla/xds';
import type { Registry } from 'prom-client';
import type { ControllerConfig } from './config.ts';
import {
  type ClientRegistry,
  createEnrolmentRoutes,
  EnrolmentService,
  openAuthority,
  RENEWAL_GRACE_MS,
  RevocationList,
  revokeClient,
  ServerCertificate,
} from './features/enrolment/index.ts';
import type { Keyring } from './features/keyring/index.ts';
import type { Route } from './http/route.ts';
import { createStreams, type FleetPort, type Streams } from './streams/index.ts';

export interface EnrolmentDeps {
  readonly config: ControllerConfig;
  readonly database: Database;
  readonly keyring: Keyring;
  readonly logger: Logger;
  readonly metrics: Registry;
}

const HOUR_MS = 3_600_000;

/** Who may join and connect: authority, tokens, certificates; and the gRPC port that agents dial. */
export async function composeEnrolment({ config, database, keyring, logger, metrics }: EnrolmentDeps) {
  const { db } = database;
  const now = () => new Date(systemClock.now());
  const authority = await openAuthority(db, keyring, now());
  let streams: Streams | undefined;
  const controllerAddress = () => config.grpcAdvertise ?? `${config.grpcHost}:${streams?.port ?? config.grpcPort}`;

  /** Opens the port's services; nothing listens before `listen`. */
  const openStreams = async (deps: {
    clients: ClientRegistry;
    fleet: FleetPort;
    cache: SnapshotCache;
    ensureNode: (nodeId: string) => Promise<boolean>;
  }): Promise<Streams & Closable> => {
    const lifecycle = new Lifecycle();
    const revocations = new RevocationList({ database, logger, now });
    await revocations.start();
    lifecycle.add(() => revocations.close());
    const enrolment = new EnrolmentService({
      db,
      authority,
      lifetimeMs: config.agentCertificateHours * HOUR_MS,
      renewalGraceMs: RENEWAL_GRACE_MS,
      clients: deps.clients,
    });
    const opened = await createStreams({
      database,
      authority,
      enrolment,
      revocations,
      serverCertificate: new ServerCertificate(authority, { names: config.grpcNames, clock: systemClock, logger }),
      fleet: deps.fleet,
      nodes: { open: async (_, id) => ((await deps.ensureNode(id)) ? deps.cache.source(id) : undefined) },
      clock: systemClock,
      logger,
      metrics,
    });
    streams = opened;
    lifecycle.add(() => opened.close());
    return {
      commands: opened.commands,
      get port() {
        return opened.port;
      },
      listen: (address) => opened.listen(address),
      close: () => lifecycle.close(),
    };
  };

  const routes: Route[] = createEnrolmentRoutes({ fingerprint: authority.fingerprint, controllerAddress });
  const revokeCertificates = (tx: Tx, clientId: string, at: Date) => revokeClient(tx, clientId, 'client removed', at);
  return { routes, revokeCertificates, openStreams, authorityEndsAt: authority.certificate.validToDate };
}
