import type { Buffer } from 'node:buffer';
import type { RouteContract } from '@flotilla/contract';

/** Smaller bodies are parsed and checked in the main thread; other routes accept no more than this. */
export const LARGE_FROM_BYTES = 64 * 1024;

/**
 * Routes with these tags are also served in other processes (`large-requests`): they only use the database, so any
 * process can handle them.
 */
const SERVED_ELSEWHERE: ReadonlySet<string> = new Set([
  'Backups',
  'Documents',
  'Policies',
  'Proxy versions',
  'Rollouts',
  'Schema',
  'Search',
  'Services',
]);

export function isServedElsewhere({ tag, media, upload }: RouteContract): boolean {
  return SERVED_ELSEWHERE.has(tag) && media === undefined && upload === undefined;
}

/**
 * Limits for the characters of large JSON values that a request may read in the main process: answers serialise them
 * again, and writes check, compare and store them.
 */
export const READ_HERE_MAX = { GET: 512 * 1024, other: 64 * 1024 } as const;

/** A JSON body that was not parsed. */
export class LargeBody {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}
