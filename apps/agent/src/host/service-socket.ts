import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { ServiceIdentity } from './identity.ts';

/** A socket of a service's program, and the user that must own it. */
export interface ServiceSocket {
  readonly path: string;
  /** Undefined on systems without users. */
  readonly uid: number | undefined;
}

/** Flag of open(2) that Node does not define. It has the same value on every architecture of Envoy. */
const O_PATH = 0o10_000_000;

export function serviceSocket(path: string, identity: ServiceIdentity | undefined): ServiceSocket {
  return { path, uid: identity?.uid ?? process.getuid?.() };
}

/**
 * Runs `work` with a path that leads to exactly this socket. A service could replace the socket with a link to another one on
 * this host, for example that of a container engine, which the agent can open as root. The socket is therefore opened without
 * following links, must belong to the service's user, and is connected through the open file. Rejects if there is no such socket.
 */
export async function withServiceSocket<T>(socket: ServiceSocket, work: (path: string) => Promise<T>): Promise<T> {
  if (process.platform !== 'linux') return work(socket.path);
  const handle = await open(socket.path, O_PATH | constants.O_NOFOLLOW);
  try {
    const facts = await handle.stat();
    if (!facts.isSocket() || facts.uid !== socket.uid)
      throw new Error(`${socket.path} is not a socket of the service's user`);
    return await work(`/proc/self/fd/${handle.fd}`);
  } finally {
    await handle.close();
  }
}
