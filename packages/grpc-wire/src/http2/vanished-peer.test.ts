import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { startWireEcho } from '../testing/echo-service.ts';
import { RawClient } from '../testing/raw-client.ts';

/** The kernel timers of the server's connections: 0 no timer, 2 keepalive (proc(5), `tr`). */
async function timersAt(port: number): Promise<number[]> {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  const isServed = (fields: readonly string[]) => fields[1]?.endsWith(local) === true && fields[3] === '01';
  return lines.filter(isServed).map((fields) => Number.parseInt(fields[5] ?? '', 16));
}

describe.runIf(process.platform === 'linux')('a vanished peer', () => {
  it('is probed by the kernel, so that its connection and silent calls do not stay forever', async () => {
    const server = await startWireEcho();
    const client = await RawClient.connect({ port: server.port, host: '127.0.0.1' });
    await client.handshake();
    await client.settle();
    await expect.poll(() => timersAt(server.port)).toEqual([2]);
    client.destroy();
    await server.close(0);
  });
});
