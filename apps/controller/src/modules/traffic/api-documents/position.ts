import { Buffer } from 'node:buffer';
import { fail } from '@flotilla/contract';
import { cursorAt } from '../../../platform/database/paging.ts';

/** The position after an item of a list that is not sorted by the database. */
export function toPosition(key: string | undefined): string | null {
  return key === undefined ? null : cursorAt([key]);
}

/** Throws request.invalid for a cursor that `toPosition` did not make. */
export function readPosition(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  try {
    const [key, ...rest] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (typeof key === 'string' && rest.length === 0) return key;
  } catch {
    // Refused below.
  }
  const message = 'is not a cursor of this list';
  throw fail(
    'request.invalid',
    { reason: `cursor ${message}` },
    { details: [{ path: 'cursor', rule: 'cursor', message }] },
  );
}
