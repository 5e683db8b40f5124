// Asks an address every few milliseconds who answers there. Prints the members in the order in which they answered, and the longest
// time without an answer, when it is stopped.
import { createSocket } from 'node:dgram';

const EVERY_MS = 5;
const [, , target = ''] = process.argv;
const socket = createSocket('udp4');
const answers: string[] = [];
let answeredAt: number | undefined;
let longestGapMs = 0;

socket.on('message', (bytes) => {
  const name = bytes.toString();
  // Says that there is traffic.
  if (answeredAt === undefined) process.stdout.write('\n');
  if (answers.at(-1) !== name) answers.push(name);
  const now = performance.now();
  if (answeredAt !== undefined) longestGapMs = Math.max(longestGapMs, now - answeredAt);
  answeredAt = now;
});
socket.on('error', () => undefined);
const timer = setInterval(() => socket.send('?', 9000, target, () => undefined), EVERY_MS);
process.once('SIGTERM', () => {
  clearInterval(timer);
  socket.close();
  process.stdout.write(JSON.stringify({ answers, longestGapMs: Math.round(longestGapMs) }));
});
