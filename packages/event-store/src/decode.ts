import { BIT_COLUMNS, HASH_COLUMNS, NUMBER_COLUMNS, WORD_NAMES } from './columns.ts';
import type { StoredEvent } from './event.ts';

/** A row as both drivers answer it: 64-bit numbers as texts or BigInts. */
export type Row = Readonly<Record<string, unknown>>;

export function toBigInt(value: unknown): bigint {
  return typeof value === 'bigint' ? value : BigInt(typeof value === 'number' ? Math.trunc(value) : String(value ?? 0));
}

export function toHash(value: unknown): string {
  const bits = toBigInt(value);
  return bits === 0n ? '' : bits.toString(16).padStart(16, '0');
}

export function toBitNumbers(value: unknown): number[] {
  const numbers: number[] = [];
  for (let rest = toBigInt(value), bit = 0; rest > 0n; rest >>= 1n, bit += 1) if (rest & 1n) numbers.push(bit);
  return numbers;
}

function toUuid(high: unknown, low: unknown): string {
  const digits = [high, low].map((half) => toBigInt(half).toString(16).padStart(16, '0')).join('');
  if (/^0+$/.test(digits)) return '';
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export function toEventId(row: Row): string {
  return toBigInt(row.batch).toString(16).padStart(16, '0') + Number(row.ordinal).toString(16).padStart(8, '0');
}

/** `wordOf` reads the text of a word column from the row. */
export function decodeEvent(row: Row, wordOf: (value: unknown) => string): StoredEvent {
  const event: Record<string, unknown> = {
    id: toEventId(row),
    timeMs: Number(row.timeMs),
    requestId: toUuid(row.requestHigh, row.requestLow),
  };
  for (const name of WORD_NAMES) event[name] = wordOf(row[name]);
  for (const name of Object.keys(NUMBER_COLUMNS)) event[name] = Number(row[name]);
  for (const name of Object.keys(BIT_COLUMNS)) event[name] = toBitNumbers(row[name]);
  for (const name of HASH_COLUMNS) event[name] = toHash(row[name]);
  return event as unknown as StoredEvent;
}
