// Sends a request over a new connection every few milliseconds. Prints what became of them when it is stopped.
import { Agent, get } from 'node:http';

const EVERY_MS = 10;
/** A second after which a lost first packet is sent again, and some more. */
const TIMEOUT_MS = 5000;
const SLOW_MS = 500;
const [, , url = ''] = process.argv;
const agent = new Agent({ keepAlive: false });
const counts = { sent: 0, answered: 0, failed: 0, slow: 0 };
const errors: Record<string, number> = {};
/** The members that answered requests, in the order in which these were sent, without repetitions. */
const members: string[] = [];
let answeredAt: number | undefined;
let longestGapMs = 0;
let isStopping = false;

function ask(): void {
  counts.sent += 1;
  const sentAt = performance.now();
  const fail = (error: NodeJS.ErrnoException) => {
    counts.failed += 1;
    const code = error.code ?? error.message;
    errors[code] = (errors[code] ?? 0) + 1;
  };
  const request = get(url, { agent, timeout: TIMEOUT_MS }, (response) => {
    let name = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      name += chunk;
    });
    response.once('error', fail).once('end', () => {
      if (response.statusCode === 200) note(name, sentAt);
      else fail(new Error(`status ${response.statusCode}`));
    });
  });
  request.once('error', fail);
  request.once('timeout', () => request.destroy(new Error('timeout')));
}

function note(name: string, sentAt: number): void {
  const now = performance.now();
  // Says that there is traffic.
  if (answeredAt === undefined) process.stdout.write('\n');
  counts.answered += 1;
  if (now - sentAt > SLOW_MS) counts.slow += 1;
  if (members.at(-1) !== name) members.push(name);
  measureGap(now);
  answeredAt = now;
}

/** Answers to the last requests are no gap: nothing is sent between them. */
function measureGap(now: number): void {
  if (answeredAt !== undefined && !isStopping) longestGapMs = Math.max(longestGapMs, now - answeredAt);
}

const timer = setInterval(ask, EVERY_MS);
process.once('SIGTERM', () => {
  clearInterval(timer);
  measureGap(performance.now());
  isStopping = true;
  const print = () => {
    if (counts.answered + counts.failed < counts.sent) setTimeout(print, 20);
    else process.stdout.write(JSON.stringify({ ...counts, errors, members, longestGapMs: Math.round(longestGapMs) }));
  };
  print();
});
