import { createHash } from 'node:crypto';
import { toBitSet, toHashBits } from './bits.ts';
import { ChunkBuilder, type ChunkRow, type EventChunk, type Numbers } from './chunk.ts';
import { BIT_COLUMNS, HASH_COLUMNS, NUMBER_COLUMNS, WORD_NAMES } from './columns.ts';
import { refuseBatch } from './errors.ts';
import { EVENT_LIMITS, type RequestEvent, type StoredEvent, toStoredText } from './event.ts';
import type { EventBatch } from './port.ts';

/** A batch by columns, as it goes to the worker. */
export interface EncodedBatch extends EventChunk {
  readonly sender: string;
  readonly epoch: string;
  readonly sequence: number;
}

const HASH = /^[0-9a-f]{16}$/;
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
  if (countEvents(events) > EVENT_LIMITS.batchEvents) {
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

export function isChunk(events: EventBatch['events']): events is EventChunk {
  return !Array.isArray(events);
}

export function countEvents(events: EventBatch['events']): number {
  return isChunk(events) ? events.rows : events.length;
}

export function encodeBatch(project: string, batch: EventBatch, nowMs: number): EncodedBatch {
  checkBatch(batch);
  const { sender, epoch, sequence, events } = batch;
  const hash = hashBatch(project, batch);
  const chunk = isChunk(events) ? events : buildChunk(events, nowMs);
  const ids = identify(chunk.rows, isChunk(events) ? [] : events, hash);
  return { sender, epoch, sequence, ...chunk, numbers: { ...chunk.numbers, ...ids } };
}

type AnyEvent = RequestEvent | StoredEvent;

function buildChunk(events: readonly AnyEvent[], nowMs: number): EventChunk {
  const builder = new ChunkBuilder(events.length, nowMs);
  for (const event of events) builder.add(toRow(event));
  return builder.build();
}

/** Values of another type than their column's are absent. */
function toRow(event: AnyEvent): ChunkRow {
  const row: Record<string, unknown> = { timeMs: event.timeMs };
  for (const name of WORD_NAMES) row[name] = typeof event[name] === 'string' ? event[name] : '';
  for (const name of Object.keys(NUMBER_COLUMNS) as (keyof typeof NUMBER_COLUMNS)[]) {
    row[name] = event[name] ?? (name === 'grpcStatus' && event[name] === undefined ? 255 : 0);
  }
  for (const name of HASH_COLUMNS) row[name] = toHashBits(event[name]);
  for (const name of ['pii', 'categories', 'marks'] as const) {
    row[name] = toBitSet(event[name], BIT_COLUMNS[name] === 'u8' ? 8 : 32).low;
  }
  row.flags = toBitSet(event.flags, 64);
  row.requestId = typeof event.requestId === 'string' ? event.requestId : '';
  return row as unknown as ChunkRow;
}

/** The columns with the ids: those that events bring, or their places in the batch. */
function identify(rows: number, events: readonly AnyEvent[], hash: bigint): Readonly<Record<string, Numbers>> {
  const batch = new BigUint64Array(rows).fill(hash);
  const ordinal = new Uint32Array(rows);
  for (let row = 0; row < rows; row += 1) ordinal[row] = row;
  for (const [row, event] of events.entries()) {
    const id = 'id' in event ? event.id : undefined;
    if (typeof id !== 'string' || !EVENT_ID.test(id)) continue;
    batch[row] = BigInt(`0x${id.slice(0, 16)}`);
    ordinal[row] = Number.parseInt(id.slice(16), 16);
  }
  return { batch, ordinal };
}

export function hashToBits(value: unknown): bigint {
  return typeof value === 'string' && HASH.test(value) ? BigInt(`0x${value}`) : 0n;
}
