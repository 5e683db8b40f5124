import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { AppError } from '@flotilla/kit';
import type { EncodedBatch } from '../encode.ts';
import { EVENT_STORE_ERRORS } from '../errors.ts';
import type { AppendOutcome, Retention } from '../port.ts';
import { appendRows } from './appending.ts';
import { type FileOptions, inTransaction, isInvalidated, openFile, readRows, toStoreError } from './file.ts';
import { evictOldest, expire, raiseCompleteFrom, readCompleteFrom } from './retention.ts';
import { foldKind, rewriteRollup } from './rollups.ts';
import { ROLLUP_KINDS, ROLLUP_TABLES, type RollupKind } from './schema.ts';
import { listSegments, type Segment, settleTail } from './segments.ts';
import { Senders } from './senders.ts';
import { Slices } from './slices.ts';
import { type WordLimits, Words } from './words.ts';

export interface DatabaseOptions extends FileOptions {
  readonly retention: Retention;
  readonly words: WordLimits;
  readonly segmentRows: number;
  /** The tail is moved into a segment when it has this many rows. */
  readonly tailRows: number;
}

export interface Append {
  readonly project: string;
  readonly batch: EncodedBatch;
}

/** Minutes are folded into the rollups when there are this many rows of them, and at maintenance. */
const MINUTES_MAX = 100_000;
const SENDER_IDLE_MS = 30 * 86_400_000;
const MB = 1024 ** 2;
const EVICTIONS_MAX = 64;

/**
 * The file and everything that the worker remembers about it. Callers run one method that writes at a time. A method that fails leaves the
 * file as it was; after an error that invalidates DuckDB's state the file is opened again.
 */
export class Database {
  readonly options: DatabaseOptions;
  retention: Retention;
  setAside: string | null = null;
  /** From when on there are sums for rankings. */
  ranksSinceMs = Number.POSITIVE_INFINITY;
  /** From when on all events are there. */
  completeFromMs = 0;
  words: Words;
  segments: readonly Segment[] = [];
  readonly #slices: Slices;
  readonly #whenIdle: () => Promise<void>;
  #senders = new Senders();
  #instance: DuckDBInstance | undefined;
  #writer: DuckDBConnection | undefined;
  #tailRows = 0;
  #minutesRows = 0;

  /** `whenIdle` resolves when no query has a connection. */
  constructor(options: DatabaseOptions, whenIdle: () => Promise<void>) {
    this.options = options;
    this.#whenIdle = whenIdle;
    this.retention = options.retention;
    this.words = new Words(options.words);
    this.#slices = new Slices(options.memoryMb);
  }

  async open(nowMs: number): Promise<void> {
    const { instance, setAside } = await openFile(this.options, nowMs);
    this.setAside ??= setAside;
    this.#instance = instance;
    const writer = await instance.connect();
    this.#writer = writer;
    this.words = new Words(this.options.words);
    await this.words.load(writer);
    this.#senders = new Senders();
    await this.#senders.load(writer);
    this.segments = await listSegments(writer);
    this.#tailRows = await this.#count('tail');
    this.#minutesRows = await this.#countFresh();
    const [since] = await readRows(writer, 'select max("sinceMs") as since from ranks_since');
    this.ranksSinceMs = Number(since?.since ?? Number.POSITIVE_INFINITY);
    if (setAside !== null) await raiseCompleteFrom(writer, nowMs);
    this.completeFromMs = await readCompleteFrom(writer);
  }

  close(): void {
    this.#writer?.closeSync();
    this.#instance?.closeSync();
    this.#writer = undefined;
    this.#instance = undefined;
  }

  async connect(): Promise<DuckDBConnection> {
    if (this.#instance === undefined) throw EVENT_STORE_ERRORS.closed();
    return this.#instance.connect();
  }

  get writer(): DuckDBConnection {
    if (this.#writer === undefined) throw EVENT_STORE_ERRORS.closed();
    return this.#writer;
  }

  /**
   * Runs work that writes. If the disk turns out to be full, the oldest events make room and the work runs once more. If the memory does not
   * suffice, it runs again in smaller parts, so work in parts must not repeat those that it has committed.
   */
  async write<T>(nowMs: number, work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      this.#slices.grow();
      return result;
    } catch (cause) {
      const { code } = await this.#recover(cause, nowMs);
      if (code === EVENT_STORE_ERRORS.memory().code) return this.#writeSmaller(nowMs, work);
      if (code !== EVENT_STORE_ERRORS.full().code) throw toStoreError(cause);
    }
    await this.makeRoom(nowMs);
    try {
      return await work();
    } catch (cause) {
      throw await this.#recover(cause, nowMs);
    }
  }

  /** With one thread: each one that writes a table holds a block of every column. */
  async #writeSmaller<T>(nowMs: number, work: () => Promise<T>): Promise<T> {
    for (let canShrink = true; ; ) {
      canShrink = this.#slices.shrink();
      await this.writer.run('set threads = 1');
      try {
        const result = await work();
        await this.writer.run(`set threads = ${this.options.threads}`);
        return result;
      } catch (cause) {
        const error = await this.#recover(cause, nowMs);
        if (error.code === EVENT_STORE_ERRORS.memory().code && canShrink) continue;
        await this.writer.run(`set threads = ${this.options.threads}`);
        throw error;
      }
    }
  }

  async #recover(cause: unknown, nowMs: number): Promise<AppError> {
    this.words.rollback();
    this.#senders.rollback();
    if (isInvalidated(cause)) {
      this.close();
      // A query that still runs keeps the old instance: two of them must not have the file open.
      await this.#whenIdle();
      await this.open(nowMs);
    }
    return toStoreError(cause);
  }

  /** All batches in one transaction. They are on disk when the promise resolves. */
  async append(appends: readonly Append[], nowMs: number): Promise<AppendOutcome[]> {
    await this.makeRoom(nowMs);
    const outcomes = await inTransaction(this.writer, async () => {
      const done: AppendOutcome[] = [];
      for (const { project: name, batch } of appends) {
        const project = this.words.addProject(name);
        const isKnown = this.#senders.isKnown(project, batch);
        done.push(isKnown ? 'duplicate' : 'stored');
        if (isKnown) continue;
        await appendRows(this.writer, { batch, project, words: this.words });
        this.#senders.add(project, batch, nowMs);
      }
      await this.words.flush(this.writer);
      await this.#senders.flush(this.writer);
      return done;
    });
    this.words.commit();
    this.#senders.commit();
    for (const [index, { batch }] of appends.entries()) {
      if (outcomes[index] === 'stored') this.#tailRows += batch.rows;
    }
    return outcomes;
  }

  get mustSettle(): boolean {
    return this.#tailRows >= this.options.tailRows;
  }

  async settle(nowMs: number): Promise<void> {
    if (this.#tailRows > 0) {
      const { segmentRows } = this.options;
      this.segments = await inTransaction(this.writer, () =>
        settleTail(this.writer, this.segments, { segmentRows, sliceRows: this.#slices.rows }),
      );
      this.#tailRows = 0;
      this.#minutesRows = await this.#countFresh();
    }
    if (this.#minutesRows >= MINUTES_MAX) await this.fold(nowMs);
  }

  async fold(nowMs: number): Promise<void> {
    for (const kind of ROLLUP_KINDS) {
      await foldKind(this.writer, kind, this.#slices.rows);
    }
    await inTransaction(this.writer, () => this.#senders.shrink(this.writer, nowMs - SENDER_IDLE_MS));
    this.#minutesRows = 0;
  }

  async rewriteRollup(kind: RollupKind, table: string): Promise<void> {
    await rewriteRollup(this.writer, { kind, table, sliceRows: this.#slices.rows });
  }

  async checkpoint(): Promise<void> {
    await this.writer.run('checkpoint');
  }

  async expire(nowMs: number): Promise<number> {
    const before = await this.#count('events');
    this.segments = await expire(this.writer, this.segments, this.retention, nowMs);
    this.completeFromMs = await readCompleteFrom(this.writer);
    return before - (await this.#count('events'));
  }

  /**
   * Deletes the oldest events until the file is small enough, or has free blocks if it cannot grow. If others fill the disk, deleting
   * events does not help: the error comes before the data goes.
   */
  async makeRoom(nowMs: number): Promise<number> {
    const before = this.#eventCount();
    for (let round = 0; round < EVICTIONS_MAX; round += 1) {
      const { isTooLarge, mustReuse } = await this.#measure();
      if (!isTooLarge && !mustReuse) break;
      if (this.segments.length === 0 && this.#tailRows > 0) await this.settle(nowMs);
      if (this.segments.length === 0) break;
      this.segments = await evictOldest(this.writer, this.segments);
      this.completeFromMs = await readCompleteFrom(this.writer);
      await this.writer.run('checkpoint');
    }
    if (this.#freeBytes() < 2 * this.#walBytes) {
      await this.writer.run('checkpoint');
      if (this.#freeBytes() < 2 * this.#walBytes) throw EVENT_STORE_ERRORS.full();
    }
    return before - this.#eventCount();
  }

  async raiseCompleteFrom(timeMs: number): Promise<void> {
    await raiseCompleteFrom(this.writer, timeMs);
    this.completeFromMs = await readCompleteFrom(this.writer);
  }

  #eventCount(): number {
    return this.segments.reduce((sum, { rows }) => sum + rows, this.#tailRows);
  }

  get #walBytes(): number {
    return this.options.walMb * MB;
  }

  #freeBytes(): number {
    const { bavail, bsize } = statfsSync(dirname(this.options.path));
    return bavail * bsize;
  }

  /** The rest of the disk is for the write-ahead log, so the file stops growing while there is room for four of them. */
  async #measure(): Promise<{ isTooLarge: boolean; mustReuse: boolean }> {
    const { maxBytes } = this.retention;
    const size = fileSize(this.options.path) + fileSize(`${this.options.path}.wal`);
    const canGrow = this.#freeBytes() >= 4 * this.#walBytes;
    // Most often, no look inside the file is needed.
    if (size <= maxBytes && canGrow) return { isTooLarge: false, mustReuse: false };
    const { used, spare } = await this.readSizes();
    return { isTooLarge: used > maxBytes, mustReuse: !canGrow && spare < 2 * this.#walBytes };
  }

  /** Bytes that are in use, and bytes of the file that are free for reuse. */
  async readSizes(): Promise<{ used: number; spare: number }> {
    const [row] = await readRows(this.writer, 'select * from pragma_database_size()');
    const block = Number(row?.block_size ?? 0);
    const wal = fileSize(`${this.options.path}.wal`);
    return { used: Number(row?.used_blocks ?? 0) * block + wal, spare: Number(row?.free_blocks ?? 0) * block };
  }

  async #countFresh(): Promise<number> {
    const counts: number[] = [];
    for (const { fresh } of ROLLUP_KINDS) counts.push(await this.#count(fresh));
    return Math.max(...counts);
  }

  async #count(table: string): Promise<number> {
    const [row] = await readRows(this.writer, `select count(*) as n from ${table}`);
    return Number(row?.n ?? 0);
  }

  async deleteProject(name: string): Promise<void> {
    const project = this.words.findProject(name);
    if (project === undefined) return;
    await inTransaction(this.writer, async () => {
      const tables = ['tail', ...ROLLUP_TABLES, 'senders', 'words'];
      for (const table of [...tables, ...this.segments.map(({ id }) => `events_${id}`)]) {
        await this.writer.run(`delete from ${table} where project = ${project}`);
      }
      await this.writer.run(`delete from words where id = ${project}`);
    });
    this.words.forgetProject(project);
    this.#senders.forgetProject(project);
    this.#tailRows = await this.#count('tail');
  }
}

function fileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
