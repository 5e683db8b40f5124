import { expect, test } from 'vitest';
import { poll, SerialLoop, untilAborted } from './serial-loop.ts';

const never = new AbortController().signal;

test('passes never overlap, and wakes during a pass lead to one more', async () => {
  let running = 0;
  let passes = 0;
  const loop = new SerialLoop(async () => {
    running += 1;
    expect(running).toBe(1);
    passes += 1;
    if (passes === 1) for (let n = 0; n < 5; n += 1) loop.wake();
    await Promise.resolve();
    running -= 1;
    return undefined;
  });
  loop.wake();
  loop.wake();
  await settle();
  expect(passes).toBe(2);
  await loop.close();
});

test('an interrupt ends the waits of the running pass', async () => {
  const seen: boolean[] = [];
  const loop = new SerialLoop(async (signal) => {
    seen.push(signal.aborted);
    if (seen.length > 1) return undefined;
    await untilAborted(new Promise(() => undefined), signal);
    return undefined;
  });
  loop.wake();
  await settle();
  loop.interrupt();
  await settle();
  expect(seen).toEqual([false, false]);
  await loop.close();
});

test('a wake in the moment a pass ends is not lost', async () => {
  for (let round = 0; round < 50; round += 1) {
    let passes = 0;
    const loop = new SerialLoop(async () => {
      passes += 1;
      return undefined;
    });
    loop.wake();
    for (let tick = 0; tick < round % 7; tick += 1) await Promise.resolve();
    const before = passes;
    loop.wake();
    await settle();
    expect(passes).toBeGreaterThan(before);
    await loop.close();
  }
});

test('a closed loop makes no further pass', async () => {
  let passes = 0;
  const loop = new SerialLoop(async () => {
    passes += 1;
    return 1;
  });
  loop.wake();
  await settle();
  await loop.close();
  const before = passes;
  loop.wake();
  await settle();
  expect(passes).toBe(before);
});

test('work that fails after its pass was interrupted harms nobody', async () => {
  const failures: unknown[] = [];
  const note = (reason: unknown) => failures.push(reason);
  process.on('unhandledRejection', note);
  try {
    expect(await untilAborted(Promise.reject(new Error('before')), AbortSignal.abort())).toBeUndefined();
    const interrupted = new AbortController();
    const { promise, reject } = Promise.withResolvers<string>();
    const waiting = untilAborted(promise, interrupted.signal);
    interrupted.abort();
    expect(await waiting).toBeUndefined();
    reject(new Error('after'));
    await settle();
  } finally {
    process.off('unhandledRejection', note);
  }
  expect(failures).toEqual([]);
});

test('polling stops at an answer, at its time and at an abort', async () => {
  let asked = 0;
  const probe = async () => (++asked === 3 ? 'yes' : undefined);
  expect(await poll(probe, { ms: 1_000, everyMs: 1, signal: never })).toBe('yes');
  expect(await poll(async () => undefined, { ms: 5, everyMs: 1, signal: never })).toBeUndefined();
  expect(await poll(probe, { ms: 1_000, everyMs: 1, signal: AbortSignal.abort() })).toBeUndefined();
});

function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}
