import { expect, it } from 'vitest';
import type { BatchPlace } from './messages.ts';
import { SenderOrder } from './sender-order.ts';

const at = (sequence: number, changes: Partial<BatchPlace> = {}): BatchPlace => ({
  project: 'p',
  client: 'c',
  service: 's',
  epoch: 'e',
  sequence,
  ...changes,
});

it('holds the later batches of a sender until the failed one is stored', () => {
  const order = new SenderOrder();
  order.noteFailed(at(5), 0);
  expect(order.isHeld(at(6), 10)).toBe(true);
  expect(order.isHeld(at(5), 10)).toBe(false);
  expect(order.isHeld(at(6, { service: 'other' }), 10)).toBe(false);
  order.noteStored(at(5));
  expect(order.isHeld(at(6), 20)).toBe(false);
});

it('waits for the lowest of several failed batches', () => {
  const order = new SenderOrder();
  order.noteFailed(at(7), 0);
  order.noteFailed(at(5), 0);
  order.noteFailed(at(9), 0);
  expect([5, 6, 7].map((sequence) => order.isHeld(at(sequence), 1))).toEqual([false, true, true]);
});

it('holds what comes after a missing number, but not for ever', () => {
  const order = new SenderOrder();
  order.noteTaken(at(1));
  expect(order.isHeld(at(2), 0)).toBe(false);
  expect(order.isHeld(at(4), 0)).toBe(true);
  expect(order.isHeld(at(4), 9999)).toBe(true);
  expect(order.isHeld(at(4), 10_000)).toBe(false);
});

it('begins again with a new epoch, and where a clock jumped', () => {
  const order = new SenderOrder();
  order.noteFailed(at(5), 1_000_000);
  expect(order.isHeld(at(6), 0)).toBe(false);
  order.noteFailed(at(5), 0);
  expect(order.isHeld(at(1, { epoch: 'new' }), 1)).toBe(false);
  expect(order.isHeld(at(2, { epoch: 'new' }), 1)).toBe(false);
});
