import { failHa } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type { Cipher } from '../../../platform/keyring/cipher.ts';
import { lockCandidates } from './candidate-store.ts';
import { acceptNext, createKeys, openKeys, sealKeys } from './keys.ts';
import type { Member } from './model.ts';
import { type PairRow, storeKeys } from './pair-store.ts';

/**
 * Replaces the key of the heartbeats while the pair serves. Each step begins with a revision, and the next one when every
 * member has applied it. The step is in the row of the pair, so that it survives the controller.
 * accept: the members accept the next key and sign with the old one
 * sign:   they sign with the next one, and accept the old one, which a member that is behind still uses
 * null:   only the next one is left
 */
export async function startRotation(
  tx: Tx,
  cipher: Cipher,
  { row, members }: { row: PairRow; members: readonly Member[] },
): Promise<void> {
  if (row.rotation !== null) throw failHa('ha.rotating');
  const ids = members.map(({ clientId }) => clientId);
  const clients = await lockCandidates(tx, row.project_id, ids);
  if (ids.some((id) => clients.get(id)?.connected !== true)) throw failHa('ha.member_offline');
  const before = row.sealed_keys === null ? createKeys() : openKeys(cipher, row.id, row.sealed_keys);
  await storeKeys(tx, row.id, { sealedKeys: sealKeys(cipher, row.id, acceptNext(before)), rotation: 'accept' });
}
