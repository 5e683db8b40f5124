import type { Db } from '@flotilla/db';
import { findReachedServices } from './reference-store.ts';
import type { Scope } from './store.ts';

/** Node ids of these services. */
export type ListNodes = (db: Db, serviceIds: readonly string[]) => Promise<string[]>;

/** Which services and nodes a change of these documents would reach. */
export async function describeReach(
  db: Db,
  scope: Scope,
  keys: readonly { collection: string; name: string }[],
  listNodes: ListNodes,
): Promise<{ nodes: string[]; services: { id: string; name: string }[] }> {
  const services = await findReachedServices(db, scope, keys);
  const nodes =
    services.length === 0
      ? []
      : await listNodes(
          db,
          services.map(({ id }) => id),
        );
  return { nodes, services };
}
