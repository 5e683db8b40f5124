import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readHex, toBitSet, toHashBits } from './bits.ts';
import { HASH_COLUMNS, NUMBER_COLUMNS, WORD_COLUMNS, WORD_NAMES } from './columns.ts';
import { encodeBatch } from './encode.ts';
import { type RequestEvent, toStoredText } from './event.ts';
import { latencyBucketOf } from './latency.ts';
import { requestIdToBits } from './request-id.ts';
import { createEvent, createTraffic, NOON_MS, toEvents } from './testing/events.ts';

const encode = (events: readonly RequestEvent[]) =>
  encodeBatch('shop', { sender: 'a', epoch: 'b', sequence: 1, events }, NOON_MS);

const MAX = { u8: 2 ** 8 - 1, u16: 2 ** 16 - 1, u32: 2 ** 32 - 1, u64: Number.MAX_SAFE_INTEGER } as const;
const toBig = (set: readonly number[]) => set.reduce((bits, bit) => bits | (1n << BigInt(bit)), 0n);

/** One event at a time, with a BigInt for each 64-bit value. */
function expectRow(event: RequestEvent, row: number, { numbers, words, timeMs }: ReturnType<typeof encode>): void {
  expect(timeMs[row]).toBe(BigInt(Math.floor(event.timeMs)));
  for (const name of WORD_NAMES) {
    expect(words[name]?.texts[words[name].codes[row] ?? 0]).toBe(toStoredText(event[name], WORD_COLUMNS[name]));
  }
  for (const [name, width] of Object.entries(NUMBER_COLUMNS)) {
    const value = event[name as keyof typeof NUMBER_COLUMNS] ?? 0;
    const stored = value > 0 ? Math.min(Math.floor(value), MAX[width]) : 0;
    expect(Number(numbers[name]?.[row])).toBe(name === 'weight' ? Math.max(1, stored) : stored);
  }
  for (const name of HASH_COLUMNS) expect(numbers[name]?.[row]).toBe(BigInt(`0x${event[name] || '0'}`));
  expect(numbers.flags?.[row]).toBe(toBig(event.flags ?? []));
  expect(numbers.pii?.[row]).toBe(Number(toBig(event.pii ?? [])));
  expect(numbers.latencyBucket?.[row]).toBe(latencyBucketOf(Number(numbers.latencyUs?.[row])));
  expect([numbers.requestHigh?.[row], numbers.requestLow?.[row]]).toEqual(requestIdToBits(event.requestId));
}

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const number = fc.oneof(fc.double(), fc.nat(), fc.constantFrom(-1, 2 ** 31, 2 ** 32, 2 ** 53, 1e300, Number.NaN));
const anyEvent: fc.Arbitrary<RequestEvent> = fc.record({
  timeMs: fc.integer({ min: NOON_MS - 1e9, max: NOON_MS }),
  ...Object.fromEntries(WORD_NAMES.map((name) => [name, fc.oneof(fc.constantFrom('', 'a', 'b'), fc.string())])),
  ...Object.fromEntries(Object.keys(NUMBER_COLUMNS).map((name) => [name, number])),
  ...Object.fromEntries(HASH_COLUMNS.map((name) => [name, fc.oneof(fc.constant(''), hex(16))])),
  flags: fc.uniqueArray(fc.nat(63)),
  pii: fc.uniqueArray(fc.nat(31)),
  requestId: fc.oneof(
    fc.constant(''),
    fc.uuid(),
    fc.uuid().map((id) => id.toUpperCase()),
    fc.string(),
    hex(36),
  ),
});

describe('a chunk', () => {
  it('has the values of its events, whatever they are', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 8 }), (events) => {
        const batch = encode(events);
        for (const [row, event] of events.entries()) expectRow(event, row, batch);
      }),
    );
  });

  it('is stored as the events that it was made of', () => {
    const events = createTraffic(500, { seed: 3, startMs: NOON_MS - 60_000, spanMs: 50_000 });
    const { sender, epoch, sequence, ...chunk } = encode(events);
    const again = encodeBatch('shop', { sender, epoch, sequence, events: chunk }, NOON_MS + 1e9);
    expect(again).toEqual(encode(events));
    expect(toEvents(chunk).map(({ path, status }) => [path, status])).toEqual(
      events.map(({ path, status }) => [path, status]),
    );
  });

  it('has a row for each event, and none for those that were never added', () => {
    expect(encode([]).timeMs).toHaveLength(0);
    for (const column of Object.values(encode([createEvent()]).numbers)) expect(column).toHaveLength(1);
  });
});

describe('halves of 64 bits', () => {
  it('are those of a hash in lowercase, and of nothing else', () => {
    expect(toHashBits('ffffffff00000001')).toEqual({ high: 2 ** 32 - 1, low: 1 });
    for (const value of ['FFFFFFFF00000001', 'ffffffff0000000', 'ffffffff0000000g', 7, null, undefined]) {
      expect(toHashBits(value)).toEqual({ high: 0, low: 0 });
    }
  });

  it('are those of a set without what is no bit of the width', () => {
    expect(toBitSet([0, 31, 32, 63, 64, -1, 0.5, 'x'], 64)).toEqual({ low: 2 ** 31 + 1, high: 2 ** 31 + 1 });
    expect(toBitSet([0, 8], 8)).toEqual({ low: 1, high: 0 });
    expect(toBitSet({ length: 1 }, 8)).toEqual({ low: 0, high: 0 });
  });

  it('are read from digits only', () => {
    expect(readHex('00fF', 2, 4)).toBe(255);
    expect(readHex('0x10', 0, 4)).toBe(-1);
    expect(readHex('\u{1f600}', 0, 1)).toBe(-1);
  });
});
