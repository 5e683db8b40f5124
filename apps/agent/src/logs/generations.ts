import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import type { OpenFolder } from '../host/open-folder.ts';
import { type ByteReader, PackedReader, PlainReader } from './byte-reader.ts';
import { linesBefore } from './lines.ts';
import type { ReadBudget } from './types.ts';

/** One file of a log that is rotated. */
export interface Generation {
  readonly name: string;
  /** Digest of the first line, which stays the same when the file grows, is copied, renamed or packed. */
  readonly mark: string;
  readonly reader: ByteReader;
  /** The offset behind the last line feed, or the end of a file to which nothing is added. */
  readonly end: number;
}

const HEAD_BYTES = 4096;
const GENERATIONS_MAX = 20;
const SUFFIX = /^(?:\.(\d{1,4})|-(\d{8,14}))?(\.gz)?$/;

/** The names of the files of a log, the newest first: `x.log`, then `x.log.1`, `x.log.2.gz` or `x.log-20260131.gz`. */
export function orderNames(base: string, names: readonly string[]): string[] {
  const found = names.flatMap((name) => {
    if (!name.startsWith(base)) return [];
    const [match, number, date] = SUFFIX.exec(name.slice(base.length)) ?? [];
    if (match === undefined || match === '.gz') return [];
    return [{ name, order: number !== undefined ? Number(number) : date !== undefined ? 1e15 - Number(date) : 0 }];
  });
  return found
    .sort((a, b) => a.order - b.order)
    .slice(0, GENERATIONS_MAX)
    .map(({ name }) => name);
}

/**
 * Opens the files of a log and returns them from the oldest to the newest. Files are opened from the newest to the oldest, in
 * which direction a rotation moves their content, so that a rotation meanwhile shows a file twice and hides none.
 */
export async function openGenerations(
  folder: OpenFolder,
  { base, names }: { readonly base: string; readonly names: readonly string[] },
  budget: ReadBudget,
): Promise<Generation[]> {
  const opened: Generation[] = [];
  try {
    for (const name of orderNames(base, names)) {
      const one = await openGeneration(folder, { name, isGrowing: name === base }, budget);
      if (!one) continue;
      const twin = opened.find(({ mark }) => mark === one.mark);
      if (twin === undefined) opened.push(one);
      else if (one.end <= twin.end) await one.reader.close();
      else {
        opened[opened.indexOf(twin)] = one;
        await twin.reader.close();
      }
    }
  } catch (error) {
    await Promise.all(opened.map(({ reader }) => reader.close()));
    throw error;
  }
  return opened.reverse();
}

/** Undefined for a file that is missing, is no plain file or has another name too, and for one without a complete line. */
async function openGeneration(
  folder: OpenFolder,
  { name, isGrowing }: { readonly name: string; readonly isGrowing: boolean },
  budget: ReadBudget,
): Promise<Generation | undefined> {
  const file = await folder.openFile(name, constants.O_RDONLY).catch(() => undefined);
  if (!file) return undefined;
  const facts = await file.stat();
  // A tenant may link files of others into its folder.
  if (!facts.isFile() || facts.nlink !== 1 || facts.size === 0) {
    await file.close();
    return undefined;
  }
  const reader = name.endsWith('.gz') ? new PackedReader(file) : new PlainReader(file, facts.size);
  try {
    const mark = markOf(await reader.head(HEAD_BYTES, budget));
    const size = await reader.size(budget);
    const end = isGrowing ? await findEnd(reader, size, budget) : size;
    if (mark !== undefined && end > 0) return { name, mark, reader, end };
    await reader.close();
    return undefined;
  } catch (error) {
    await reader.close();
    throw error;
  }
}

/** Undefined if the first line is not complete yet. */
export function markOf(head: Buffer): string | undefined {
  const feed = head.indexOf(10);
  if (feed === -1 && head.length < HEAD_BYTES) return undefined;
  const first = feed === -1 ? head : head.subarray(0, feed);
  return createHash('sha256').update(first).digest('hex').slice(0, 16);
}

export function readMark(reader: ByteReader, budget: ReadBudget): Promise<string | undefined> {
  return reader.head(HEAD_BYTES, budget).then(markOf);
}

/** The writer may not have finished its last line. */
async function findEnd(reader: ByteReader, size: number, budget: ReadBudget): Promise<number> {
  for await (const line of linesBefore(reader, size, budget)) {
    const [last] = await reader.read({ from: line.end - 1, to: line.end }, budget);
    if (last === 10) return line.end;
  }
  return 0;
}
