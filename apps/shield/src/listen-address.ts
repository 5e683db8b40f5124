import { chmod, lstat, rm } from 'node:fs/promises';
import { connect, isIPv4, isIPv6 } from 'node:net';
import type { ShieldAddress } from '@flotilla/policy';

export type ListenAddress = ShieldAddress;

/** Maximum length of a Unix socket's path on Linux (sun_path without its NUL). */
const SOCKET_PATH_MAX_BYTES = 107;
const PROBE_TIMEOUT_MS = 1000;

/** Parses `unix:PATH` or `HOST:PORT` (`[::1]:PORT` for IPv6). Returns an error as text. */
export function parseListenAddress(text: string): ListenAddress | string {
  if (text.startsWith('unix:')) {
    const path = text.slice('unix:'.length).replace(/^\/\/(?=\/)/, '');
    if (path === '') return 'names no socket path after "unix:"';
    if (Buffer.byteLength(path) > SOCKET_PATH_MAX_BYTES) {
      return `names a socket path longer than ${SOCKET_PATH_MAX_BYTES} bytes, which no Unix socket can have`;
    }
    return { kind: 'unix', path };
  }
  const parts = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(parts?.[3]);
  if (!parts || port > 65535) return 'must be unix:PATH or HOST:PORT';
  const host = parts[1] ?? parts[2] ?? '';
  if (parts[1] !== undefined ? !isIPv6(host) : host !== 'localhost' && !isIPv4(host)) {
    return 'must name an IP address or localhost before the port';
  }
  return { kind: 'tcp', host: host === 'localhost' ? '127.0.0.1' : host, port };
}

export function isLoopback(address: ListenAddress): boolean {
  if (address.kind === 'unix') return true;
  return isIPv4(address.host)
    ? address.host.startsWith('127.')
    : new URL(`http://[${address.host}]`).hostname === '[::1]';
}

export function formatAddress(address: ListenAddress): string {
  if (address.kind === 'unix') return `unix:${address.path}`;
  return isIPv6(address.host) ? `[${address.host}]:${address.port}` : `${address.host}:${address.port}`;
}

/**
 * Deletes a socket without a listener (left by a killed process). Rejects if there is a listener, or if the path is not
 * a socket.
 */
export async function removeDeadSocket(path: string): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error(`${path} exists and is not a socket; remove it or choose another path`);
  if (await isAnswered(path)) throw new Error(`${path} is in use by a running process; stop it or choose another path`);
  await rm(path, { force: true });
}

/** Allows only the owner and its group to connect. */
export async function restrictSocket(path: string): Promise<void> {
  await chmod(path, 0o660);
}

function isAnswered(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(path);
  const finish = (answered: boolean) => {
    socket.destroy();
    resolve(answered);
  };
  socket.once('connect', () => finish(true));
  socket.once('error', (error: NodeJS.ErrnoException) =>
    finish(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
  );
  socket.setTimeout(PROBE_TIMEOUT_MS, () => finish(true));
  return promise;
}
