import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { ReceiveBuffer } from './receive-buffer.ts';

const MIB = 1024 * 1024;
const FLOOD_BYTES = 16 * MIB;

it('one connection is read for at most 512 KiB before others get their turn', async () => {
  const received = new ReceiveBuffer();
  let total = 0;
  let turn = 0;
  let longest = 0;
  const countTurn = () => {
    longest = Math.max(longest, turn);
    turn = 0;
    if (total < FLOOD_BYTES) setImmediate(countTurn);
  };
  const accepted = Promise.withResolvers<Socket>();
  const server = createServer((socket) => {
    accepted.resolve(
      received.receive(socket, (_, length) => {
        turn += length;
        total += length;
      }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.end(Buffer.alloc(FLOOD_BYTES));
  countTurn();
  const served = await accepted.promise;
  await once(served, 'end');
  served.destroy();
  server.close();
  expect(total).toBe(FLOOD_BYTES);
  expect(longest).toBeLessThanOrEqual(MIB / 2);
});
