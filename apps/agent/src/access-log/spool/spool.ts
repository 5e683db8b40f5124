import { randomUUID } from 'node:crypto';
import { type Logger, SerialQueue } from '@flotilla/kit';
import { decodeHeader, decodeRecord, encodeRecord, findLastRecord, HEADER_BYTES, type SpoolRecord } from './segment.ts';
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
}

/** A segment that is not removed yet. */
interface Segment {
  readonly index: number;
  bytes: number;
  /** Known for segments of this run, and of others once they were read. */
  epoch: string | undefined;
  /** Where the next record to take begins. */
  readAt: number;
  /** Records that were taken and are not stored yet. */
  readonly taken: Set<bigint>;
}

const SEGMENT_BYTES = 4 * 1024 * 1024;
/** A segment with stored batches only stays until it has this size. */
const STORED_MAX_BYTES = 256 * 1024;
/** While the disk is full, batches wait in memory. */
const MEMORY_MAX_BYTES = 4 * 1024 * 1024;

/** Counts of losses since the agent started. The controller finds the gaps by the sequence. */
export interface SpoolCounts {
  droppedSegments: number;
  droppedBatches: number;
}

/**
 * The batches of one service that the controller has not stored, in their order, on disk.
 *
 * Numbers: an epoch continues as long as the kernel that wrote the newest segment runs, because then the files have all that an agent wrote before it died.
 * After another boot the last bytes may be missing, so a new epoch begins and no number is used twice. A batch that is dropped has a number, too.
 *
 * Segments: one file is open for appending; it is followed by another one when it is large. A segment is removed when all its records are stored and a newer
 * segment exists (which has the count), or when the budget needs its space. What a crash has cut off at the end of a segment is not read.
 *
 * A full disk: the oldest segment is dropped and the write repeated; if that fails, the batch waits in memory, under an epoch of its own.
 */
export class Spool implements BudgetedSpool {
  readonly counts: SpoolCounts = { droppedSegments: 0, droppedBatches: 0 };
  readonly #options: SpoolOptions;
  readonly #files: SegmentFiles;
  readonly #queue = new SerialQueue();
  readonly #segments: Segment[] = [];
  readonly #memory: SpoolRecord[] = [];
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
  stored({ epoch, sequence }: Pick<SpoolRecord, 'epoch' | 'sequence'>): void {
    const segment = this.#segments.find((one) => one.epoch === epoch && one.taken.has(sequence));
    if (!segment) return;
    segment.taken.delete(sequence);
    this.#removeStored();
    // The next batch begins another segment, with which this one goes: what is stored need not stay on the disk.
    const isOnly = this.#segments.length === 1 && segment.taken.size === 0 && segment.readAt >= segment.bytes;
    if (isOnly && segment.bytes > STORED_MAX_BYTES) this.#endSegment();
  }

  dropOldest(): boolean {
    const oldest = this.#segments.shift();
    if (!oldest) return false;
    this.counts.droppedSegments += 1;
    const { logger, dir } = this.#options;
    logger.warn({ dir, bytes: oldest.bytes, segment: oldest.index }, 'access_log.segment_dropped');
    if (this.#segments.length === 0) this.#endSegment();
    this.#remove(oldest);
    return true;
  }

  async close(): Promise<void> {
    this.#options.budget.remove(this);
    this.#endSegment();
    await this.#queue.settle();
  }

  async #recover(): Promise<void> {
    const found = await this.#files.list().catch(() => []);
    for (const { index, bytes } of found) {
      this.#segments.push({ index, bytes, epoch: undefined, readAt: HEADER_BYTES, taken: new Set() });
    }
    const newest = found.at(-1);
    if (!newest) return;
    this.#nextIndex = newest.index + 1;
    const content = await this.#files.readAll(newest.index).catch(() => Buffer.alloc(0));
    const header = decodeHeader(content);
    if (header === undefined || header.bootId !== this.#options.bootId) return;
    this.#epoch = header.epoch;
    const last = findLastRecord(content, header);
    this.#next = last === undefined ? header.firstSequence : last.sequence + 1n;
  }

  async #append(entries: number, payload: Buffer): Promise<void> {
    const record = { epoch: this.#epoch, sequence: this.#next, entries, payload };
    try {
      await this.#write(record);
    } catch (error) {
      this.#options.logger.warn({ err: error, dir: this.#options.dir }, 'access_log.not_written');
      this.#endSegment();
      if (!this.#dropForSpace() || !(await this.#writeAgain(record))) {
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
    if (segment) segment.bytes += bytes.length;
  }

  async #writeAgain(record: SpoolRecord): Promise<boolean> {
    try {
      await this.#write(record);
      return true;
    } catch {
      this.#endSegment();
      return false;
    }
  }

  /** On a full disk, older entries make room for newer ones. */
  #dropForSpace(): boolean {
    return this.#segments.length > 0 && this.dropOldest();
  }

  async #begin(): Promise<OpenSegment> {
    const index = this.#nextIndex;
    this.#nextIndex += 1;
    const { bootId } = this.#options;
    const opened = await this.#files.create(index, { epoch: this.#epoch, bootId, firstSequence: this.#next });
    this.#segments.push({ index, bytes: HEADER_BYTES, epoch: this.#epoch, readAt: HEADER_BYTES, taken: new Set() });
    this.#removeStored();
    return opened;
  }

  #endSegment(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open) void this.#queue.run(() => open.close().catch(() => undefined));
  }

  #keepInMemory(entries: number, payload: Buffer): void {
    this.#memory.push({ epoch: this.#memoryEpoch, sequence: this.#memoryNext, entries, payload });
    this.#memoryNext += 1n;
    this.#memoryBytes += payload.length;
    while (this.#memoryBytes > MEMORY_MAX_BYTES && this.#memory.length > 1) {
      this.#memoryBytes -= this.#memory.shift()?.payload.length ?? 0;
      this.counts.droppedBatches += 1;
    }
  }

  async #take(): Promise<SpoolRecord | undefined> {
    for (const segment of [...this.#segments]) {
      const record = await this.#takeFrom(segment);
      if (record) return record;
    }
    this.#removeStored();
    const waiting = this.#memory.shift();
    this.#memoryBytes -= waiting?.payload.length ?? 0;
    return waiting;
  }

  async #takeFrom(segment: Segment): Promise<SpoolRecord | undefined> {
    if (segment.readAt >= segment.bytes) return undefined;
    try {
      segment.epoch ??= decodeHeader(await this.#files.readHeader(segment.index))?.epoch;
      const record = segment.epoch === undefined ? undefined : await this.#readNext(segment, segment.epoch);
      if (record !== undefined) {
        segment.taken.add(record.sequence);
        return record;
      }
    } catch (error) {
      this.#options.logger.warn({ err: error, segment: segment.index }, 'access_log.segment_unreadable');
    }
    // The rest was cut off by a crash, or is damaged.
    segment.readAt = segment.bytes;
    return undefined;
  }

  /** Small records are read many at a time. */
  async #readNext(segment: Segment, epoch: string): Promise<SpoolRecord | undefined> {
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

  #remove({ index }: Segment): void {
    const { logger } = this.#options;
    const removing = this.#queue.run(() => this.#files.remove(index));
    removing.catch((error: unknown) => logger.warn({ err: error }, 'access_log.segment_not_removed'));
  }
}
