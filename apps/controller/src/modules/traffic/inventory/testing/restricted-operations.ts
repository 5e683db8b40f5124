import type { RestrictedWorld } from '../../../identity/permissions/testing/listed-world.ts';
import { applyBatches } from '../apply-store.ts';
import { createDelta } from './deltas.ts';

/** Stores `GET hidden.test/` and `GET shown.test/`, each of the service and client of that name. */
export async function applyRestricted(
  { t, hidden, shown }: RestrictedWorld,
  facts: Parameters<typeof createDelta>[1],
): Promise<void> {
  for (const [name, { service, client }] of Object.entries({ hidden, shown })) {
    const places = { services: [service], clients: [client], listeners: [name] };
    const deltas = [createDelta(`GET ${name}.test/`, { ...places, ...facts })];
    const batch = { projectId: t.project, clientId: client, serviceId: service, epoch: 'f', sequence: 1 };
    await applyBatches(t.database.db, [{ ...batch, deltas, now: new Date() }]);
  }
}
