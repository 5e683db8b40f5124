import { createHash } from 'node:crypto';
import {
  BIT_COLUMNS,
  HASH_COLUMNS,
  NUMBER_COLUMNS,
  NUMERIC,
  NUMERIC_NAMES,
  type Width,
  WORD_COLUMNS,
  WORD_NAMES,
} from './columns.ts';
import { refuseBatch } from './errors.ts';
import {
  EVENT_LIMITS,
  MARK_CLOCK,
  type RequestEvent,
  type StoredEvent,
  toStoredNumber,
  toStoredText,
  toStoredTime,
} from './event.ts';
import { latencyBucketOf } from './latency.ts';
import type { EventBatch } from './port.ts';

export type Numbers = Uint8Array | Uint16Array | Uint32Array | BigUint64Array;

/** A batch by columns, as it goes to the worker: texts once each, everything else as numbers. */
export interface EncodedBatch {
  readonly sender: string;
  readonly epoch: string;
  readonly sequence: number;
  readonly rows: number;
  readonly timeMs: BigInt64Array;
  readonly words: Readonly<Record<string, { readonly texts: readonly string[]; readonly codes: Uint32Array }>>;
  readonly numbers: Readonly<Record<string, Numbers>>;
}

const ARRAYS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, u64: BigUint64Array } as const;
const MAX_OF: Readonly<Record<Width, number>> = {
  u8: 2 ** 8 - 1,
  u16: 2 ** 16 - 1,
  u32: 2 ** 32 - 1,
  u64: Number.MAX_SAFE_INTEGER,
};
const HASH = /^[0-9a-f]{16}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const EVENT_ID = /^[0-9a-f]{24}$/;

export function checkBatch({ sender, epoch, sequence, events }: EventBatch): void {
  for (const [name, value] of Object.entries({ sender, epoch })) {
    if (value === '' || toStoredText(value, 128) !== value) {
      throw refuseBatch(`The ${name} of a batch has 1 to 128 characters and no control characters.`);
    }
  }
  if (!Number.isSafeInteger(sequence) || sequence < 0) {
    throw refuseBatch('The sequence of a batch is a whole number from zero.');
  }
  if (events.length > EVENT_LIMITS.batchEvents) {
    throw refuseBatch(`A batch has at most ${EVENT_LIMITS.batchEvents} events. Send the rest in the next one.`);
  }
}

/** The first 64 bits of a hash: two batches of a store do not share it. */
export function hashBatch(
  project: string,
  { sender, epoch, sequence }: Pick<EventBatch, 'sender' | 'epoch' | 'sequence'>,
): bigint {
  return createHash('sha256')
    .update(JSON.stringify([project, sender, epoch, sequence]))
    .digest()
    .readBigUInt64BE();
}

/** The ids that the events of a batch get in the store, by their place in it. */
export function eventIdsOf(
  project: string,
  batch: Pick<EventBatch, 'sender' | 'epoch' | 'sequence'>,
): (ordinal: number) => string {
  const prefix = hashBatch(project, batch).toString(16).padStart(16, '0');
  return (ordinal) => prefix + ordinal.toString(16).padStart(8, '0');
}

export function encodeBatch(project: string, batch: EventBatch, nowMs: number): EncodedBatch {
  checkBatch(batch);
  const { events } = batch;
  const rows = events.length;
  const numbers = Object.fromEntries(
    NUMERIC_NAMES.map((name) => [name, new ARRAYS[NUMERIC[name] ?? 'u64'](rows) as Numbers]),
  );
  const timeMs = new BigInt64Array(rows);
  fillTimes(timeMs, numbers, { events, nowMs });
  fillNumbers(numbers, events);
  fillHashes(numbers, events);
  fillIds(numbers, events, hashBatch(project, batch));
  return {
    sender: batch.sender,
    epoch: batch.epoch,
    sequence: batch.sequence,
    rows,
    timeMs,
    words: Object.fromEntries(WORD_NAMES.map((name) => [name, encodeWords(events, name)])),
    numbers,
  };
}

type Events = readonly (RequestEvent | StoredEvent)[];

/** Writes numbers below 2^53 into 64-bit columns without a BigInt for each. */
function writerOf(target: Numbers | undefined): (row: number, value: number) => void {
  if (target === undefined) throw new TypeError('The column does not exist.');
  if (!(target instanceof BigUint64Array)) {
    return (row, value) => {
      target[row] = value;
    };
  }
  const halves = new Uint32Array(target.buffer, target.byteOffset, target.length * 2);
  return (row, value) => {
    halves[2 * row] = value >>> 0;
    halves[2 * row + 1] = value / 2 ** 32;
  };
}

function fillTimes(
  target: BigInt64Array,
  numbers: Record<string, Numbers>,
  { events, nowMs }: { events: Events; nowMs: number },
): void {
  const setMarks = writerOf(numbers.marks);
  for (let row = 0; row < events.length; row += 1) {
    const time = toStoredTime(events[row]?.timeMs, nowMs);
    const marks = toBits(events[row]?.marks, 8);
    setMarks(row, Number(time === null ? marks | (1n << BigInt(MARK_CLOCK)) : marks));
    target[row] = BigInt(time ?? Math.floor(nowMs));
  }
}

function fillNumbers(numbers: Record<string, Numbers>, events: Events): void {
  for (const [name, width] of Object.entries(NUMBER_COLUMNS)) {
    const write = writerOf(numbers[name]);
    const column = name as keyof typeof NUMBER_COLUMNS;
    const absent = column === 'weight' ? 1 : column === 'grpcStatus' ? 255 : 0;
    for (let row = 0; row < events.length; row += 1) {
      const value = events[row]?.[column];
      write(row, value === undefined ? absent : toStoredNumber(value, MAX_OF[width]));
    }
  }
  const latencies = numbers.latencyUs;
  const weights = numbers.weight;
  const setBucket = writerOf(numbers.latencyBucket);
  for (let row = 0; row < events.length; row += 1) {
    setBucket(row, latencyBucketOf(Number(latencies?.[row] ?? 0)));
    // An event stands for itself at least.
    if (weights !== undefined && weights[row] === 0) weights[row] = 1;
  }
  for (const name of ['flags', 'pii', 'categories'] as const) {
    const target = numbers[name];
    const bits = BIT_COLUMNS[name] === 'u64' ? 64 : 32;
    for (let row = 0; row < events.length; row += 1) {
      const set = events[row]?.[name];
      if (target === undefined || !Array.isArray(set) || set.length === 0) continue;
      if (target instanceof BigUint64Array) target[row] = toBits(set, bits);
      else target[row] = Number(toBits(set, bits));
    }
  }
}

function toBits(set: readonly number[] | undefined, width: number): bigint {
  let bits = 0n;
  for (const bit of Array.isArray(set) ? set : []) {
    if (Number.isInteger(bit) && bit >= 0 && bit < width) bits |= 1n << BigInt(bit);
  }
  return bits;
}

/** Every width is that of a hash: 64 bits. Anything else than a hash is stored as empty. */
function fillHashes(numbers: Record<string, Numbers>, events: Events): void {
  for (const column of HASH_COLUMNS) {
    const target = numbers[column];
    for (let row = 0; row < events.length; row += 1) {
      const value = events[row]?.[column];
      if (target instanceof BigUint64Array && value !== undefined) target[row] = hashToBits(value);
    }
  }
  const { requestHigh, requestLow } = numbers;
  for (let row = 0; row < events.length; row += 1) {
    const id = events[row]?.requestId;
    if (id === undefined || id === '' || !(requestHigh instanceof BigUint64Array)) continue;
    const [high, low] = requestIdToBits(id);
    requestHigh[row] = high;
    if (requestLow instanceof BigUint64Array) requestLow[row] = low;
  }
}

export function hashToBits(value: unknown): bigint {
  return typeof value === 'string' && HASH.test(value) ? BigInt(`0x${value}`) : 0n;
}

/** A UUID as it is; the hash of anything else, with the version 8 of UUIDs that applications define. */
export function requestIdToBits(id: unknown): readonly [bigint, bigint] {
  if (typeof id !== 'string' || id === '') return [0n, 0n];
  if (UUID.test(id)) {
    const digits = id.replaceAll('-', '');
    return [BigInt(`0x${digits.slice(0, 16)}`), BigInt(`0x${digits.slice(16)}`)];
  }
  const digest = createHash('sha256').update(id.toWellFormed()).digest();
  const high = (digest.readBigUInt64BE(0) & ~0xf000n) | 0x8000n;
  const low = (digest.readBigUInt64BE(8) & ~(3n << 62n)) | (2n << 62n);
  return [high, low];
}

function fillIds(numbers: Record<string, Numbers>, events: Events, hash: bigint): void {
  const { batch, ordinal } = numbers;
  if (!(batch instanceof BigUint64Array) || !(ordinal instanceof Uint32Array)) return;
  for (const [row, event] of events.entries()) {
    const id = 'id' in event ? event.id : undefined;
    const kept = typeof id === 'string' && EVENT_ID.test(id) ? id : undefined;
    batch[row] = kept === undefined ? hash : BigInt(`0x${kept.slice(0, 16)}`);
    ordinal[row] = kept === undefined ? row : Number.parseInt(kept.slice(16), 16);
  }
}

function encodeWords(events: Events, column: keyof typeof WORD_COLUMNS) {
  const texts: string[] = [];
  const codeOf = new Map<unknown, number>();
  const codes = new Uint32Array(events.length);
  for (let row = 0; row < events.length; row += 1) {
    const raw = events[row]?.[column] ?? '';
    let code = codeOf.get(raw);
    if (code === undefined) {
      code = texts.push(toStoredText(raw, WORD_COLUMNS[column])) - 1;
      codeOf.set(raw, code);
    }
    codes[row] = code;
  }
  return { texts, codes };
}
