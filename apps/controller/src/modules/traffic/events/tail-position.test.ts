import type { StoredEvent } from '@flotilla/event-store';
import { describe, expect, it } from 'vitest';
import { TailPosition } from './tail-position.ts';

const NOW_MS = 1_000_000_000;
const event = (timeMs: number, number: number) =>
  ({ timeMs, id: number.toString(16).padStart(24, '0'), weight: 1 }) as StoredEvent;
const page = (events: StoredEvent[], nextCursor: string | null = null) => ({ events, nextCursor });
const numbersOf = ({ events }: { readonly events: readonly StoredEvent[] }) =>
  events.map(({ id }) => Number(`0x${id}`));

describe('the position of a live tail', () => {
  it('begins now, and looks back for late events once it has moved', () => {
    const position = new TailPosition(undefined, NOW_MS);
    expect(position.window(NOW_MS + 500)).toEqual({ from: NOW_MS, to: NOW_MS + 501 });
    position.take(page([event(NOW_MS + 20_000, 1)]));
    expect(position.window(NOW_MS + 20_500).from).toBe(NOW_MS + 15_000);
  });

  it('gives every event once, oldest first', () => {
    const position = new TailPosition(undefined, NOW_MS);
    expect(numbersOf(position.take(page([event(NOW_MS + 2, 2), event(NOW_MS + 1, 1)])))).toEqual([1, 2]);
    expect(numbersOf(position.take(page([event(NOW_MS + 3, 3), event(NOW_MS + 2, 2), event(NOW_MS + 1, 1)])))).toEqual([
      3,
    ]);
  });

  it('names the part that a page does not reach, with what was sent of it', () => {
    const position = new TailPosition(undefined, NOW_MS);
    position.window(NOW_MS);
    position.take(page([event(NOW_MS + 1, 1)]));
    position.window(NOW_MS + 500);
    const { rest } = position.take(page([event(NOW_MS + 9, 9), event(NOW_MS + 8, 8)], 'more'));
    expect(rest).toEqual({ from: NOW_MS, to: NOW_MS + 8, sentRequests: 1 });
    expect(position.window(NOW_MS + 1000).from).toBe(NOW_MS + 8);
  });

  it('resumes after an id, at most ten minutes back', () => {
    const id = `${NOW_MS - 1000}.${'0'.repeat(23)}7`;
    const position = new TailPosition(id, NOW_MS);
    expect(position.isResumed).toBe(true);
    expect(position.window(NOW_MS).from).toBe(NOW_MS - 6000);
    expect(numbersOf(position.take(page([event(NOW_MS, 8), event(NOW_MS - 1000, 7)])))).toEqual([8]);
    expect(new TailPosition(`5.${'0'.repeat(24)}`, NOW_MS).window(NOW_MS).from).toBe(NOW_MS - 605_000);
  });
});
