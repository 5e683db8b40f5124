import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { shieldThreadAddresses } from '@flotilla/policy';
import type { ListenAddress } from '../listen-address.ts';

/** Sockets in the order of their threads. */
export interface SocketMoves {
  readonly from: ListenAddress;
  readonly to: ListenAddress;
  readonly threads: number;
}

/**
 * Replaces another process's sockets by those of this process, each atomically: a connection gets to one or the other.
 * Deletes sockets of threads that only the other process had.
 */
export async function publishSockets({ from, to, threads }: SocketMoves): Promise<void> {
  const targets = shieldThreadAddresses(to, threads);
  for (const [thread, address] of shieldThreadAddresses(from, threads).entries()) {
    await publishSocket(address, targets[thread]);
  }
  if (to.kind !== 'unix') return;
  const folder = dirname(to.path);
  const kept = new Set(targets.map((address) => (address.kind === 'unix' ? basename(address.path) : '')));
  const prefix = `${basename(to.path)}.`;
  for (const name of await readdir(folder)) {
    const isThread = name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length));
    if (isThread && !kept.has(name)) await rm(join(folder, name), { force: true });
  }
}

export async function publishSocket(from: ListenAddress | undefined, to: ListenAddress | undefined): Promise<void> {
  if (from?.kind === 'unix' && to?.kind === 'unix') await rename(from.path, to.path);
}
