import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { findOwner, ownerOfConnection } from './tcp-owner.ts';

describe.runIf(process.platform === 'linux')('the owner of a connection', () => {
  it('is known whether it was dialled as IPv4 or as IPv4 in IPv6', async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (const host of ['127.0.0.1', '::ffff:127.0.0.1']) {
      const client = connect({ host, port });
      await once(client, 'connect');
      expect(ownerOfConnection(client.localPort ?? 0, port), host).toBe(process.getuid?.());
      client.destroy();
    }
    server.close();
  });
});

it('a connection that its process has closed is nobody’s, not root’s (attack 13)', () => {
  const row = (state: string, uid: number, inode: number) =>
    `  1: 0100007F:C350 0100007F:8138 ${state} 00000000:00000000 00:00000000 00000000 ${uid} 0 ${inode} 1 0`;
  expect(findOwner(row('01', 1_900_000_001, 4711), 50_000, 33_080)).toBe(1_900_000_001);
  expect(findOwner(row('05', 0, 0), 50_000, 33_080)).toBeUndefined();
  expect(findOwner(row('06', 0, 0), 50_000, 33_080)).toBeUndefined();
});
