import { parentPort, workerData } from 'node:worker_threads';
import { Limiter } from './limiter.ts';
import { LimiterArena } from './limiter-arena.ts';
import { threadClock } from './thread-clock.ts';

/** One of several threads that use the same limiter with the same keys. */
export interface Hammer {
  readonly buffer: SharedArrayBuffer;
  readonly id: number;
  readonly rate: number;
  readonly burst: number;
  readonly keysPerShard: number;
  readonly keys: number;
  readonly rounds: number;
  /** Use the real clock instead of the constant 0. */
  readonly isTimed: boolean;
  /** A barrier before the start: counts the threads that are ready. */
  readonly gate: SharedArrayBuffer;
  readonly threads: number;
}

const hammer = workerData as Hammer;
const arena = new LimiterArena(hammer.buffer);
const limiter = new Limiter({ ...hammer, arena });
const gate = new Int32Array(hammer.gate);
Atomics.add(gate, 0, 1);
Atomics.notify(gate, 0);
for (let there = Atomics.load(gate, 0); there < hammer.threads; there = Atomics.load(gate, 0))
  Atomics.wait(gate, 0, there, 100);
const allowed = new Array<number>(hammer.keys).fill(0);
for (let round = 0; round < hammer.rounds; round++) {
  for (let key = 0; key < hammer.keys; key++) {
    const now = hammer.isTimed ? threadClock.monotonic() : 0;
    if (limiter.take(`key-${key}`, now) === 0) allowed[key] = (allowed[key] ?? 0) + 1;
  }
}
parentPort?.postMessage(allowed);
