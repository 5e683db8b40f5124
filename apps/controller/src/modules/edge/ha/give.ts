import type { Tx } from '@flotilla/db';
import { raiseDesired } from '../../fleet/public.ts';
import { announceChange, type PairKey } from './events.ts';

/** Sends these clients, which are or were members of the pair, what they should have. Locks them. */
export async function giveMembers(
  tx: Tx,
  pair: PairKey,
  { clientIds, now }: { clientIds: readonly string[]; now: Date },
): Promise<void> {
  await raiseDesired(tx, clientIds);
  await announceChange(tx, pair, { clientIds, now });
}
