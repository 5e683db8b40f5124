// A cable between two TAP devices that exist already, with faults. Frames come and go over UDP, from and to a socat for each device.
// Reads faults from its input, a line of JSON for each change, and ends with it.
import { createSocket, type Socket } from 'node:dgram';
import { createInterface } from 'node:readline';

interface Faults {
  /** 0 to 1. */
  readonly loss: number;
  readonly duplicates: number;
  /** A random delay reorders frames. */
  readonly delayMs: readonly [number, number];
  readonly isDown: boolean;
}

const NONE: Faults = { loss: 0, duplicates: 0, delayMs: [0, 0], isDown: false };
const [, , firstPort = '0'] = process.argv;
const [a, b] = [Number(firstPort), Number(firstPort) + 2];
/** The faults on the way from the first device to the second, and back. */
const faults: [Faults, Faults] = [NONE, NONE];

function pass(frame: Buffer, direction: 0 | 1): void {
  const { loss, duplicates, delayMs, isDown } = faults[direction];
  if (isDown || Math.random() < loss) return;
  const copies = Math.random() < duplicates ? 2 : 1;
  for (let i = 0; i < copies; i += 1) {
    const delay = delayMs[0] + Math.random() * (delayMs[1] - delayMs[0]);
    const [socket, port] = direction === 0 ? [sockets[1], b + 1] : [sockets[0], a + 1];
    const send = () => socket.send(frame, port, '127.0.0.1', () => undefined);
    if (delay > 0) setTimeout(send, delay);
    else send();
  }
}

function open(port: number, direction: 0 | 1): Socket {
  const socket = createSocket('udp4');
  socket.on('message', (frame) => pass(frame, direction));
  socket.on('error', () => undefined);
  socket.bind(port, '127.0.0.1', () => process.stdout.write('open '));
  return socket;
}

const sockets = [open(a, 0), open(b, 1)] as const;
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const change: { direction: 0 | 1 } & Partial<Faults> = JSON.parse(line);
  const { direction, ...rest } = change;
  faults[direction] = { ...NONE, ...rest };
});
lines.once('close', () => process.exit(0));
