import { failFleet } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type { ServiceDocument } from './model.ts';
import { releaseAdminPort, reserveAdminPorts } from './port-store.ts';
import {
  deleteTarget,
  findClientIds,
  isNodeExpected,
  listTargetRows,
  noteDesiredChange,
  upsertTargets,
} from './store.ts';

/** Whether a write can change what every client of the service runs, or only what the changed targets run. */
export type Touches = 'all' | 'targets';

interface Scope {
  readonly project: { readonly id: string };
}

/**
 * Replaces the targets with those of the document, which must list every client where the service is deployed. Returns the clients
 * whose deployment changed.
 */
export async function replaceTargets(
  tx: Tx,
  ctx: Scope,
  { id, document, touches }: { id: string; document: ServiceDocument; touches: Touches },
): Promise<string[]> {
  const wanted = document.clients.map(({ client_id }) => client_id.toLowerCase());
  const before = await listTargetRows(tx, id);
  const gone = before.filter((target) => !wanted.includes(target.client_id));
  const stillDeployed = gone.filter((target) => target.deployed);
  if (stillDeployed.length > 0) {
    const clients = stillDeployed.map((target) => ({ client_id: target.client_id }));
    throw failFleet('service.client_deployed', { name: document.name }, { extra: { clients } });
  }
  for (const target of gone) {
    await deleteTarget(tx, id, target.client_id);
    await releaseUnusedPort(tx, id, target.client_id);
  }
  const touched = document.clients.filter(({ client_id, addresses }) => {
    const target = before.find((one) => one.client_id === client_id.toLowerCase());
    return touches === 'all' || !target || target.addresses.join() !== addresses.join();
  });
  const touchedIds = touched.map(({ client_id }) => client_id.toLowerCase());
  await noteDesiredChange(tx, [...touchedIds, ...gone.map((target) => target.client_id)]);
  if (wanted.length === 0) return [];
  await requireClients(tx, ctx, wanted);
  const added = wanted.filter((clientId) => !before.some((target) => target.client_id === clientId));
  // A change that affects a node gives it a new generation: the client reports which one it has applied.
  await upsertTargets(tx, id, { clients: document.clients, touchedIds });
  // After the targets, so that the search also avoids the ports of the service's own listeners.
  await reserveAdminPorts(tx, id, added);
  return before.flatMap(({ client_id, deployed }) => (deployed && touchedIds.includes(client_id) ? [client_id] : []));
}

async function requireClients(tx: Tx, ctx: Scope, wanted: readonly string[]): Promise<void> {
  const known = await findClientIds(tx, ctx.project.id, wanted);
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

/**
 * Frees the port at once if the client never had anything of the service; otherwise it is freed when the client reports
 * the removal.
 */
export async function releaseUnusedPort(tx: Tx, serviceId: string, clientId: string): Promise<void> {
  if (!(await isNodeExpected(tx, serviceId, clientId))) await releaseAdminPort(tx, serviceId, clientId);
}
