import { createSegment, type KeptSegment } from './kept-segment.ts';
import { decodeHeader, findLastRecord, type SegmentHeader } from './segment.ts';
import type { FoundSegment, SegmentFiles } from './segment-files.ts';

/** The segments of an earlier agent. */
export interface Recovered {
  readonly segments: readonly KeptSegment[];
  /** The header of the newest one and the number of its last record; undefined: there is none, or it is damaged. */
  readonly newest: Measured | undefined;
}

interface Measured {
  readonly header: SegmentHeader;
  readonly last: bigint | undefined;
}

/** Reads no more than the headers and the newest segment of each epoch. */
export async function recoverSegments(files: SegmentFiles, found: readonly FoundSegment[]): Promise<Recovered> {
  const headers = await Promise.all(found.map(({ index }) => readHeader(files, index)));
  const segments: KeptSegment[] = [];
  let newest: Measured | undefined;
  for (const [at, { index, bytes, writtenMs }] of found.entries()) {
    const segment = { ...createSegment(index), bytes };
    const header = headers[at];
    newest = header && { header, last: await findLast(files, { index, header, next: headers[at + 1] }) };
    if (newest?.last !== undefined) {
      segment.waiting.addRange({ from: newest.header.firstSequence, to: newest.last }, writtenMs);
    }
    segments.push(segment);
  }
  return { segments, newest };
}

async function readHeader(files: SegmentFiles, index: number): Promise<SegmentHeader | undefined> {
  return decodeHeader(await files.readHeader(index).catch(() => Buffer.alloc(0)));
}

/** The next segment of the epoch says it, otherwise the file. */
async function findLast(
  files: SegmentFiles,
  { index, header, next }: { index: number; header: SegmentHeader; next: SegmentHeader | undefined },
): Promise<bigint | undefined> {
  if (next?.epoch === header.epoch) return next.firstSequence - 1n;
  const content = await files.readAll(index).catch(() => Buffer.alloc(0));
  return findLastRecord(content, header)?.sequence;
}
