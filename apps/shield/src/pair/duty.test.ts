import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Duty } from './duty.ts';

describe('the duty of one of several filters (fault: filter kill -9)', () => {
  let folder: string;
  let open: Duty[];
  const never = new AbortController().signal;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'duty-'));
    open = [];
  });
  afterEach(async () => {
    for (const duty of open) await duty.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function enter(name: string): Promise<Duty> {
    const duty = new Duty({
      own: { kind: 'unix', path: join(folder, name) },
      shared: { kind: 'unix', path: join(folder, 'duty.sock') },
      onWaiting: () => undefined,
    });
    open.push(duty);
    await duty.open();
    return duty;
  }

  /** Records the order in which duty is taken. */
  function wait(taken: string[], name: string, duty: Duty): Promise<void> {
    return duty.take(never).then(() => {
      taken.push(name);
      duty.announce();
    });
  }

  it('is taken at once if nobody has it', async () => {
    const duty = await enter('a');
    await duty.take(never);
    expect(duty.hasSuccessor).toBe(false);
    expect(await duty.handOver()).toBe(false);
  });

  it('goes to a waiting filter when the one on duty is gone, and the others keep waiting', async () => {
    const taken: string[] = [];
    const [a, b, c] = [await enter('a'), await enter('b'), await enter('c')];
    await wait(taken, 'a', a);
    const waiting = [wait(taken, 'b', b), wait(taken, 'c', c)];
    await vi.waitFor(() => expect(a.hasSuccessor).toBe(true));
    await a.close();
    await Promise.race(waiting);
    const [next, last] = taken[1] === 'b' ? [b, c] : [c, b];
    // On a busy machine both may notice the end at the same moment: then the slower one serves, and the other loses its duty.
    await vi.waitFor(() => expect(next.hasSuccessor || next.lost.aborted).toBe(true));
    if (!next.lost.aborted) {
      expect(taken).toHaveLength(2);
      await next.close();
    }
    await Promise.all(waiting);
    expect([taken.length, last.hasSuccessor, last.lost.aborted]).toEqual([3, false, false]);
  });

  it('is handed over once the next one serves', async () => {
    const taken: string[] = [];
    const [a, b] = [await enter('a'), await enter('b')];
    await wait(taken, 'a', a);
    const waiting = wait(taken, 'b', b);
    await vi.waitFor(() => expect(a.hasSuccessor).toBe(true));
    expect(await a.handOver()).toBe(true);
    await waiting;
    expect(taken).toEqual(['a', 'b']);
    expect([a.lost.aborted, b.lost.aborted]).toEqual([false, false]);
  });

  it('is not handed over to a filter that is gone', async () => {
    const [a, b] = [await enter('a'), await enter('b')];
    await a.take(never);
    const leaving = new AbortController();
    const waiting = b.take(leaving.signal);
    await vi.waitFor(() => expect(a.hasSuccessor).toBe(true));
    leaving.abort();
    await expect(waiting).rejects.toThrow('abort');
    await vi.waitFor(() => expect(a.hasSuccessor).toBe(false));
    expect(await a.handOver()).toBe(false);
  });

  it('is lost by the earlier of two that took it at the same moment', async () => {
    const [a, b] = [await enter('a'), await enter('b')];
    await a.take(never);
    await rename(join(folder, 'b'), join(folder, 'duty.sock'));
    await vi.waitFor(() => expect(a.lost.aborted).toBe(true));
    expect(b.lost.aborted).toBe(false);
  });
});
