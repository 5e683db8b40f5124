import type { Tx } from '@flotilla/db';
import { noteDesiredChange } from '../services/index.ts';

/** Gives these clients the next revision of their desired state, although none of their services has changed. Locks them. */
export function raiseDesired(tx: Tx, clientIds: readonly string[]): Promise<void> {
  return noteDesiredChange(tx, clientIds);
}
