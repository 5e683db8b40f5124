import type { Db } from '@flotilla/db';
import { listReached, type Reader } from '../../../platform/auth/index.ts';
import { findReachedServices } from './reached-services-view.ts';
import type { Scope } from './store.ts';

/** Node ids of these services. */
export type ListNodes = (db: Db, serviceIds: readonly string[]) => Promise<string[]>;

/** The services and nodes that a change of these documents would affect, as far as the reader may see them. */
export async function describeReach(
  db: Db,
  scope: Scope,
  keys: readonly { collection: string; name: string }[],
  { listNodes, reader }: { listNodes: ListNodes; reader: Reader | undefined },
): Promise<{ nodes: string[]; services: { id: string; name: string }[] }> {
  const reached = await findReachedServices(db, scope, keys);
  const ids = reached.map(({ id }) => id);
  const seen = reader && (await listReached(db, reader, { kind: 'service', ids, level: 'view' }));
  const services = seen ? reached.filter(({ id }) => seen.has(id)) : reached;
  const nodes =
    services.length === 0
      ? []
      : await listNodes(
          db,
          services.map(({ id }) => id),
        );
  return { nodes, services };
}
