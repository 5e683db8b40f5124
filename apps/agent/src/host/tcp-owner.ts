import { readFileSync } from 'node:fs';

const LISTENING = '0A';

/**
 * User of the local process that holds a connection from `clientPort` to `serverPort` on loopback; undefined when nobody holds it any more,
 * which the kernel would show as root's.
 * Who dials `::ffff:127.0.0.1` reaches an IPv4 listener from an IPv6 socket, which has its row in the other table.
 */
export function ownerOfConnection(clientPort: number, serverPort: number): number | undefined {
  return ownerIn('/proc/net/tcp', clientPort, serverPort) ?? ownerIn('/proc/net/tcp6', clientPort, serverPort);
}

/** Returns the user of the local process that listens on this port at any address, or undefined when it is unknown. */
export function ownerOfListener(port: number): number | undefined {
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readTable(file).split('\n')) {
      const fields = line.trim().split(/\s+/);
      if (fields[1]?.endsWith(`:${hex(port)}`) && fields[3] === LISTENING) return Number(fields[7]);
    }
  }
  return undefined;
}

function readTable(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function ownerIn(file: string, clientPort: number, serverPort: number): number | undefined {
  return findOwner(readTable(file), clientPort, serverPort);
}

/**
 * Rows of /proc/net/tcp: number, local address:port and remote address:port in hex, state, queues, timers, retransmits, uid, timeout,
 * inode. Of a connection that its process has closed, inode and user are 0.
 */
export function findOwner(table: string, clientPort: number, serverPort: number): number | undefined {
  const from = `:${hex(clientPort)}`;
  const to = `:${hex(serverPort)}`;
  for (const line of table.split('\n')) {
    const fields = line.trim().split(/\s+/);
    if (!fields[1]?.endsWith(from) || !fields[2]?.endsWith(to)) continue;
    return fields[9] === '0' ? undefined : Number(fields[7]);
  }
  return undefined;
}

function hex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}
