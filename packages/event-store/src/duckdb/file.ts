import { existsSync, renameSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { AppError } from '@flotilla/kit';
import type { Row } from '../decode.ts';
import { EVENT_STORE_ERRORS } from '../errors.ts';
import { nextHour } from '../event.ts';
import { FORMAT, schemaSql, upgradeSql } from './schema.ts';

export interface FileOptions {
  readonly path: string;
  readonly memoryMb: number;
  readonly threads: number;
  /** The write-ahead log is folded into the file when it has this size. */
  readonly walMb: number;
}

export interface OpenFile {
  readonly instance: DuckDBInstance;
  readonly setAside: string | null;
}

/** Messages of DuckDB about a file that is damaged. Other errors (locks, rights, a full disk) say nothing about the file. */
const DAMAGED =
  /not a valid DuckDB database|corrupt|checksum|failure while replaying wal|deserializ|serialization error|could not read enough bytes|INTERNAL Error|invalid unicode/i;
const LOCK_WAIT_MS = 3000;
const LOCK_RETRY_MS = 50;
const LOCKED = /could not set lock/i;
const NEWER = /newer version|version number \d+|storage version/i;
const FULL = /no space left|disk full|failed to write|could not write|out of disk|failed to allocate block/i;
const INVALIDATED = /database has been invalidated|FATAL/;
/** A commit names only the block that it did not get. */
const OUT_OF_MEMORY = /out of memory|(could not allocate|failed to pin) block/i;

export function toStoreError(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const text = cause instanceof Error ? cause.message : String(cause);
  if (LOCKED.test(text)) return EVENT_STORE_ERRORS.locked(cause);
  if (FULL.test(text)) return EVENT_STORE_ERRORS.full(cause);
  if (OUT_OF_MEMORY.test(text)) return EVENT_STORE_ERRORS.memory(cause);
  if (NEWER.test(text)) return EVENT_STORE_ERRORS.newer(cause);
  return DAMAGED.test(text) ? EVENT_STORE_ERRORS.corrupt(cause) : EVENT_STORE_ERRORS.failed(cause);
}

/** After such an error the database answers nothing until it is opened again. */
export function isInvalidated(cause: unknown): boolean {
  return cause instanceof Error && INVALIDATED.test(cause.message);
}

/** Opens or creates the file. A damaged file is renamed and an empty one takes its place: events are worth less than their store. */
export async function openFile(options: FileOptions, nowMs: number): Promise<OpenFile> {
  await mkdir(dirname(options.path), { recursive: true, mode: 0o700 });
  try {
    return { instance: await open(options, nowMs), setAside: null };
  } catch (cause) {
    const error = toStoreError(cause);
    if (error.code !== EVENT_STORE_ERRORS.corrupt().code) throw error;
  }
  const aside = `${options.path}.damaged-${Math.floor(nowMs)}`;
  renameSync(options.path, aside);
  if (existsSync(`${options.path}.wal`)) renameSync(`${options.path}.wal`, `${aside}.wal`);
  return { instance: await open(options, nowMs), setAside: aside };
}

/** Waits for a process that is just ending: its owner may have been killed a moment ago. */
async function open(options: FileOptions, nowMs: number): Promise<DuckDBInstance> {
  for (const deadline = performance.now() + LOCK_WAIT_MS; ; ) {
    try {
      return await openNow(options, nowMs);
    } catch (cause) {
      const isLocked = toStoreError(cause).code === EVENT_STORE_ERRORS.locked().code;
      if (!isLocked || performance.now() > deadline) throw cause;
    }
    await sleep(LOCK_RETRY_MS);
  }
}

async function openNow({ path, memoryMb, threads, walMb }: FileOptions, nowMs: number): Promise<DuckDBInstance> {
  const instance = await DuckDBInstance.create(path, {
    memory_limit: `${memoryMb}MB`,
    threads: String(threads),
    checkpoint_threshold: `${walMb}MB`,
    temp_directory: `${path}.tmp`,
    // Nothing is downloaded and no other file is read, whatever a query says.
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  });
  try {
    const connection = await instance.connect();
    await prepare(connection, nowMs);
    connection.closeSync();
    return instance;
  } catch (cause) {
    instance.closeSync();
    throw cause;
  }
}

async function prepare(connection: DuckDBConnection, nowMs: number): Promise<void> {
  const [found] = await readRows(connection, "select count(*) as n from duckdb_tables() where table_name = 'format'");
  if (Number(found?.n) === 0) {
    await inTransaction(connection, async () => {
      for (const sql of schemaSql()) await connection.run(sql);
    });
  }
  const [format] = await readRows(connection, 'select max(version) as version from format');
  const version = Number(format?.version);
  if (version > FORMAT) throw EVENT_STORE_ERRORS.newer();
  if (version === FORMAT) return;
  await inTransaction(connection, async () => {
    for (const sql of upgradeSql(version, nextHour(nowMs))) await connection.run(sql);
  });
}

export async function readRows(connection: DuckDBConnection, sql: string): Promise<readonly Row[]> {
  return (await connection.runAndReadAll(sql)).getRowObjects() as readonly Row[];
}

export async function inTransaction<T>(connection: DuckDBConnection, work: () => Promise<T>): Promise<T> {
  await connection.run('begin transaction');
  try {
    const result = await work();
    await connection.run('commit');
    return result;
  } catch (cause) {
    // A failed commit has ended the transaction: the error of the second end would hide the first.
    await connection.run('rollback').catch(() => undefined);
    throw cause;
  }
}
