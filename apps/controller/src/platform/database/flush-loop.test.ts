import { expect, it, onTestFinished, vi } from 'vitest';
import { FlushLoop } from './flush-loop.ts';

const LONG_MS = 1_000_000;

it('the flush loop writes one after the other, even after a failure, and reports it to those who wait', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const begun: number[] = [];
  const failures: unknown[] = [];
  const loop = new FlushLoop({
    intervalMs: LONG_MS,
    write: () => {
      begun.push(begun.length);
      return gates[begun.length - 1]?.promise ?? Promise.resolve();
    },
    onFailure: (error) => failures.push(error),
  });
  const [first, second] = [loop.flush(), loop.flush()];
  await vi.waitFor(() => expect(begun).toEqual([0]));
  gates[0]?.reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await vi.waitFor(() => expect(begun).toEqual([0, 1]));
  gates[1]?.resolve();
  await second;
  expect(failures).toEqual([]);
  await loop.close();
  expect(begun).toEqual([0, 1, 2]);
});

it('the flush loop writes on a schedule, and reports failures there and at the end', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const failures: unknown[] = [];
  const write = vi.fn(() => Promise.reject(new Error('full')));
  const loop = new FlushLoop({ intervalMs: LONG_MS, write, onFailure: (error) => failures.push(String(error)) });
  await vi.advanceTimersByTimeAsync(2 * LONG_MS);
  expect(failures).toEqual(['Error: full', 'Error: full']);
  await loop.close();
  await vi.advanceTimersByTimeAsync(2 * LONG_MS);
  expect([write.mock.calls.length, failures.length]).toEqual([3, 3]);
});
