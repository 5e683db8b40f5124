import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/envoy-api';

/**
 * The address of a listener that is bound to the service's address on each client. If there are several addresses, the
 * listener binds all of them.
 */
export const CLIENT_ADDRESS = '@client';

/** Whether the clients provide the listener's address. */
export function isManaged(listener: JsonObject): boolean {
  return socketOf(listener.address)?.address === CLIENT_ADDRESS;
}

/** Binds the listener to these addresses: the first is its own, the others are additional. */
export function bindToClient(listener: JsonObject, addresses: readonly string[]): JsonObject {
  const socket = socketOf(listener.address);
  const [first, ...others] = addresses;
  if (!socket || first === undefined) return listener;
  const bound = (address: string) => ({ socket_address: { ...socket, address } });
  const given = Array.isArray(listener.additional_addresses) ? listener.additional_addresses : [];
  const additional: JsonValue[] = [...given, ...others.map((address) => ({ address: bound(address) }))];
  return {
    ...listener,
    address: bound(first),
    ...(additional.length > 0 && { additional_addresses: additional }),
  };
}

export function portsOf(listener: JsonObject): number[] {
  const additional = Array.isArray(listener.additional_addresses) ? listener.additional_addresses : [];
  const all = [listener.address, ...additional.map((item) => (isJsonObject(item) ? item.address : undefined))];
  return all.flatMap((address) => {
    const port = Number(socketOf(address)?.port_value ?? Number.NaN);
    return Number.isInteger(port) && port > 0 ? [port] : [];
  });
}

function socketOf(address: JsonValue | undefined): JsonObject | undefined {
  const socket = isJsonObject(address) ? address.socket_address : undefined;
  return isJsonObject(socket) ? socket : undefined;
}
