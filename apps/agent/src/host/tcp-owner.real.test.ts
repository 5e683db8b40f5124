import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ownerOfConnection } from './tcp-owner.ts';

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
