import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BitColumn, HASH_COLUMNS, NUMBER_COLUMNS, WORD_COLUMNS } from './columns.ts';
import { encodeBatch } from './encode.ts';
import { type RequestEvent, toStoredText } from './event.ts';
import { requestIdToBits } from './request-id.ts';
import { createEvent, NOON_MS } from './testing/events.ts';

const encode = (events: readonly unknown[]) =>
  encodeBatch('shop', { sender: 'a', epoch: 'b', sequence: 1, events: events as RequestEvent[] }, NOON_MS);

describe('encoding a batch', () => {
  it('accepts any value in any field', () => {
    const fields = [
      ...Object.keys(WORD_COLUMNS),
      ...Object.keys(NUMBER_COLUMNS),
      ...HASH_COLUMNS,
      'requestId',
      'timeMs',
      'id',
    ];
    const bits: BitColumn[] = ['flags', 'pii', 'categories', 'marks'];
    const anything = fc.record(
      {
        ...Object.fromEntries(fields.map((name) => [name, fc.anything()])),
        ...Object.fromEntries(
          bits.map((name) => [name, fc.oneof(fc.anything(), fc.array(fc.oneof(fc.integer(), fc.double())))]),
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 5 }), (events) => {
        const batch = encode(events);
        expect(batch.rows).toBe(events.length);
        for (const { texts } of Object.values(batch.words)) {
          for (const text of texts)
            expect(text.isWellFormed() && !/\p{Cc}/u.test(text) && text.length <= 512).toBe(true);
        }
        for (const time of batch.timeMs) expect(Math.abs(Number(time) - NOON_MS)).toBeLessThan(401 * 86_400_000);
      }),
    );
  });

  it('has each text once', () => {
    const { words } = encode([createEvent(), createEvent(), createEvent({ path: '/b' })]);
    expect(words.path?.texts).toEqual(['/orders/{id}', '/b']);
    expect([...(words.path?.codes ?? [])]).toEqual([0, 0, 1]);
  });

  it('writes large numbers and hashes in full', () => {
    const { numbers } = encode([
      createEvent({ responseBytes: 2 ** 53 - 1, consumer: 'ffffffffffffffff', flags: [0, 63] }),
    ]);
    expect(numbers.responseBytes?.[0]).toBe(2n ** 53n - 1n);
    expect(numbers.consumer?.[0]).toBe(2n ** 64n - 1n);
    expect(numbers.flags?.[0]).toBe(2n ** 63n + 1n);
  });

  it('gives two batches different ids', () => {
    const idOf = (sequence: number, project: string) =>
      encodeBatch(project, { sender: 'a', epoch: 'b', sequence, events: [createEvent()] }, NOON_MS).numbers.batch?.[0];
    expect(new Set([idOf(1, 'p'), idOf(2, 'p'), idOf(1, 'q')]).size).toBe(3);
  });

  it('never keeps the text of a request id that is no UUID', () => {
    const [high, low] = requestIdToBits('Bearer secret');
    expect([high, low]).toEqual(requestIdToBits('Bearer secret'));
    expect([high, low]).not.toEqual(requestIdToBits('Bearer other'));
  });

  it('cuts a text without half a character', () => {
    expect(toStoredText('a\u{1f600}', 2)).toBe('a\ufffd');
  });
});
