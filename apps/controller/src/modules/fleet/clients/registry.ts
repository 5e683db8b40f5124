import { create } from '@bufbuild/protobuf';
import { fail, failFleet } from '@flotilla/contract';
import { type Db, isRefusedValue, publish, type Tx } from '@flotilla/db';
import { Batches } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { deriveFirstLabels } from './labels.ts';
import { deriveLoadPercent, deriveMemoryPercent, toFactColumns, toStatsJson } from './model.ts';
import {
  type Connecting,
  type Disconnecting,
  deleteClient,
  findClient,
  insertClient,
  lockClient,
  lockConnection,
  markDisconnected,
  markFreeConnected,
  markFreeDisconnected,
  type NewStats,
  updateFacts,
  upsertStats,
} from './store.ts';
import { findProjectOfClient } from './views.ts';

/** Topic of removed clients: the controller with the client's stream drops it. */
export const CLIENTS_REMOVED = 'clients.removed';
/** Topic of clients with a newer stream on another controller: the controller with the older one drops it. */
export const CLIENTS_MOVED = 'clients.moved';
/** Clients per statement. */
const BATCH_MAX = 200;
const BATCHES_AT_ONCE = 2;

/** A client that leaves its pair because it is removed. */
export interface PairRemoval {
  /** Before services and clients are locked. Returns the pair that is locked now. Throws unless a member may be removed. */
  lockPair(tx: Tx, client: { clientId: string; force: boolean }): Promise<string | undefined>;
  /** Leaves a vacancy in that pair. Throws if the client has joined one in the meantime. */
  leavePair(tx: Tx, member: { clientId: string; pairId: string | undefined; now: Date; by: string }): Promise<void>;
}

/** The work of other features when a client is removed, in the same transaction. */
export interface ClientRemoval extends Pick<PairRemoval, 'lockPair'> {
  leavePair(tx: Tx, member: { clientId: string; pairId: string | undefined }): Promise<void>;
  revokeCertificates(tx: Tx, clientId: string, now: Date): Promise<void>;
  /** Services that target the client. */
  listTargeting(tx: Tx, clientId: string): Promise<Array<{ id: string; name: string }>>;
  removeFromService(tx: Tx, serviceId: string, clientId: string): Promise<void>;
  /** Ends the client's unfinished commands. */
  abandonCommands(tx: Tx, clientId: string, now: Date): Promise<void>;
}

/** One stream of a client. The stream with the highest epoch is the newest. */
export interface Connection {
  readonly clientId: string;
  readonly projectId: string;
  readonly epoch: number;
}

/**
 * The client records. A client is created at enrolment. It is Live from `recordConnected` until `recordDisconnected` of
 * the same epoch (or until the controller with its stream is gone), Offline otherwise, and deleted by `remove`. A late
 * end of an older stream carries an older epoch and changes nothing.
 */
export class ClientRegistry {
  readonly #db: Db;
  readonly #controllerId: string;
  readonly #stats = new Map<string, fleet.HostStats>();

  // Many agents come and go at once when a controller stops or starts.
  readonly #connecting: Batches<Connecting, Connection | undefined>;
  readonly #disconnecting: Batches<Disconnecting, void>;
  readonly #firstStats: Batches<NewStats, undefined>;

  constructor(deps: { db: Db; controllerId: string }) {
    this.#db = deps.db;
    this.#controllerId = deps.controllerId;
    const limits = { max: BATCH_MAX, atOnce: BATCHES_AT_ONCE, isOfOneItem: isRefusedValue };
    this.#connecting = new Batches({ ...limits, run: (some) => this.#connectAll(some) });
    this.#disconnecting = new Batches({ ...limits, run: (some) => this.#disconnectAll(some) });
    this.#firstStats = new Batches({
      ...limits,
      run: async (samples) => {
        await upsertStats(deps.db, samples);
        return samples.map(() => undefined);
      },
    });
  }

  /** Creates the client's record in the transaction of its enrolment. */
  async register(
    tx: Tx,
    {
      id,
      projectId,
      facts = create(fleet.HostFactsSchema),
      labels = {},
      now,
    }: {
      id: string;
      projectId: string;
      facts: fleet.HostFacts | undefined;
      /** Labels of the enrolment token. */
      labels?: Readonly<Record<string, string>>;
      now: Date;
    },
  ): Promise<void> {
    const first = deriveFirstLabels({ token: labels, host: facts.labels }, now);
    await insertClient(tx, { id, project_id: projectId, ...toFactColumns(facts), ...first }, now);
  }

  /** The project of an existing client. */
  findProject(db: Db | Tx, clientId: string): Promise<string | undefined> {
    return findProjectOfClient(db, clientId);
  }

  /** The facts have changed while the client is connected. */
  async recordFacts(clientId: string, facts: fleet.HostFacts, now: Date): Promise<void> {
    await updateFacts(this.#db, clientId, toFactColumns(facts), now);
  }

  /** A stream has connected. undefined: the client does not exist (any more), so the stream must be refused. */
  recordConnected(
    clientId: string,
    { facts, reason, now }: { facts: fleet.HostFacts | undefined; reason: string; now: Date },
  ): Promise<Connection | undefined> {
    return this.#connecting.add({ clientId, facts: facts && toFactColumns(facts), reason, now });
  }

  async recordDisconnected(connection: Connection, reason: string, now: Date): Promise<void> {
    const { clientId, epoch } = connection;
    this.#stats.delete(clientId);
    await this.#disconnecting.add({ clientId, epoch, reason, now });
  }

  /**
   * Stores the newest sample. The first of a stream is written at once, later ones together with those of all clients.
   */
  async recordStats(clientId: string, stats: fleet.HostStats, now: Date): Promise<void> {
    const isFirst = !this.#stats.has(clientId);
    this.#stats.set(clientId, stats);
    if (!isFirst) return;
    await this.#firstStats.add({
      clientId,
      stats: toStatsJson(stats),
      loadPercent: deriveLoadPercent(stats),
      memoryPercent: deriveMemoryPercent(stats),
      now,
    });
  }

  async #connectAll(connecting: readonly Connecting[]) {
    const connected = await this.#connectFree(connecting);
    return connecting.map((one) => connected.get(one.clientId) ?? this.#connectLater(one));
  }

  /** By client: those that no other transaction has locked. */
  #connectFree(connecting: readonly Connecting[]): Promise<ReadonlyMap<string, Connection>> {
    return this.#db.transaction().execute((tx) => this.#connectWithin(tx, connecting));
  }

  /** Waits for the lock of the client. */
  #connectLater(connecting: Connecting): Promise<Connection | undefined> {
    return this.#db.transaction().execute(async (tx) => {
      await lockConnection(tx, connecting.clientId);
      return (await this.#connectWithin(tx, [connecting])).get(connecting.clientId);
    });
  }

  async #connectWithin(tx: Tx, connecting: readonly Connecting[]): Promise<ReadonlyMap<string, Connection>> {
    const rows = await markFreeConnected(tx, connecting, this.#controllerId);
    const connected = connecting.flatMap((one) => {
      const row = rows.get(one.clientId);
      return row ? { ...one, ...row } : [];
    });
    const moved = connected.find(({ connectedBefore: from }) => from !== null && from !== this.#controllerId);
    // One event for all: controllers compare all their streams with the table then.
    if (moved) await publish(tx, CLIENTS_MOVED, { client_id: moved.clientId }, moved.now);
    return new Map(
      connected.map(({ clientId, projectId, epoch }) => [clientId, { clientId, projectId, epoch }] as const),
    );
  }

  async #disconnectAll(disconnecting: readonly Disconnecting[]): Promise<Array<void | Promise<void>>> {
    const locked = await markFreeDisconnected(this.#db, disconnecting, this.#controllerId);
    return disconnecting.map((one) =>
      locked.has(one.clientId) ? markDisconnected(this.#db, one, this.#controllerId) : undefined,
    );
  }

  /** Newest sample of a client with a stream on this controller. */
  latestStats(clientId: string): fleet.HostStats | undefined {
    return this.#stats.get(clientId);
  }

  /**
   * Deletes a client: its certificates are revoked and its stream ends when the transaction commits. Refused with the
   * services that target it, unless forced.
   */
  async remove(
    tx: Tx,
    removal: ClientRemoval,
    { clientId, projectId, force, now }: { clientId: string; projectId: string; force: boolean; now: Date },
  ): Promise<{ name: string; services: Array<{ id: string; name: string }> }> {
    const client = await findClient(tx, projectId, clientId);
    if (!client) throw fail('record.not_found', { kind: 'client', name: clientId });
    const pairId = await removal.lockPair(tx, { clientId, force });
    const services = await removal.listTargeting(tx, clientId);
    const refuse = (targeting: typeof services) =>
      failFleet('client.targeted', { name: client.name }, { extra: { services: targeting } });
    if (services.length > 0 && !force) throw refuse(services);
    // Services are locked before clients, as everywhere; a service that was assigned in between prevents the removal.
    for (const service of services) await removal.removeFromService(tx, service.id, clientId);
    await lockClient(tx, clientId);
    const late = await removal.listTargeting(tx, clientId);
    if (late.length > 0) throw refuse(late);
    await removal.revokeCertificates(tx, clientId, now);
    await removal.abandonCommands(tx, clientId, now);
    await removal.leavePair(tx, { clientId, pairId });
    await deleteClient(tx, clientId);
    await publish(tx, CLIENTS_REMOVED, { project_id: projectId, client_id: clientId }, now);
    return { name: client.name, services };
  }
}
