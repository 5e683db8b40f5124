import { expect, test } from 'vitest';
import { SerialQueue } from './serial-queue.ts';

test('tasks begin in the order of the calls, each after the previous one has ended', async () => {
  const queue = new SerialQueue();
  const said: string[] = [];
  const piece = (name: string) => async () => {
    said.push(`begin ${name}`);
    await new Promise((resolve) => setImmediate(resolve));
    said.push(`end ${name}`);
    return name;
  };
  expect(await Promise.all([queue.run(piece('one')), queue.run(piece('two'))])).toEqual(['one', 'two']);
  expect(said).toEqual(['begin one', 'end one', 'begin two', 'end two']);
});

test('a failing task rejects for its caller alone, and the next task still begins', async () => {
  const queue = new SerialQueue();
  const failed = queue.run(() => Promise.reject(new Error('disk full')));
  const next = queue.run(async () => 'written');
  await expect(failed).rejects.toThrow('disk full');
  expect(await next).toBe('written');
});

test('settle waits for every requested task, including failing ones', async () => {
  const queue = new SerialQueue();
  let isOver = false;
  queue.run(() => Promise.reject(new Error('no'))).catch(() => undefined);
  const last = queue.run(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    isOver = true;
  });
  await queue.settle();
  expect(isOver).toBe(true);
  await last;
});
