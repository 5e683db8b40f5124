import { randomUUID } from 'node:crypto';
import { type Logger, SerialQueue } from '@flotilla/kit';
import type { Backlog } from './backlog.ts';
import { createSegment, type KeptSegment } from './kept-segment.ts';
import { recoverSegments } from './recover.ts';
import {
  decodeHeader,
  decodeRecord,
  encodeRecord,
  HEADER_BYTES,
  RECORD_EXTRA_BYTES,
  type SpoolRecord,
} from './segment.ts';
import { type OpenSegment, SegmentFiles } from './segment-files.ts';
import type { BudgetedSpool, SpoolBudget } from './spool-budget.ts';

export interface SpoolOptions {
  /** Created with the first batch. */
  readonly dir: string;
  readonly budget: SpoolBudget;
  readonly logger: Logger;
  /** Names the start of the running kernel. */
  readonly bootId: string;
  /** A segment that has grown to this size is followed by another one; tests lower it. */
  readonly segmentBytes?: number;
  readonly now?: () => number;
}

const SEGMENT_BYTES = 4 * 1024 * 1024;
/** A segment with stored batches only stays until it has this size. */
const STORED_MAX_BYTES = 256 * 1024;
/** While the disk is full, batches wait in memory. */
const MEMORY_MAX_BYTES = 4 * 1024 * 1024;

/** Counts of losses since the agent started. The controller finds the gaps by the sequence. */
export interface SpoolCounts {
  droppedSegments: number;
  /** Also those in dropped segments. */
  droppedBatches: number;
}

/** Other errors of a disk do not go away when something is deleted. */
const FULL_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/**
 * The batches of one service that the controller has not stored, in their order, on disk.
 *
 * Numbers: an epoch continues as long as the kernel that wrote the newest segment runs, because then the files have all that an agent wrote before it died.
 * After another boot the last bytes may be missing, so a new epoch begins and no number is used twice. A batch that is dropped has a number, too.
 *
 * Segments: one file is open for appending; it is followed by another one when it is large. A segment is removed when all its records are stored and a newer
 * segment exists (which has the count), or when the budget needs its space. What a crash has cut off at the end of a segment is not read.
 *
 * A full disk: the oldest segments are dropped until there is room for the batch, and the write is repeated. If that fails, or the disk refuses writes for
 * another reason, the batch waits in memory under an epoch of its own, and what is on the disk stays.
 */
export class Spool implements BudgetedSpool {
  readonly counts: SpoolCounts = { droppedSegments: 0, droppedBatches: 0 };
  readonly #options: SpoolOptions;
  readonly #files: SegmentFiles;
  readonly #queue = new SerialQueue();
  readonly #segments: KeptSegment[] = [];
  readonly #now: () => number;
  readonly #memory: { readonly record: SpoolRecord; readonly atMs: number }[] = [];
  #memoryBytes = 0;
  #memoryEpoch = randomUUID();
  #memoryNext = 1n;
  #open: OpenSegment | undefined;
  /** Read last, if there is more in it. */
  #chunk: { readonly index: number; readonly start: number; readonly bytes: Buffer } | undefined;
  #nextIndex = 1;
  #epoch: string = randomUUID();
  #next = 1n;

  private constructor(options: SpoolOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#files = new SegmentFiles(options.dir);
  }

  static async open(options: SpoolOptions): Promise<Spool> {
    const spool = new Spool(options);
    await spool.#recover();
    options.budget.add(spool);
    options.budget.keep();
    return spool;
  }

  get bytes(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.bytes, 0);
  }

  get segments(): number {
    return this.#segments.length;
  }

  /** Those that were taken from memory and are on their way are left out. */
  get backlog(): Backlog {
    const waiting = this.#segments.filter(({ waiting }) => waiting.size > 0);
    const inFiles = waiting.reduce((sum, { bytes, storedBytes }) => sum + bytes - HEADER_BYTES - storedBytes, 0);
    const times = [waiting[0]?.waiting.oldestMs, this.#memory[0]?.atMs].filter((time) => time !== undefined);
    return {
      batches: waiting.reduce((sum, { waiting }) => sum + waiting.size, this.#memory.length),
      bytes: inFiles + this.#memoryBytes,
      oldestMs: times.length === 0 ? 0 : Math.min(...times),
    };
  }

  /** Keeps a batch. Never rejects: what cannot be kept is dropped and leaves a gap. */
  append(entries: number, payload: Buffer): Promise<void> {
    return this.#queue.run(() => this.#append(entries, payload));
  }

  /** A batch was dropped before it got here. */
  skip(): void {
    this.#next += 1n;
    this.counts.droppedBatches += 1;
  }

  /** The oldest batch that was not taken; undefined: there is none. The caller keeps it until it is stored. */
  take(): Promise<SpoolRecord | undefined> {
    return this.#queue.run(() => this.#take());
  }

  /** The controller has stored a batch that was taken. */
  stored({ epoch, sequence, payload }: Pick<SpoolRecord, 'epoch' | 'sequence' | 'payload'>): void {
    const segment = this.#segments.find((one) => one.epoch === epoch && one.taken.has(sequence));
    if (!segment) return;
    segment.taken.delete(sequence);
    segment.waiting.remove(sequence);
    segment.storedBytes += payload.length + RECORD_EXTRA_BYTES;
    this.#removeStored();
    // The next batch begins another segment, with which this one goes: what is stored need not stay on the disk.
    const isOnly = this.#segments.length === 1 && segment.taken.size === 0 && segment.readAt >= segment.bytes;
    if (isOnly && segment.bytes > STORED_MAX_BYTES) this.#endSegment();
  }

  dropOldest(): boolean {
    const oldest = this.#forgetOldest();
    if (!oldest) return false;
    if (this.#segments.length === 0) this.#endSegment();
    this.#remove(oldest);
    return true;
  }

  #forgetOldest(): KeptSegment | undefined {
    const oldest = this.#segments.shift();
    if (!oldest) return undefined;
    this.counts.droppedSegments += 1;
    this.counts.droppedBatches += oldest.waiting.size;
    const { logger, dir } = this.#options;
    const batches = oldest.waiting.size;
    logger.warn({ dir, bytes: oldest.bytes, batches, segment: oldest.index }, 'access_log.segment_dropped');
    return oldest;
  }

  async close(): Promise<void> {
    this.#options.budget.remove(this);
    this.#endSegment();
    await this.#queue.settle();
  }

  async #recover(): Promise<void> {
    const found = await this.#files.list().catch(() => []);
    const { segments, newest } = await recoverSegments(this.#files, found);
    this.#segments.push(...segments);
    this.#nextIndex = (segments.at(-1)?.index ?? 0) + 1;
    if (newest === undefined || newest.header.bootId !== this.#options.bootId) return;
    this.#epoch = newest.header.epoch;
    this.#next = newest.last === undefined ? newest.header.firstSequence : newest.last + 1n;
  }

  async #append(entries: number, payload: Buffer): Promise<void> {
    const record = { epoch: this.#epoch, sequence: this.#next, entries, payload };
    try {
      await this.#write(record);
    } catch (error) {
      this.#options.logger.warn({ err: error, dir: this.#options.dir }, 'access_log.not_written');
      await this.#closeOpen();
      const isFull = FULL_CODES.has((error as NodeJS.ErrnoException).code);
      if (!isFull || !(await this.#makeRoom(payload.length)) || !(await this.#writeAgain(record))) {
        this.#keepInMemory(entries, payload);
        return;
      }
    }
    this.#next += 1n;
    this.#options.budget.keep();
  }

  async #write(record: SpoolRecord): Promise<void> {
    const bytes = encodeRecord(record);
    const { segmentBytes = SEGMENT_BYTES } = this.#options;
    if ((this.#segments.at(-1)?.bytes ?? 0) >= segmentBytes) this.#endSegment();
    this.#open ??= await this.#begin();
    await this.#open.append(bytes);
    const segment = this.#segments.at(-1);
    if (!segment) return;
    segment.bytes += bytes.length;
    segment.waiting.add(record.sequence, this.#now());
  }

  async #writeAgain(record: SpoolRecord): Promise<boolean> {
    try {
      await this.#write(record);
      return true;
    } catch {
      await this.#closeOpen();
      return false;
    }
  }

  /** On a full disk, older entries make room for newer ones. Runs in the queue. False: nothing was deleted. */
  async #makeRoom(payloadBytes: number): Promise<boolean> {
    const need = payloadBytes + RECORD_EXTRA_BYTES + HEADER_BYTES;
    let freed = 0;
    while (freed < need) {
      const oldest = this.#forgetOldest();
      if (!oldest) break;
      try {
        await this.#files.remove(oldest.index);
      } catch {
        return false;
      }
      freed += oldest.bytes;
    }
    return freed > 0;
  }

  async #begin(): Promise<OpenSegment> {
    const index = this.#nextIndex;
    this.#nextIndex += 1;
    const { bootId } = this.#options;
    const opened = await this.#files.create(index, { epoch: this.#epoch, bootId, firstSequence: this.#next });
    this.#segments.push({ ...createSegment(index), epoch: this.#epoch });
    this.#removeStored();
    return opened;
  }

  #endSegment(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open) void this.#queue.run(() => open.close().catch(() => undefined));
  }

  /** In the queue: a file that is open occupies its space until it is closed. */
  async #closeOpen(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.close().catch(() => undefined);
  }

  #keepInMemory(entries: number, payload: Buffer): void {
    const record = { epoch: this.#memoryEpoch, sequence: this.#memoryNext, entries, payload };
    this.#memory.push({ record, atMs: this.#now() });
    this.#memoryNext += 1n;
    this.#memoryBytes += payload.length;
    while (this.#memoryBytes > MEMORY_MAX_BYTES && this.#memory.length > 1) {
      this.#memoryBytes -= this.#memory.shift()?.record.payload.length ?? 0;
      this.counts.droppedBatches += 1;
    }
  }

  async #take(): Promise<SpoolRecord | undefined> {
    for (const segment of [...this.#segments]) {
      const record = await this.#takeFrom(segment);
      if (record) return record;
    }
    this.#removeStored();
    const waiting = this.#memory.shift()?.record;
    this.#memoryBytes -= waiting?.payload.length ?? 0;
    return waiting;
  }

  async #takeFrom(segment: KeptSegment): Promise<SpoolRecord | undefined> {
    if (segment.readAt >= segment.bytes) return undefined;
    try {
      segment.epoch ??= decodeHeader(await this.#files.readHeader(segment.index))?.epoch;
      const record = segment.epoch === undefined ? undefined : await this.#readNext(segment, segment.epoch);
      if (record !== undefined) {
        segment.taken.add(record.sequence);
        if (segment.readAt >= segment.bytes) segment.waiting.keepOnly(segment.taken);
        return record;
      }
    } catch (error) {
      this.#options.logger.warn({ err: error, segment: segment.index }, 'access_log.segment_unreadable');
    }
    // The rest was cut off by a crash, or is damaged.
    segment.readAt = segment.bytes;
    segment.waiting.keepOnly(segment.taken);
    return undefined;
  }

  /** Small records are read many at a time. */
  async #readNext(segment: KeptSegment, epoch: string): Promise<SpoolRecord | undefined> {
    const cached = this.#chunk?.index === segment.index ? this.#chunk : undefined;
    const known = cached && decodeRecord(cached.bytes, segment.readAt - cached.start, epoch);
    let found = known;
    if (found === undefined) {
      const start = segment.readAt;
      const bytes = await this.#files.read(segment.index, start);
      this.#chunk = { index: segment.index, start, bytes };
      found = decodeRecord(bytes, 0, epoch);
      if (found === undefined) return undefined;
      segment.readAt = start + found.end;
    } else segment.readAt = (cached?.start ?? 0) + found.end;
    if (segment.readAt >= segment.bytes) this.#chunk = undefined;
    return found.record;
  }

  #removeStored(): void {
    for (;;) {
      const [oldest, newer] = this.#segments;
      if (!oldest || !newer || oldest.readAt < oldest.bytes || oldest.taken.size > 0) return;
      this.#segments.shift();
      this.#remove(oldest);
    }
  }

  #remove({ index }: KeptSegment): void {
    const { logger } = this.#options;
    const removing = this.#queue.run(() => this.#files.remove(index));
    removing.catch((error: unknown) => logger.warn({ err: error }, 'access_log.segment_not_removed'));
  }
}
