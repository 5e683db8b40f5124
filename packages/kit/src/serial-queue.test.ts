import { expect, test } from 'vitest';
import { SerialQueue } from './serial-queue.ts';

test('pieces begin in the order of the calls, each after the end of the one before', async () => {
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

test('a piece that fails tells its caller, and the next one begins all the same', async () => {
  const queue = new SerialQueue();
  const failed = queue.run(() => Promise.reject(new Error('disk full')));
  const next = queue.run(async () => 'written');
  await expect(failed).rejects.toThrow('disk full');
  expect(await next).toBe('written');
});

test('it is settled once all that was asked for has ended, also what failed', async () => {
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
