import { failFleet } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import type { AppError } from '@flotilla/kit';
import { listReached, type Reader } from '../../../platform/auth/index.ts';
import { type Binding, isTaken, listPorts, listSockets, shortenAddress, toBindings } from './port-use.ts';
import { findAdminPorts, findClientNames, findListenerUsers, findListenerUses, lockClients } from './port-use-store.ts';

/** Two sockets that a host cannot open both. */
export interface PortConflict {
  /** The socket of the change. */
  readonly own: Binding;
  readonly other: Binding;
}

/** A conflict beyond this many is not reported. */
const CONFLICTS_MAX = 50;

/**
 * Finds sockets of these services on these clients that another service, an admin port or another listener has. Reads
 * what the transaction wrote, and locks the clients, so that of two concurrent changes the second one sees the first.
 */
export async function findPortConflicts(
  tx: Tx,
  { serviceIds, clientIds }: { readonly serviceIds: readonly string[]; readonly clientIds: readonly string[] },
): Promise<PortConflict[]> {
  if (clientIds.length === 0) return [];
  await lockClients(tx, clientIds);
  const own = await findListenerUses(tx, { clientIds, serviceIds });
  const ports = [...new Set(own.flatMap((use) => (use.binds ? listPorts(use) : [])))];
  if (ports.length === 0) return [];
  const uses = await findListenerUses(tx, { clientIds, ports });
  const others = [...uses.flatMap(toBindings), ...(await findAdminPorts(tx, { clientIds, ports }))];
  const atPort = Map.groupBy(others, placeOf);
  const found: PortConflict[] = [];
  for (const binding of own.flatMap(toBindings)) {
    const other = atPort.get(placeOf(binding))?.find((one) => !isSame(one, binding) && isTaken(binding, one));
    if (other) found.push({ own: binding, other });
    if (found.length === CONFLICTS_MAX) break;
  }
  return found;
}

/** The errors of stored listeners whose ports are in use on the clients of the services that have them. */
export async function checkStoredListeners(
  tx: Tx,
  scope: { readonly project: string; readonly version: string },
  listeners: readonly string[],
  reader: Reader | undefined,
): Promise<Array<{ listener: string; error: AppError }>> {
  const users = await findListenerUsers(tx, scope, listeners);
  const conflicts = await findPortConflicts(tx, {
    serviceIds: [...new Set(users.map(({ service_id }) => service_id))],
    clientIds: [...new Set(users.map(({ client_id }) => client_id))],
  });
  const refused: Array<{ listener: string; error: AppError }> = [];
  for (const listener of listeners) {
    const own = conflicts.filter((conflict) => conflict.own.listener === listener);
    const error = await failPortInUse(tx, own, { reader, pathOf: () => 'resource.address' });
    if (error) refused.push({ listener, error });
  }
  return refused;
}

/** The error for a conflict. Names what the reader may not see only by its kind. */
export async function failPortInUse(
  tx: Tx,
  conflicts: readonly PortConflict[],
  { reader, pathOf }: { reader: Reader | undefined; pathOf: (conflict: PortConflict) => string },
): Promise<AppError | undefined> {
  const [first] = conflicts;
  if (!first) return undefined;
  const names = await findClientNames(
    tx,
    conflicts.map(({ own }) => own.clientId),
  );
  const idsOf = (pick: (binding: Binding) => string) => [...new Set(conflicts.map(({ other }) => pick(other)))];
  const seen = reader && {
    services: await listReached(tx, reader, { kind: 'service', ids: idsOf((one) => one.serviceId), level: 'view' }),
    clients: await listReached(tx, reader, { kind: 'client', ids: idsOf((one) => one.clientId), level: 'view' }),
  };
  const describe = ({ own, other }: PortConflict) => ({
    port: own.port,
    listener: own.listener,
    client: seen?.clients.has(own.clientId) === false ? 'of the service' : (names.get(own.clientId) ?? own.clientId),
    user: describeUser(own, other, seen?.services.has(other.serviceId) !== false),
  });
  const details = conflicts.map((conflict) => {
    const { port, client, user } = describe(conflict);
    return {
      path: pathOf(conflict),
      rule: 'port.in_use',
      message: `port ${port} on client ${client} is used by ${user}`,
    };
  });
  return failFleet('port.in_use', describe(first), { details });
}

function describeUser(own: Binding, other: Binding, isSeen: boolean): string {
  if (!isSeen) return 'another service';
  if (other.listener === undefined) return `the admin endpoint of service ${other.service}`;
  const listener = `listener ${other.listener}`;
  return own.serviceId === other.serviceId
    ? `${listener} of the same service`
    : `${listener} of service ${other.service}`;
}

function placeOf({ clientId, port }: Binding): string {
  return `${clientId} ${port}`;
}

function isSame(a: Binding, b: Binding): boolean {
  return a.serviceId === b.serviceId && a.listener === b.listener;
}

/** The ports of the stored listeners of a service on these clients, in order. */
export async function findListenerPorts(
  db: Db,
  { serviceId, clientIds }: { readonly serviceId: string; readonly clientIds: readonly string[] },
): Promise<number[]> {
  const uses = await findListenerUses(db, { clientIds, serviceIds: [serviceId] });
  return [...new Set(uses.flatMap((use) => (use.binds ? listPorts(use) : [])))].sort((a, b) => a - b);
}

/** Listeners of services on these clients that open exactly this address and port. */
export async function findListenersAt(
  db: Db,
  {
    clientIds,
    address,
    port,
  }: { readonly clientIds: readonly string[]; readonly address: string; readonly port: number },
): Promise<Array<{ listener: string; serviceId: string }>> {
  const uses = await findListenerUses(db, { clientIds, ports: [port] });
  const found = uses.filter((use) => {
    const own = listSockets(use);
    return own.some((socket) => socket.port === port && shortenAddress(socket.address) === shortenAddress(address));
  });
  const distinct = new Map(
    found.map(({ listener, serviceId }) => [`${serviceId} ${listener}`, { listener, serviceId }]),
  );
  return [...distinct.values()];
}
