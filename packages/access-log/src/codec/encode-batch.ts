import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import type { LogBatch } from '../entry.ts';
import { BatchWriter } from './batch-writer.ts';
import { DEFLATED, PLAIN } from './format.ts';

/** The part of a batch that its bytes contain; epoch and sequence travel beside them. */
export type BatchContent = Pick<LogBatch, 'listener' | 'entries'>;

/** Throws a RangeError if the entries exceed ENTRY_LIMITS; a `BatchWriter` says so before. */
export function encodeBatch({ listener, entries }: BatchContent): Buffer {
  const writer = new BatchWriter(listener);
  for (const entry of entries) if (!writer.add(entry)) throw new RangeError('the batch is too large');
  return writer.finish();
}

const deflate = promisify(deflateRaw);
/** Below this, the request ids that cannot be compressed are most of it. */
const WORTH_BYTES = 512;
const PREFIX_BYTES = 1 + 4;

/** Compresses a finished batch in a thread of the pool; returns it as it is if that does not pay. */
export async function compressBatch(plain: Buffer): Promise<Buffer> {
  if (plain[0] !== PLAIN || plain.length < WORTH_BYTES) return plain;
  const packed = await deflate(plain.subarray(1), { level: 1 });
  if (packed.length + PREFIX_BYTES >= plain.length) return plain;
  const prefix = Buffer.allocUnsafe(PREFIX_BYTES);
  prefix[0] = DEFLATED;
  prefix.writeUInt32LE(plain.length - 1, 1);
  return Buffer.concat([prefix, packed]);
}
