import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { endianness } from 'node:os';
import { describe, expect, it } from 'vitest';
import { ConnectionOwners, findOwner } from './tcp-owner.ts';

const at = (address: string, port: number) => ({ address, port });

describe.runIf(process.platform === 'linux')('the owner of a connection', () => {
  it('is known whether it was dialled as IPv4 or as IPv4 in IPv6', async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (const host of ['127.0.0.1', '::ffff:127.0.0.1']) {
      const client = connect({ host, port });
      await once(client, 'connect');
      const [from, to] = [at('127.0.0.1', client.localPort ?? 0), at('127.0.0.1', port)];
      expect(await new ConnectionOwners().ownerOf(from, to), host).toBe(process.getuid?.());
      client.destroy();
    }
    server.close();
  });
});

const SERVICE = 1_900_000_001;
const row = (local: string, remote: string, { state = '01', uid = SERVICE, inode = 4711 } = {}) =>
  `  1: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000 ${uid} 0 ${inode} 1 0`;

describe.runIf(endianness() === 'LE')('the table of connections', () => {
  it('a connection that its process has closed is nobody’s, not root’s (attack 13)', () => {
    const of = (state: string, uid: number, inode: number) =>
      findOwner(
        row('0100007F:C350', '0100007F:8138', { state, uid, inode }),
        at('127.0.0.1', 50_000),
        at('127.0.0.1', 33_080),
      );
    expect(of('01', SERVICE, 4711)).toBe(SERVICE);
    expect(of('05', 0, 0)).toBeUndefined();
    expect(of('06', 0, 0)).toBeUndefined();
  });

  it('a connection from the port of the server belongs to its client, not to the server (attack 13)', () => {
    const server = row('0100007F:8138', '0200007F:8138', { uid: 0 });
    const [client, mapped] = [at('127.0.0.2', 33_080), '0000000000000000FFFF0000'];
    const owner = (table: string) => findOwner(table, client, at('127.0.0.1', 33_080));
    expect(owner(`${server}\n${row('0200007F:8138', '0100007F:8138')}`)).toBe(SERVICE);
    expect(owner(server)).toBeUndefined();
    expect(owner(row(`${mapped}0200007F:8138`, `${mapped}0100007F:8138`))).toBe(SERVICE);
  });

  it('a connection of another address with the same ports is another connection (attack 13)', () => {
    const others = [
      row('0900007F:C350', '0100007F:8138', { uid: 0 }),
      row('0100007F:C350', '0900007F:8138', { uid: 0 }),
    ];
    const table = [...others, row('0100007F:C350', '0100007F:8138')].join('\n');
    expect(findOwner(table, at('127.0.0.1', 50_000), at('127.0.0.1', 33_080))).toBe(SERVICE);
  });

  it('is read once for all questions that were asked meanwhile, and again for a later one (attack 13)', async () => {
    const readings: (() => void)[] = [];
    const owners = new ConnectionOwners(async (file) => {
      if (!file.endsWith('tcp')) return '';
      await new Promise<void>((resolve) => readings.push(resolve));
      return [row('0100007F:C350', '0100007F:8138'), row('0100007F:C351', '0100007F:8138', { uid: 7 })].join('\n');
    });
    const ask = (port: number) => owners.ownerOf(at('127.0.0.1', port), at('127.0.0.1', 33_080));
    const first = ask(50_000);
    const later = [ask(50_001), ask(50_000), ask(50_002)];
    expect(readings).toHaveLength(1);
    readings[0]?.();
    expect(await first).toBe(SERVICE);
    await expect.poll(() => readings.length).toBe(2);
    readings[1]?.();
    expect(await Promise.all(later)).toEqual([7, SERVICE, undefined]);
    expect(readings).toHaveLength(2);
  });
});
