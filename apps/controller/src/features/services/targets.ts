import { failFleet } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { sql } from 'kysely';
import type { ServiceDocument } from './model.ts';
import { releaseAdminPort, reserveAdminPorts } from './ports.ts';

/** Whether a write can change what every client of the service runs, or only that of the targets it changes. */
export type Touches = 'all' | 'targets';

interface Scope {
  readonly project: { readonly id: string };
}

/** Brings the targets to what the document lists; a client that the service is deployed to may not be left out. */
export async function replaceTargets(
  tx: Tx,
  ctx: Scope,
  { id, document, touches }: { id: string; document: ServiceDocument; touches: Touches },
): Promise<void> {
  const wanted = document.clients.map(({ client_id }) => client_id.toLowerCase());
  const before = await tx.selectFrom('service_targets').selectAll().where('service_id', '=', id).execute();
  const gone = before.filter((target) => !wanted.includes(target.client_id));
  const stillDeployed = gone.filter((target) => target.deployed);
  if (stillDeployed.length > 0) {
    const clients = stillDeployed.map((target) => ({ client_id: target.client_id }));
    throw failFleet('service.client_deployed', { name: document.name }, { extra: { clients } });
  }
  for (const target of gone) {
    await tx
      .deleteFrom('service_targets')
      .where('service_id', '=', id)
      .where('client_id', '=', target.client_id)
      .execute();
    await releaseUnusedPort(tx, id, target.client_id);
  }
  const touched = document.clients.filter(({ client_id, addresses }) => {
    const target = before.find((one) => one.client_id === client_id.toLowerCase());
    return touches === 'all' || !target || target.addresses.join() !== addresses.join();
  });
  const touchedIds = touched.map(({ client_id }) => client_id.toLowerCase());
  await noteDesiredChange(tx, [...touchedIds, ...gone.map((target) => target.client_id)]);
  if (wanted.length === 0) return;
  await requireClients(tx, ctx, wanted);
  const added = wanted.filter((clientId) => !before.some((target) => target.client_id === clientId));
  await reserveAdminPorts(tx, id, added);
  await tx
    .insertInto('service_targets')
    .values(
      document.clients.map(({ client_id, addresses }, position) => ({
        service_id: id,
        client_id,
        position,
        addresses,
        generation: sql<number>`nextval('fleet_generation')`,
        envoy_version: null,
        content_digest: null,
        content_generation: null,
        sealed_content: null,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['service_id', 'client_id']).doUpdateSet((eb) => ({
        position: eb.ref('excluded.position'),
        addresses: eb.ref('excluded.addresses'),
        // A change that reaches the node is a new generation of it: the client reports which one it has applied.
        generation: sql<number>`case when service_targets.client_id = any(${touchedIds}::uuid[])
          then excluded.generation else service_targets.generation end`,
      })),
    )
    .execute();
}

/** Raises the revision of what these clients should run: whoever holds their streams sends it. */
export async function noteDesiredChange(tx: Tx, clientIds: readonly string[]): Promise<void> {
  if (clientIds.length === 0) return;
  // In one order, so that two changes of many clients do not wait for each other.
  await sql`
    update clients set desired_revision = nextval('fleet_generation')
    where id in (select id from clients where id = any(${[...clientIds]}::uuid[]) order by id for no key update)`.execute(
    tx,
  );
}

async function requireClients(tx: Tx, ctx: Scope, wanted: readonly string[]): Promise<void> {
  const rows = await tx
    .selectFrom('clients')
    .select('id')
    .where('project_id', '=', ctx.project.id)
    .where('id', 'in', [...wanted])
    .execute();
  const known = new Set(rows.map(({ id }) => id));
  const details = wanted.flatMap((clientId, i) =>
    known.has(clientId)
      ? []
      : [
          {
            path: `clients[${i}].client_id`,
            rule: 'exists',
            message: `there is no client ${clientId} in this project`,
          },
        ],
  );
  if (details.length > 0) {
    throw failFleet('service.invalid', { reason: `${details[0]?.path}: ${details[0]?.message}` }, { details });
  }
}

/** A port is free again at once where the client never had anything of the service; else when it reports it removed. */
export async function releaseUnusedPort(tx: Tx, serviceId: string, clientId: string): Promise<void> {
  const state = await tx
    .selectFrom('node_states')
    .select('phase')
    .where('service_id', '=', serviceId)
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  if (!state) await releaseAdminPort(tx, serviceId, clientId);
}
