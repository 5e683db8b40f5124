import { type Bits64, readHex } from './bits.ts';
import {
  type HashColumn,
  NUMBER_COLUMNS,
  NUMERIC,
  type NumberColumn,
  type Width,
  WORD_COLUMNS,
  WORD_NAMES,
  type WordColumn,
} from './columns.ts';
import { MARK_CLOCK, toStoredNumber, toStoredText, toStoredTime } from './event.ts';
import { latencyBucketOf } from './latency.ts';
import { requestIdToBits } from './request-id.ts';

export type Numbers = Uint8Array | Uint16Array | Uint32Array | BigUint64Array;

/** Events by columns: texts once each, everything else as numbers. `append` takes it as it is. */
export interface EventChunk {
  readonly rows: number;
  readonly timeMs: BigInt64Array;
  readonly words: Readonly<Record<string, { readonly texts: readonly string[]; readonly codes: Uint32Array }>>;
  readonly numbers: Readonly<Record<string, Numbers>>;
}

/** The values of one event. A builder keeps nothing of the object, so a caller may use one for all of its events. */
export type ChunkRow = { timeMs: number; requestId: string } & { [Column in WordColumn]: string } & {
  [Column in NumberColumn]: number;
} & { [Column in HashColumn]: Bits64 } & { flags: Bits64; pii: number; categories: number; marks: number };

const BYTES: Readonly<Record<Width, number>> = { u8: 1, u16: 2, u32: 4, u64: 8 };
/** The store adds these columns: they say which batch an event came with. */
const ADDED: ReadonlySet<string> = new Set(['batch', 'ordinal']);
const BYTES_PER_ROW = Object.entries(NUMERIC)
  .filter(([name]) => !ADDED.has(name))
  .reduce((sum, [, width]) => sum + BYTES[width], BYTES.u64 + WORD_NAMES.length * BYTES.u32);
const MAX_OF = { u8: 2 ** 8 - 1, u16: 2 ** 16 - 1, u32: 2 ** 32 - 1, u64: Number.MAX_SAFE_INTEGER } as const;

/** One piece of memory for all columns: wide ones first, so that each begins where its width needs it. */
class Space {
  readonly #rows: number;
  readonly #buffer: ArrayBuffer;
  #at = 0;

  constructor(rows: number) {
    this.#rows = rows;
    this.#buffer = new ArrayBuffer(rows * BYTES_PER_ROW);
  }

  /** 64 bits each, as two halves. */
  wide(): Uint32Array {
    return new Uint32Array(this.#buffer, this.#take(BYTES.u64), this.#rows * 2);
  }

  u32(): Uint32Array {
    return new Uint32Array(this.#buffer, this.#take(BYTES.u32), this.#rows);
  }

  u16(): Uint16Array {
    return new Uint16Array(this.#buffer, this.#take(BYTES.u16), this.#rows);
  }

  u8(): Uint8Array {
    return new Uint8Array(this.#buffer, this.#take(BYTES.u8), this.#rows);
  }

  #take(width: number): number {
    const from = this.#at;
    this.#at += width * this.#rows;
    return from;
  }
}

const createWide = (space: Space) => ({
  timeMs: space.wide(),
  requestBytes: space.wide(),
  responseBytes: space.wide(),
  flags: space.wide(),
  operationId: space.wide(),
  consumer: space.wide(),
  source: space.wide(),
  userAgent: space.wide(),
  object: space.wide(),
  requestHigh: space.wide(),
  requestLow: space.wide(),
});

const createNarrow = (space: Space) => ({
  latencyUs: space.u32(),
  asn: space.u32(),
  pii: space.u32(),
  categories: space.u32(),
  status: space.u16(),
  weight: space.u16(),
  grpcStatus: space.u8(),
  risk: space.u8(),
  exposure: space.u8(),
  marks: space.u8(),
  latencyBucket: space.u8(),
});

/** The texts of one column. Most rows repeat the text of the row before. */
class WordBuilder {
  readonly #max: number;
  readonly #codes: Uint32Array;
  readonly #texts: string[] = [];
  readonly #codeOf = new Map<string, number>();
  #last: string | undefined;
  #lastCode = 0;

  constructor(column: WordColumn, codes: Uint32Array) {
    this.#max = WORD_COLUMNS[column];
    this.#codes = codes;
  }

  put(row: number, text: string): void {
    if (text !== this.#last) {
      this.#last = text;
      this.#lastCode = this.#codeOf.get(text) ?? this.#add(text);
    }
    this.#codes[row] = this.#lastCode;
  }

  #add(text: string): number {
    const code = this.#texts.push(toStoredText(text, this.#max)) - 1;
    this.#codeOf.set(text, code);
    return code;
  }

  build(rows: number) {
    return { texts: this.#texts, codes: this.#codes.subarray(0, rows) };
  }
}

function createWords(space: Space): { readonly [Column in WordColumn]: WordBuilder } {
  const word = (column: WordColumn) => new WordBuilder(column, space.u32());
  return {
    service: word('service'),
    client: word('client'),
    listener: word('listener'),
    protocol: word('protocol'),
    method: word('method'),
    host: word('host'),
    path: word('path'),
    operation: word('operation'),
    route: word('route'),
    cluster: word('cluster'),
    responseFlags: word('responseFlags'),
    country: word('country'),
    agentKind: word('agentKind'),
    authScheme: word('authScheme'),
    tlsVersion: word('tlsVersion'),
    contentType: word('contentType'),
    action: word('action'),
    engine: word('engine'),
  };
}

/**
 * Writes events into columns, one after the other, without an object for each. Any value is harmless: texts are cut and cleaned, numbers clamped, and impossible
 * times become `nowMs`.
 */
export class ChunkBuilder {
  readonly #nowMs: number;
  readonly #wide: ReturnType<typeof createWide>;
  readonly #words: ReturnType<typeof createWords>;
  readonly #narrow: ReturnType<typeof createNarrow>;
  #rows = 0;

  /** At most `capacity` events are added. */
  constructor(capacity: number, nowMs: number) {
    const space = new Space(capacity);
    this.#nowMs = nowMs;
    this.#wide = createWide(space);
    this.#words = createWords(space);
    this.#narrow = createNarrow(space);
  }

  get rows(): number {
    return this.#rows;
  }

  add(row: ChunkRow): void {
    const at = this.#rows;
    this.#rows += 1;
    const time = toStoredTime(row.timeMs, this.#nowMs);
    this.#narrow.marks[at] = time === null ? row.marks | (1 << MARK_CLOCK) : row.marks;
    putNumber(this.#wide.timeMs, at, time ?? Math.floor(this.#nowMs));
    this.#addWords(at, row);
    this.#addNumbers(at, row);
    this.#addHashes(at, row);
    if (row.requestId !== '') this.#addRequestId(at, row.requestId);
  }

  #addWords(at: number, row: ChunkRow): void {
    const words = this.#words;
    words.service.put(at, row.service);
    words.client.put(at, row.client);
    words.listener.put(at, row.listener);
    words.protocol.put(at, row.protocol);
    words.method.put(at, row.method);
    words.host.put(at, row.host);
    words.path.put(at, row.path);
    words.operation.put(at, row.operation);
    words.route.put(at, row.route);
    words.cluster.put(at, row.cluster);
    words.responseFlags.put(at, row.responseFlags);
    words.country.put(at, row.country);
    words.agentKind.put(at, row.agentKind);
    words.authScheme.put(at, row.authScheme);
    words.tlsVersion.put(at, row.tlsVersion);
    words.contentType.put(at, row.contentType);
    words.action.put(at, row.action);
    words.engine.put(at, row.engine);
  }

  #addNumbers(at: number, row: ChunkRow): void {
    const { latencyUs, asn, status, grpcStatus, risk, exposure, weight, latencyBucket } = this.#narrow;
    const latency = toStoredNumber(row.latencyUs, MAX_OF[NUMBER_COLUMNS.latencyUs]);
    latencyUs[at] = latency;
    latencyBucket[at] = latencyBucketOf(latency);
    asn[at] = toStoredNumber(row.asn, MAX_OF[NUMBER_COLUMNS.asn]);
    status[at] = toStoredNumber(row.status, MAX_OF[NUMBER_COLUMNS.status]);
    grpcStatus[at] = toStoredNumber(row.grpcStatus, MAX_OF[NUMBER_COLUMNS.grpcStatus]);
    risk[at] = toStoredNumber(row.risk, MAX_OF[NUMBER_COLUMNS.risk]);
    exposure[at] = toStoredNumber(row.exposure, MAX_OF[NUMBER_COLUMNS.exposure]);
    // An event stands for itself at least.
    weight[at] = Math.max(1, toStoredNumber(row.weight, MAX_OF[NUMBER_COLUMNS.weight]));
    putNumber(this.#wide.requestBytes, at, toStoredNumber(row.requestBytes, MAX_OF[NUMBER_COLUMNS.requestBytes]));
    putNumber(this.#wide.responseBytes, at, toStoredNumber(row.responseBytes, MAX_OF[NUMBER_COLUMNS.responseBytes]));
  }

  #addHashes(at: number, row: ChunkRow): void {
    const { flags, operationId, consumer, source, userAgent, object } = this.#wide;
    putBits(flags, at, row.flags);
    putBits(operationId, at, row.operationId);
    putBits(consumer, at, row.consumer);
    putBits(source, at, row.source);
    putBits(userAgent, at, row.userAgent);
    putBits(object, at, row.object);
    this.#narrow.pii[at] = row.pii;
    this.#narrow.categories[at] = row.categories;
  }

  /** A UUID as it is, without a text or a BigInt in between. */
  #addRequestId(at: number, id: string): void {
    const { requestHigh, requestLow } = this.#wide;
    const isUuid = id.length === 36 && id[8] === '-' && id[13] === '-' && id[18] === '-' && id[23] === '-';
    const [a, b, c] = [readHex(id, 0, 8), readHex(id, 9, 13), readHex(id, 14, 18)];
    const [d, e, f] = [readHex(id, 19, 23), readHex(id, 24, 28), readHex(id, 28, 36)];
    if (isUuid && a >= 0 && b >= 0 && c >= 0 && d >= 0 && e >= 0 && f >= 0) {
      requestHigh[2 * at] = b * 65_536 + c;
      requestHigh[2 * at + 1] = a;
      requestLow[2 * at] = f;
      requestLow[2 * at + 1] = d * 65_536 + e;
      return;
    }
    const [high, low] = requestIdToBits(id);
    asWide(requestHigh)[at] = high;
    asWide(requestLow)[at] = low;
  }

  /** The builder is of no use afterwards. */
  build(): EventChunk {
    const rows = this.#rows;
    const { timeMs, ...wide } = this.#wide;
    return {
      rows,
      timeMs: new BigInt64Array(timeMs.buffer, timeMs.byteOffset, rows),
      words: Object.fromEntries(WORD_NAMES.map((name) => [name, this.#words[name].build(rows)])),
      numbers: Object.fromEntries([
        ...Object.entries(wide).map(([name, halves]) => [name, asWide(halves).subarray(0, rows)] as const),
        ...Object.entries(this.#narrow).map(([name, column]) => [name, column.subarray(0, rows)] as const),
      ]),
    };
  }
}

/** The times of the events; `toMs` is excluded. */
export function timesOf({ timeMs, rows }: EventChunk): { fromMs: number; toMs: number } {
  const halves = new Uint32Array(timeMs.buffer, timeMs.byteOffset, rows * 2);
  let [fromMs, toMs] = [Number.POSITIVE_INFINITY, 0];
  for (let at = 0; at < rows; at += 1) {
    const time = (halves[2 * at] ?? 0) + (halves[2 * at + 1] ?? 0) * 2 ** 32;
    fromMs = Math.min(fromMs, time);
    toMs = Math.max(toMs, time + 1);
  }
  return { fromMs, toMs };
}

function asWide({ buffer, byteOffset, length }: Uint32Array): BigUint64Array {
  return new BigUint64Array(buffer, byteOffset, length / 2);
}

/** Writes a whole number below 2^53. */
function putNumber(halves: Uint32Array, at: number, value: number): void {
  halves[2 * at] = value >>> 0;
  halves[2 * at + 1] = Math.floor(value / 2 ** 32);
}

function putBits(halves: Uint32Array, at: number, { low, high }: Bits64): void {
  halves[2 * at] = low;
  halves[2 * at + 1] = high;
}
