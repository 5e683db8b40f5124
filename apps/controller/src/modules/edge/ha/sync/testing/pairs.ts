import { createId } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { noteMemberJoined } from '../index.ts';

export interface TestPair {
  readonly id: string;
  readonly members: readonly string[];
}

/** A pair of these clients, the first one with the higher priority, as its creation writes it. */
export async function insertPair(
  { db }: Pick<TestDatabase, 'db'>,
  { project, clients, name }: { readonly project: string; readonly clients: readonly string[]; readonly name?: string },
): Promise<TestPair> {
  const id = createId();
  const now = new Date();
  await db.transaction().execute(async (tx) => {
    await sql`insert into ha_pairs (id, project_id, name, interval_ms, misses, fence_targets, next_hops, preempt, config_rev,
        created_at, updated_at, updated_by)
      values (${id}, ${project}, ${name ?? `pair-${id.slice(-8)}`}, 200, 5, '{}', '{}', false, 1,
        ${now}, ${now}, 'test')`.execute(tx);
    for (const [slot, clientId] of clients.entries()) {
      await sql`insert into ha_members (client_id, pair_id, slot, priority)
        values (${clientId}, ${id}, ${slot}, ${200 - 100 * slot})`.execute(tx);
    }
    const joined = clients.at(-1);
    if (clients.length > 1 && joined) await noteMemberJoined(tx, { pairId: id, clientId: joined, now });
  });
  return { id, members: clients };
}

export interface OwedRow {
  readonly service_id: string;
  readonly client_id: string;
  readonly source_id: string;
  readonly op: string;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly command_id: string | null;
}

export async function readOwed({ db }: Pick<TestDatabase, 'db'>, pairId: string): Promise<OwedRow[]> {
  const { rows } = await sql<OwedRow>`
    select service_id, client_id, source_id, op, attempts, last_error, command_id from ha_sync
    where pair_id = ${pairId} order by service_id`.execute(db);
  return rows;
}

/** The desired state of the service, by client. A client where it is not deployed is not in it. */
export async function readDeployed({ db }: Pick<TestDatabase, 'db'>, serviceId: string) {
  const { rows } = await sql<{
    client_id: string;
    addresses: string[];
    run_state: string;
    version: string;
    drain: number;
  }>`
    select client_id, addresses, run_state, coalesce(envoy_version, services.version) as version,
      coalesce(drain_time_s, 10) as drain
    from service_targets join services on services.id = service_id where service_id = ${serviceId} and deployed`.execute(
    db,
  );
  return new Map(rows.map(({ client_id: clientId, ...row }) => [clientId, row]));
}

export interface CommandRow {
  readonly id: string;
  readonly client_id: string;
  readonly service_id: string | null;
  readonly name: string;
  readonly status: string;
  readonly created_by: string;
}

/** All commands of a client, the oldest first. */
export async function readCommands({ db }: Pick<TestDatabase, 'db'>, clientId: string): Promise<CommandRow[]> {
  const { rows } = await sql<CommandRow>`
    select id, client_id, service_id, trim(concat_ws(' ', type, sub_type, operation)) as name, status, created_by
    from commands where client_id = ${clientId} order by fence`.execute(db);
  return rows.map((row) => ({ ...row, name: row.name.replaceAll(/ +/g, ' ') }));
}
