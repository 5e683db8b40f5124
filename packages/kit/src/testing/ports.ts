import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that Linux and macOS give to outgoing connections, and above those of well-known programs. */
const [FROM, TO] = [12_000, 32_000];

const given = new Set<number>();

/**
 * Returns a TCP port of 127.0.0.1 that was free a moment ago, never the same one twice. Outgoing connections do not get these ports: a
 * program that a test restarts would lose its port to one of them sooner or later.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FROM, TO);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

export function findFreePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, findFreePort));
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (isListening) await new Promise((resolve) => server.close(resolve));
  return isListening;
}
