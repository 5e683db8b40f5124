import { create } from '@bufbuild/protobuf';
import { fail, failFleet } from '@flotilla/contract';
import { type Db, publish, type Tx } from '@flotilla/db';
import { fleet } from '@flotilla/proto';
import { sql } from 'kysely';
import { deriveLoadPercent, deriveMemoryPercent, toFactColumns, toStatsJson } from './model.ts';
import { findProjectOfClient } from './views.ts';

/** Topic published when a client has been removed: whoever holds its stream drops it. */
export const CLIENTS_REMOVED = 'clients.removed';
/** Topic published when a client has a newer stream at another controller: the one with the older drops it. */
export const CLIENTS_MOVED = 'clients.moved';
/** A row of stats at most this often; the newest sample is in memory of the controller that got it. */
export const STATS_WRITE_INTERVAL_MS = 30_000;

/** What removing a client needs of other features, as part of the same transaction. */
export interface ClientRemoval {
  /** Makes its certificates worthless. */
  revokeCertificates(tx: Tx, clientId: string, now: Date): Promise<void>;
  /** Services that target the client. */
  listTargeting(tx: Tx, clientId: string): Promise<Array<{ id: string; name: string }>>;
  removeFromService(tx: Tx, serviceId: string, clientId: string): Promise<void>;
  /** Ends what was asked of it. */
  abandonCommands(tx: Tx, clientId: string, now: Date): Promise<void>;
}

/** One stream of one client. Of two, the one with the higher epoch is the newer. */
export interface Connection {
  readonly clientId: string;
  readonly projectId: string;
  readonly epoch: number;
}

/**
 * The clients' records.
 *
 * A client is made at enrolment, Live from `recordConnected` until `recordDisconnected` of the same epoch (or until the
 * controller that holds its stream is gone), Offline otherwise, and gone after `remove`. The end of an older stream that
 * comes late carries an older epoch and changes nothing.
 */
export class ClientRegistry {
  readonly #db: Db;
  readonly #controllerId: string;
  readonly #stats = new Map<string, { sample: fleet.HostStats; writtenAtMs: number }>();

  constructor(deps: { db: Db; controllerId: string }) {
    this.#db = deps.db;
    this.#controllerId = deps.controllerId;
  }

  /** Makes the client's record, in the transaction of its enrolment. */
  async register(
    tx: Tx,
    { id, projectId, facts, now }: { id: string; projectId: string; facts: fleet.HostFacts | undefined; now: Date },
  ): Promise<void> {
    await tx
      .insertInto('clients')
      .values({
        id,
        project_id: projectId,
        ...toFactColumns(facts ?? create(fleet.HostFactsSchema)),
        connected_to: null,
        connect_reason: null,
        disconnect_reason: null,
        created_at: now,
        updated_at: now,
      })
      .execute();
  }

  /** The project of a client that exists. */
  findProject(db: Db | Tx, clientId: string): Promise<string | undefined> {
    return findProjectOfClient(db, clientId);
  }

  /** A stream has come up. Undefined: there is no such client (any more); the stream is to be refused. */
  async recordConnected(
    clientId: string,
    { facts, reason, now }: { facts: fleet.HostFacts | undefined; reason: string; now: Date },
  ): Promise<Connection | undefined> {
    return this.#db.transaction().execute(async (tx) => {
      const before = await tx
        .selectFrom('clients')
        .select('connected_to')
        .where('id', '=', clientId)
        .forNoKeyUpdate()
        .executeTakeFirst();
      if (!before) return undefined;
      const row = await tx
        .updateTable('clients')
        .set({
          ...(facts && { ...toFactColumns(facts), updated_at: now }),
          connected_to: this.#controllerId,
          connection_epoch: sql<number>`connection_epoch + 1`,
          connect_time: now,
          connect_reason: reason,
          last_seen: now,
        })
        .where('id', '=', clientId)
        .returning(['project_id', 'connection_epoch'])
        .executeTakeFirstOrThrow();
      if (before.connected_to !== null && before.connected_to !== this.#controllerId) {
        await publish(tx, CLIENTS_MOVED, { client_id: clientId }, now);
      }
      return { clientId, projectId: row.project_id, epoch: row.connection_epoch };
    });
  }

  async recordDisconnected(connection: Connection, reason: string, now: Date): Promise<void> {
    this.#stats.delete(connection.clientId);
    await this.#db
      .updateTable('clients')
      .set({ connected_to: null, disconnect_time: now, disconnect_reason: reason, last_seen: now })
      .where('id', '=', connection.clientId)
      .where('connection_epoch', '=', connection.epoch)
      .where('connected_to', '=', this.#controllerId)
      .execute();
  }

  /** Keeps the newest sample, and a row of it at most every STATS_WRITE_INTERVAL_MS. */
  async recordStats(clientId: string, stats: fleet.HostStats, now: Date): Promise<void> {
    const before = this.#stats.get(clientId);
    const isDue = !before || now.getTime() - before.writtenAtMs >= STATS_WRITE_INTERVAL_MS;
    this.#stats.set(clientId, { sample: stats, writtenAtMs: isDue ? now.getTime() : before.writtenAtMs });
    if (!isDue) return;
    await this.writeStats(clientId, toStatsJson(stats), {
      now,
      loadPercent: deriveLoadPercent(stats),
      memoryPercent: deriveMemoryPercent(stats),
    });
  }

  /** Newest sample of a client whose stream is here. */
  latestStats(clientId: string): fleet.HostStats | undefined {
    return this.#stats.get(clientId)?.sample;
  }

  async writeStats(
    clientId: string,
    stats: Record<string, unknown>,
    { now, loadPercent, memoryPercent }: { now: Date; loadPercent: number; memoryPercent: number },
  ): Promise<void> {
    const values = { at: now, load_percent: loadPercent, memory_percent: memoryPercent, stats: JSON.stringify(stats) };
    // Selected from `clients`, so that the last words of a client that was just removed are dropped, not an error.
    await sql`
      insert into client_stats (client_id, at, load_percent, memory_percent, stats)
      select id, ${values.at}, ${values.load_percent}, ${values.memory_percent}, ${values.stats}::jsonb
      from clients where id = ${clientId}
      on conflict (client_id) do update set at = excluded.at, load_percent = excluded.load_percent,
        memory_percent = excluded.memory_percent, stats = excluded.stats`.execute(this.#db);
    await this.#db.updateTable('clients').set({ last_seen: now }).where('id', '=', clientId).execute();
  }

  /**
   * Removes a client for good, at once: its certificates are revoked and its stream is dropped when the transaction
   * commits. Refused with the services that target it, unless forced.
   */
  async remove(
    tx: Tx,
    removal: ClientRemoval,
    { clientId, projectId, force, now }: { clientId: string; projectId: string; force: boolean; now: Date },
  ): Promise<{ name: string; services: Array<{ id: string; name: string }> }> {
    const client = await tx
      .selectFrom('clients')
      .select(['name'])
      .where('id', '=', clientId)
      .where('project_id', '=', projectId)
      .executeTakeFirst();
    if (!client) throw fail('record.not_found', { kind: 'client', name: clientId });
    const services = await removal.listTargeting(tx, clientId);
    const refuse = (targeting: typeof services) =>
      failFleet('client.targeted', { name: client.name }, { extra: { services: targeting } });
    if (services.length > 0 && !force) throw refuse(services);
    // Services are locked before clients, here as everywhere; a service that came to the client meanwhile is in the way.
    for (const service of services) await removal.removeFromService(tx, service.id, clientId);
    await tx.selectFrom('clients').select('id').where('id', '=', clientId).forUpdate().execute();
    const late = await removal.listTargeting(tx, clientId);
    if (late.length > 0) throw refuse(late);
    await removal.revokeCertificates(tx, clientId, now);
    await removal.abandonCommands(tx, clientId, now);
    await tx.deleteFrom('clients').where('id', '=', clientId).execute();
    await publish(tx, CLIENTS_REMOVED, { project_id: projectId, client_id: clientId }, now);
    return { name: client.name, services };
  }
}
