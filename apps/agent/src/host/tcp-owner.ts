import { readFileSync } from 'node:fs';

/**
 * User of the local process that opened a connection from `clientPort` to `serverPort` on loopback; undefined when unknown.
 * Who dials `::ffff:127.0.0.1` reaches an IPv4 listener from an IPv6 socket, which has its row in the other table.
 */
export function ownerOfConnection(clientPort: number, serverPort: number): number | undefined {
  return ownerIn('/proc/net/tcp', clientPort, serverPort) ?? ownerIn('/proc/net/tcp6', clientPort, serverPort);
}

function ownerIn(file: string, clientPort: number, serverPort: number): number | undefined {
  try {
    return findOwner(readFileSync(file, 'utf8'), clientPort, serverPort);
  } catch {
    return undefined;
  }
}

/** Rows of /proc/net/tcp: number, local address:port and remote address:port in hex, state, queues, timers, retransmits, uid. */
export function findOwner(table: string, clientPort: number, serverPort: number): number | undefined {
  const from = `:${hex(clientPort)}`;
  const to = `:${hex(serverPort)}`;
  for (const line of table.split('\n')) {
    const fields = line.trim().split(/\s+/);
    if (fields[1]?.endsWith(from) && fields[2]?.endsWith(to)) return Number(fields[7]);
  }
  return undefined;
}

function hex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}
