import { WaitingBatches } from './backlog.ts';
import { HEADER_BYTES } from './segment.ts';

/** A segment that is not removed yet. */
export interface KeptSegment {
  readonly index: number;
  bytes: number;
  /** Known for segments of this run, and of others once they were read. */
  epoch: string | undefined;
  /** Where the next record to take begins. */
  readAt: number;
  /** Records that were taken and are not stored yet. */
  readonly taken: Set<bigint>;
  /** Records that are not stored yet. In a segment of an earlier agent, also numbers that it has dropped, until the segment was read. */
  readonly waiting: WaitingBatches;
  storedBytes: number;
}

export function createSegment(index: number): KeptSegment {
  return {
    index,
    bytes: HEADER_BYTES,
    epoch: undefined,
    readAt: HEADER_BYTES,
    taken: new Set(),
    waiting: new WaitingBatches(),
    storedBytes: 0,
  };
}
