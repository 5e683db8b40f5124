import { inflateRawSync } from 'node:zlib';
import { err, ok, type Result } from '@flotilla/kit';
import { ENTRY_LIMITS, type LogEntry } from '../entry.ts';
import { NO_GRPC_STATUS } from '../reduce/reducer.ts';
import { BatchFault, BatchReader } from './batch-reader.ts';
import type { BatchContent } from './encode-batch.ts';
import { DEFLATED, fromKinds, fromSignBits, ID_MAX_CHARS, ID_NONE, ID_TEXT, ID_UUID, PLAIN } from './format.ts';

const PREFIX_BYTES = 1 + 4;
const LISTENER_MAX_BYTES = 1024;
const STATUS_MAX = 999;
const TIME_MAX_MS = 253_402_300_800_000;
const LIFETIME_MAX_S = 2 ** 32;
const NO_WORDS: readonly string[] = [];

/**
 * Reads a batch, compressed or not. Trusts nothing: an agent that sends too much, other texts than those of an access log, or bytes behind the end gets an
 * error. Uses memory in proportion to ENTRY_LIMITS. Never throws.
 */
export function decodeBatch(payload: Uint8Array): Result<BatchContent, string> {
  try {
    return ok(readContent(toPlain(Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength))));
  } catch (error) {
    if (error instanceof BatchFault) return err(error.message);
    throw error;
  }
}

function toPlain(bytes: Buffer): Buffer {
  if (bytes[0] === PLAIN) return bytes;
  if (bytes[0] !== DEFLATED || bytes.length <= PREFIX_BYTES) throw new BatchFault('the version is not known');
  const length = bytes.readUInt32LE(1);
  if (length > ENTRY_LIMITS.batchBytes) throw new BatchFault('the batch is too large');
  let plain: Buffer;
  try {
    plain = inflateRawSync(bytes.subarray(PREFIX_BYTES), { maxOutputLength: Math.max(1, length) });
  } catch {
    throw new BatchFault('the batch cannot be decompressed');
  }
  if (plain.length !== length) throw new BatchFault('the batch has another length than it says');
  return Buffer.concat([Buffer.of(PLAIN), plain]);
}

function readContent(bytes: Buffer): BatchContent {
  if (bytes.length > ENTRY_LIMITS.batchBytes + PREFIX_BYTES) throw new BatchFault('the batch is too large');
  if (bytes.length < PREFIX_BYTES + 1) throw new BatchFault('the batch is too short');
  const count = bytes.readUInt32LE(1);
  if (count > ENTRY_LIMITS.entries) throw new BatchFault('the batch has too many entries');
  const reader = new BatchReader(bytes, PREFIX_BYTES);
  const nameLength = reader.varint();
  if (nameLength > LISTENER_MAX_BYTES) throw new BatchFault('the name of the listener is too long');
  const listener = reader.literal(nameLength);
  const entries: LogEntry[] = [];
  const time = { ms: 0 };
  for (let index = 0; index < count; index += 1) entries.push(readEntry(reader, time));
  if (!reader.isAtEnd) throw new BatchFault('there are bytes behind the last entry');
  return { listener, entries };
}

function readEntry(reader: BatchReader, time: { ms: number }): LogEntry {
  time.ms += reader.signed();
  const timeMs = within(time.ms, TIME_MAX_MS);
  const latencyUs = reader.varint();
  const kinds = fromKinds(reader.varint());
  const signs = fromSignBits(reader.varint());
  if (kinds === undefined || signs === undefined) throw new BatchFault('a kind is not known');
  const status = within(reader.varint(), STATUS_MAX);
  const grpcStatus = within(reader.varint(), NO_GRPC_STATUS);
  const requestBytes = reader.varint();
  const responseBytes = reader.varint();
  const tokenLifetimeS = within(reader.varint(), LIFETIME_MAX_S);
  const requestId = readId(reader);
  return {
    timeMs,
    latencyUs,
    protocol: kinds.protocol,
    method: reader.text(0),
    authority: reader.text(1),
    path: reader.text(2),
    status,
    grpcStatus,
    requestBytes,
    responseBytes,
    requestId,
    sourceAddress: reader.text(3),
    userAgent: reader.text(4),
    responseFlags: reader.text(5),
    route: reader.text(6),
    cluster: reader.text(7),
    tlsVersion: reader.text(8),
    requestContentType: reader.text(9),
    contentType: reader.text(10),
    graphqlOperation: reader.text(11),
    origin: reader.text(12),
    auth: kinds.auth,
    identityHash: reader.text(13),
    tokenLifetimeS,
    signs,
    action: reader.text(14),
    engine: reader.text(15),
    queryNames: toWords(reader.text(16)),
    queryPii: toWords(reader.text(17)),
  };
}

function readId(reader: BatchReader): string {
  const kind = reader.varint();
  if (kind === ID_NONE) return '';
  if (kind === ID_UUID) return reader.uuid();
  const text = reader.literal(kind - ID_TEXT);
  if (text.length > ID_MAX_CHARS) throw new BatchFault('an id is too long');
  return text;
}

function within(value: number, max: number): number {
  if (value < 0 || value > max) throw new BatchFault('a number is out of its range');
  return value;
}

function toWords(text: string): readonly string[] {
  return text === '' ? NO_WORDS : text.split(' ');
}
